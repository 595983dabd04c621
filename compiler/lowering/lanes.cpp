#include "compiler/lowering/lanes.h"

#include <algorithm>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tessera::lowering {

Value lanesBelow(OpBuilder& b, Location loc, int64_t lanes, int64_t count) {
  SmallVector<bool> bits(lanes, false);
  std::fill_n(bits.begin(), std::clamp<int64_t>(count, 0, lanes), true);
  return constantMask(b, loc, bits);
}

// vector.create_mask of a constant is slower than a constant.
Value lanesBelow(OpBuilder& b, Location loc, int64_t lanes, Value count) {
  if (const auto known = getConstantIntValue(count)) return lanesBelow(b, loc, lanes, *known);
  return b.create<vector::CreateMaskOp>(loc, VectorType::get({lanes}, b.getI1Type()), count);
}

Value constantMask(OpBuilder& b, Location loc, ArrayRef<bool> conditions) {
  const auto type = VectorType::get({static_cast<int64_t>(conditions.size())}, b.getI1Type());
  return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, conditions));
}

Value loadMasked(OpBuilder& b, Location loc, Value memory, ValueRange place, int64_t lanes,
                 Value mask, Value filler) {
  const auto type = VectorType::get({lanes}, getElementTypeOrSelf(memory.getType()));
  if (!mask) return b.create<vector::LoadOp>(loc, type, memory, place);
  if (!filler) filler = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  return b.create<vector::MaskedLoadOp>(loc, type, memory, place, mask, filler);
}

Value loadLanes(OpBuilder& b, Location loc, Value memory, Value offset, int64_t lanes,
                int64_t count, Value filler) {
  const Value mask = count == lanes ? Value() : lanesBelow(b, loc, lanes, count);
  return loadMasked(b, loc, memory, offset, lanes, mask, filler);
}

Value loadLanes(OpBuilder& b, Location loc, Value memory, Value offset, int64_t lanes, Value count,
                Value filler) {
  if (const auto known = count ? getConstantIntValue(count) : lanes)
    return loadLanes(b, loc, memory, offset, lanes, *known, filler);
  return loadMasked(b, loc, memory, offset, lanes, lanesBelow(b, loc, lanes, count), filler);
}

void storeLanes(OpBuilder& b, Location loc, Value vector, Value memory, Value offset,
                int64_t count) {
  const int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  if (count == lanes)
    b.create<vector::StoreOp>(loc, vector, memory, offset);
  else
    b.create<vector::MaskedStoreOp>(loc, memory, offset, lanesBelow(b, loc, lanes, count), vector);
}

// LLVM has no portable operation for lanes that are known at run time.
static Value callIntrinsic(OpBuilder& b, Location loc, StringRef name, ValueRange operands) {
  return b
      .create<LLVM::CallIntrinsicOp>(loc, operands.front().getType(), b.getStringAttr(name),
                                     operands)
      .getResults();
}

// The instructions look at the bits of a lane's number that they need: what is taken from another
// vector is overwritten.
Value shuffleLanes(OpBuilder& b, Location loc, ValueRange vectors, Value from) {
  const auto type = cast<VectorType>(from.getType());
  const int64_t lanes = type.getNumElements();
  const bool hasPairs = lanes == 16;
  const StringRef ofOne = hasPairs ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps";
  const size_t numFirst = hasPairs ? std::min<size_t>(vectors.size(), 2) : 1;
  Value result = numFirst == 2 ? callIntrinsic(b, loc, "llvm.x86.avx512.vpermi2var.ps.512",
                                               {vectors[0], from, vectors[1]})
                               : callIntrinsic(b, loc, ofOne, {vectors[0], from});
  for (size_t i = numFirst; i < vectors.size(); ++i) {
    const auto number = static_cast<int32_t>(static_cast<int64_t>(i) * lanes);
    const Value first = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, number));
    const Value isFurther = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, from, first);
    result = b.create<arith::SelectOp>(loc, isFurther,
                                       callIntrinsic(b, loc, ofOne, {vectors[i], from}), result);
  }
  return result;
}

SmallVector<Value> interleave(OpBuilder& b, Location loc, ArrayRef<Value> vectors, int64_t count) {
  const int64_t lanes = cast<VectorType>(vectors.front().getType()).getNumElements(),
                length = static_cast<int64_t>(vectors.size()) / count;
  SmallVector<Value> results;
  for (int64_t begin = 0; begin < static_cast<int64_t>(vectors.size()) * lanes; begin += lanes) {
    // The lanes of one source after the other; those of the result so far stay.
    Value result;
    for (int64_t source = 0; source < static_cast<int64_t>(vectors.size()); ++source) {
      SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
      bool isUsed = false;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int64_t sequence = (begin + lane) % count, place = (begin + lane) / count;
        if (sequence * length + place / lanes != source) continue;
        places[lane] = lanes + place % lanes;
        isUsed = true;
      }
      if (!isUsed) continue;
      const Value before = result ? result : vectors[source];
      result = b.create<vector::ShuffleOp>(loc, before, vectors[source], places);
    }
    results.push_back(result);
  }
  return results;
}

}  // namespace tessera::lowering
