#include "compiler/lowering/contraction/address.h"

#include "compiler/lowering/lanes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tessera::lowering {

Value advance(IndexBuilder& b, Value pointer, Value index, int64_t stride) {
  const Value offset = b.create<arith::IndexCastOp>(b.getI64Type(), b.mul(index, stride));
  return b.create<LLVM::GEPOp>(pointer.getType(), b.getF32Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{offset});
}

Value advance(IndexBuilder& b, Value pointer, int64_t distance) {
  if (distance == 0) return pointer;
  return b.create<LLVM::GEPOp>(pointer.getType(), b.getF32Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(distance)});
}

Value addressOf(IndexBuilder& b, Value memref, Value offset) {
  if (isa<LLVM::LLVMPointerType>(memref.getType())) return advance(b, memref, offset);
  const auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  const Type i64 = b.getI64Type();
  const auto sizes = LLVM::LLVMArrayType::get(i64, 1);
  const auto descriptor =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer, i64, sizes, sizes});
  const Value fields = b.create<UnrealizedConversionCastOp>(descriptor, memref).getResult(0);
  return advance(b, b.create<LLVM::ExtractValueOp>(fields, 1), offset);
}

Value loadAt(IndexBuilder& b, Type type, Value pointer) {
  return b.create<LLVM::LoadOp>(type, pointer, /*alignment=*/4);
}

Value loadLanesAt(IndexBuilder& b, VectorType type, Value pointer, int64_t begin, int64_t end) {
  SmallVector<bool> isRead(type.getNumElements(), false);
  std::fill(isRead.begin() + begin, isRead.begin() + end, true);
  const Value mask = constantMask(b, b.getLoc(), isRead);
  const Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  return b.create<LLVM::MaskedLoadOp>(type, pointer, mask, zero, /*alignment=*/4);
}

}  // namespace tessera::lowering
