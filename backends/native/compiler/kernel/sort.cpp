// Batcher's bitonic sorter (Sorting networks and their applications, 1968) in the form whose first
// stage of each merge is mirrored, so that all exchanges are in one direction. Exchanges closer
// than a vector are shuffles of it. No branch depends on the numbers.
#include "backends/native/compiler/kernel/sort.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;

static Index shiftLeft(KernelBuilder& b, Value number, Value by) {
  return b.term(b.createOrFold<arith::ShLIOp>(number, by));
}
static Index shiftRight(KernelBuilder& b, Value number, Value by) {
  return b.term(b.createOrFold<arith::ShRUIOp>(number, by));
}

Index exponentOf(KernelBuilder& b, Value powerOfTwo) {
  const Value number = b.fromIndex(powerOfTwo, b.getI64Type());
  return b.toIndex(b.createOrFold<math::CountTrailingZerosOp>(number));
}

Index ceilToPowerOfTwo(KernelBuilder& b, Value number) {
  const Value before = b.fromIndex(b.sub(number, 1), b.getI64Type());
  const Value zeros = b.createOrFold<math::CountLeadingZerosOp>(before);
  return shiftLeft(b, b.index(1), b.term(64) - b.toIndex(zeros));
}

Value readVector(KernelBuilder& b, Value tensor, const Index& at, int64_t count) {
  const auto type = VectorType::get({count}, typeOf(tensor).getElementType());
  const bool isInside = true;
  return b.create<vector::TransferReadOp>(type, tensor, ValueRange{at}, ArrayRef(isInside));
}

Value writeVector(KernelBuilder& b, Value tensor, const Index& at, Value vector) {
  const bool isInside = true;
  return b.create<vector::TransferWriteOp>(vector, tensor, ValueRange{at}, ArrayRef(isInside))
      .getResult();
}

Value SortedNumbers::forEachIndex(Index count, Value tensor, Stage body) {
  return b_.forEach(Value(count), tensor, [&](ValueRange at, ValueRange state) {
    return Values{body(b_.term(at[0]), state[0])};
  })[0];
}

// Lane i and lane i ^ mask: the lesser of both goes to the lower one.
Value SortedNumbers::exchange(Value vector, int64_t mask) {
  SmallVector<int64_t> partners, picks;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    partners.push_back(lane ^ mask);
    picks.push_back(lane < partners.back() ? lane : lanes_ + lane);
  }
  const Value other = b_.create<vector::ShuffleOp>(vector, vector, partners);
  const Value least = b_.create<arith::MinSIOp>(vector, other);
  const Value greatest = b_.create<arith::MaxSIOp>(vector, other);
  return b_.create<vector::ShuffleOp>(least, greatest, picks);
}

Value SortedNumbers::halveStrides(Value vector) {
  for (int64_t stride = lanes_ / 2; stride > 0; stride /= 2) vector = exchange(vector, stride);
  return vector;
}

Value SortedNumbers::sortLanes(Value vector) {
  for (int64_t size = 2; size <= lanes_; size *= 2) {
    vector = exchange(vector, size - 1);
    for (int64_t stride = size / 4; stride > 0; stride /= 2) vector = exchange(vector, stride);
  }
  return vector;
}

Value SortedNumbers::reversed(Value vector) {
  const auto places = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, lanes_)));
  return b_.create<vector::ShuffleOp>(vector, vector, places);
}

// In blocks of 2^exponent elements, more than a vector: each of the lower half is compared with the
// one as far into the upper half, or as far from its end.
Value SortedNumbers::exchangeAcross(Value tensor, Index from, Index size, Index exponent,
                                    bool isMirrored) {
  const Index half = shiftLeft(b_, b_.index(1), exponent - 1);
  const Index pairs = shiftRight(b_, size, b_.index(1 + llvm::Log2_64(lanes_)));
  return forEachIndex(pairs, tensor, [&](Index pair, Value state) {
    const Index at = pair * lanes_;
    const Index block = shiftRight(b_, at, exponent - 1);
    const Index inside = at - shiftLeft(b_, block, exponent - 1);
    const Index start = from + shiftLeft(b_, block, exponent);
    const Index lower = start + inside;
    const Index upper = start + half + (isMirrored ? half - inside - lanes_ : inside);
    const Value a = readVector(b_, state, lower, lanes_);
    Value c = readVector(b_, state, upper, lanes_);
    if (isMirrored) c = reversed(c);
    const Value least = b_.create<arith::MinSIOp>(a, c);
    Value greatest = b_.create<arith::MaxSIOp>(a, c);
    if (isMirrored) greatest = reversed(greatest);
    return writeVector(b_, writeVector(b_, state, lower, least), upper, greatest);
  });
}

// Blocks of 2^exponent elements, of which each half has the lesser or the greater ones and rises
// and falls once at most, are put in order.
Value SortedNumbers::finishBlocks(Value tensor, Index from, Index size, Index exponent) {
  const Index stages = exponent - llvm::Log2_64(lanes_);
  tensor = forEachIndex(stages - 1, tensor, [&](Index stage, Value state) {
    return exchangeAcross(state, from, size, exponent - 1 - stage, /*isMirrored=*/false);
  });
  const Index vectors = shiftRight(b_, size, b_.index(llvm::Log2_64(lanes_)));
  return forEachIndex(vectors, tensor, [&](Index i, Value state) {
    const Index at = from + i * lanes_;
    return writeVector(b_, state, at, halveStrides(readVector(b_, state, at, lanes_)));
  });
}

Value SortedNumbers::sort(Value tensor, Index from, Index size) {
  const int64_t inVector = llvm::Log2_64(lanes_);
  const Index vectors = shiftRight(b_, size, b_.index(inVector));
  tensor = forEachIndex(vectors, tensor, [&](Index i, Value state) {
    const Index at = from + i * lanes_;
    return writeVector(b_, state, at, sortLanes(readVector(b_, state, at, lanes_)));
  });
  return forEachIndex(exponentOf(b_, size) - inVector, tensor, [&](Index merge, Value state) {
    const Index exponent = merge + (inVector + 1);
    state = exchangeAcross(state, from, size, exponent, /*isMirrored=*/true);
    return finishBlocks(state, from, size, exponent);
  });
}

Value SortedNumbers::keepLeast(Value tensor, Index size) {
  const Index vectors = shiftRight(b_, size, b_.index(llvm::Log2_64(lanes_)));
  tensor = forEachIndex(vectors, tensor, [&](Index i, Value state) {
    const Index at = i * lanes_;
    const Value other = reversed(readVector(b_, state, size * 2 - at - lanes_, lanes_));
    return writeVector(b_, state, at,
                       b_.create<arith::MinSIOp>(readVector(b_, state, at, lanes_), other));
  });
  // As the lower half of a block of twice the size.
  return finishBlocks(tensor, b_.term(0), size, exponentOf(b_, size) + 1);
}

}  // namespace tessera::backend_native
