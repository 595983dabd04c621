#include <utility>

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/contraction/winograd/square.h"
#include "compiler/lowering/contraction/winograd/winograd.h"
#include "compiler/lowering/index_builder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

int64_t winogradWeightsSize(const ConvShape& shape, int64_t lanes) {
  const auto blocks = [&](int64_t channels) { return llvm::divideCeilSigned(channels, lanes); };
  return kProducts * shape.kernelDepth * blocks(shape.inChannels) * blocks(shape.outChannels) *
         lanes * lanes;
}

// G g for three weights.
static Square weightsToProducts(IndexBuilder& b, ArrayRef<Value> g) {
  const auto times = [&](Value value, double factor) -> Value {
    const auto type = cast<VectorType>(value.getType());
    const Value constant =
        b.create<arith::ConstantOp>(DenseElementsAttr::get(type, static_cast<float>(factor)));
    return b.create<arith::MulFOp>(value, constant);
  };
  const auto plus = [&](Value x, Value y) -> Value { return b.create<arith::AddFOp>(x, y); };
  const auto minus = [&](Value x, Value y) -> Value { return b.create<arith::SubFOp>(x, y); };
  // [1, p, p^2] g divided by the product of p's distances from the other points.
  const auto at = [&](double point, double divisor) -> std::pair<Value, Value> {
    const Value even = times(plus(g[0], times(g[2], point * point)), 1 / divisor),
                odd = times(g[1], point / divisor);
    return {plus(even, odd), minus(even, odd)};
  };
  const auto [positiveA, negativeA] = at(kA, 2 * kA2 * (kA2 - kB2));
  const auto [positiveB, negativeB] = at(kB, 2 * kB2 * (kB2 - kA2));
  return {times(g[0], 1 / (kA2 * kB2)), positiveA, negativeA, positiveB, negativeB, g[2]};
}

void emitWinogradWeights(OpBuilder& at, Location loc, const ConvShape& shape, Value weights,
                         Value target, int64_t lanes) {
  IndexBuilder b(loc, at);
  const int64_t inBlocks = llvm::divideCeilSigned(shape.inChannels, lanes),
                outBlocks = llvm::divideCeilSigned(shape.outChannels, lanes), taps = 9;
  scf::ForallOp forall =
      openForall(b, {b.getIndexAttr(outBlocks), b.getIndexAttr(shape.kernelDepth),
                     b.getIndexAttr(inBlocks), b.getIndexAttr(lanes)});
  const Index outBlock = b.term(forall.getInductionVars()[0]),
              plane = b.term(forall.getInductionVars()[1]),
              inBlock = b.term(forall.getInductionVars()[2]),
              lane = b.term(forall.getInductionVars()[3]);
  const auto vector = VectorType::get({lanes}, b.getF32Type());
  const Index blocks = (outBlock * inBlocks + inBlock) * shape.kernelDepth + plane;
  const Index from = blocks * (taps * lanes * lanes) + lane * lanes;
  Square square;
  for (int64_t tap = 0; tap < taps; ++tap)
    square.push_back(
        b.create<vector::LoadOp>(vector, weights, Value(from + tap * (lanes * lanes))));
  const Square products =
      transformSquare(square, 3, [&](ArrayRef<Value> g) { return weightsToProducts(b, g); });
  const int64_t channels = inBlocks * lanes;
  const Index channel = inBlock * lanes + lane;
  for (auto [k, value] : llvm::enumerate(products)) {
    const Index product = outBlock * kProducts + static_cast<int64_t>(k);
    const Index row = (product * shape.kernelDepth + plane) * channels + channel;
    b.create<vector::StoreOp>(value, target, Value(row * lanes));
  }
}

}  // namespace tessera::lowering
