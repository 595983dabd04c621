#include "backends/native/compiler/lower/selection_order.h"

#include <limits>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tessera::backend_native {

using namespace mlir;

Element Order::keysOf(KernelBuilder& b, Value elements) const {
  const unsigned width = element.getIntOrFloatBitWidth();
  const Type integer = b.getIntegerType(width);
  const auto vector = dyn_cast<VectorType>(elements.getType());
  const Type type = vector ? Type(VectorType::get(vector.getShape(), integer)) : integer;
  const auto constant = [&](const APInt& bits) -> Value {
    if (!vector) return b.create<arith::ConstantOp>(b.getIntegerAttr(integer, bits));
    return b.create<arith::ConstantOp>(DenseElementsAttr::get(cast<VectorType>(type), bits));
  };
  Value bits = elements;
  if (auto floating = dyn_cast<FloatType>(element)) {
    const Element x = b.element(elements);
    const APInt nan = APFloat::getQNaN(floating.getFloatSemantics()).bitcastToAPInt();
    bits = b.create<arith::BitcastOp>(type, elements);
    bits = b.select(x == 0, constant(APInt::getZero(width)), bits);
    bits = b.select(isNan(x), constant(nan), bits);
    // The magnitude of negative numbers counts the other way.
    const Value signs = b.create<arith::ShRSIOp>(bits, constant(APInt(width, width - 1)));
    const Value magnitude =
        b.create<arith::AndIOp>(signs, constant(APInt::getSignedMaxValue(width)));
    bits = b.create<arith::XOrIOp>(bits, magnitude);
  } else if (signedness == Signedness::kUnsigned) {
    bits = b.create<arith::XOrIOp>(bits, constant(APInt::getSignMask(width)));
  }
  if (isLargest) bits = b.create<arith::XOrIOp>(bits, constant(APInt::getAllOnes(width)));
  return b.element(bits);
}

Value Order::first(KernelBuilder& b, Value a, Value c, bool isOther) const {
  const Element x = b.element(a, signedness), y = b.element(c, signedness);
  const bool wantsGreater = isLargest != isOther;
  return b.select(wantsGreater ? x > y : x < y, a, c);
}

Value Order::behind(KernelBuilder& b, Value from) const {
  const Type integer = b.getIntegerType(32);
  const Element key = keysOf(b, from);
  const bool isFloat = isa<FloatType>(element);
  const Value start = isLargest ? Element::highest(b, element, signedness)
                                : Element::lowest(b, element, signedness);
  const Element least = keysOf(b, start);
  Element before = select(key <= least, least, key - 1);
  if (!isFloat) {
    if (isLargest) before = b.element(b.create<arith::XOrIOp>(before, b.integer(integer, -1)));
    return before;
  }
  Value bits = before;
  if (isLargest) bits = b.create<arith::XOrIOp>(bits, b.integer(integer, -1));
  // The number in front of both zeros is not the negative one.
  bits = b.select(b.element(bits) == b.element(b.integer(integer, -1)),
                  b.integer(integer, isLargest ? 0 : -2), bits);
  const Value signs = b.create<arith::ShRSIOp>(bits, b.integer(integer, 31));
  const Value magnitude =
      b.create<arith::AndIOp>(signs, b.integer(integer, std::numeric_limits<int32_t>::max()));
  return b.create<arith::BitcastOp>(element, b.create<arith::XOrIOp>(bits, magnitude));
}

namespace {

/// Builds networks that compare vectors lane by lane.
class Bound {
 public:
  Bound(KernelBuilder& b, const Order& order, const Values& parts, int64_t count)
      : b_(b),
        order_(order),
        numParts_(static_cast<int64_t>(parts.size())),
        lanes_(cast<VectorType>(parts.front().getType()).getNumElements()),
        count_(count) {}

  Value of(Values parts);

 private:
  Value exchanged(Value vector, int64_t mask);
  void exchange(Values& parts, int64_t i, int64_t k);
  void sort(Values& parts);
  Value opposite(const Values& lists, int64_t i, int64_t mask, int64_t share);
  Values firstOfPairs(const Values& parts);

  KernelBuilder& b_;
  const Order& order_;
  int64_t numParts_, lanes_, count_;
};

}  // namespace

Value Bound::exchanged(Value vector, int64_t mask) {
  SmallVector<int64_t> partners;
  for (int64_t lane = 0; lane < lanes_; ++lane) partners.push_back(lane ^ mask);
  return b_.create<vector::ShuffleOp>(vector, vector, partners);
}

/// Parts `i` and `k` in order.
void Bound::exchange(Values& parts, int64_t i, int64_t k) {
  const Value a = parts[i], c = parts[k];
  parts[i] = order_.first(b_, a, c);
  parts[k] = order_.first(b_, a, c, /*isOther=*/true);
}

/// In each lane, those that come first in front: Batcher's odd-even merge sort.
void Bound::sort(Values& parts) {
  const auto size = static_cast<int64_t>(parts.size());
  for (int64_t merged = 1; merged < size; merged *= 2) {
    for (int64_t stride = merged; stride > 0; stride /= 2) {
      for (int64_t from = stride % merged; from + stride < size; from += 2 * stride) {
        for (int64_t i = from; i < std::min(from + stride, size - stride); ++i) {
          if (i / (2 * merged) == (i + stride) / (2 * merged)) exchange(parts, i, i + stride);
        }
      }
    }
  }
}

/// Of lists in order, one in each lane, and those of the lanes across `mask`: number `i` of one
/// against what is as far from number `share` of the other. All of them are the first `share` of
/// both, in no order.
Value Bound::opposite(const Values& lists, int64_t i, int64_t mask, int64_t share) {
  const int64_t other = share - 1 - i;
  Value one;
  if (i < numParts_) one = lists[i];
  if (other >= numParts_) return one;
  const Value across = exchanged(lists[other], mask);
  return one ? order_.first(b_, one, across) : across;
}

/// In both lanes of each two the first ones of both, in order: a bitonic merger.
Values Bound::firstOfPairs(const Values& parts) {
  Values merged;
  for (int64_t i = 0; i < numParts_; ++i) merged.push_back(opposite(parts, i, 1, numParts_));
  for (int64_t stride = numParts_ / 2; stride > 0; stride /= 2) {
    for (int64_t i = 0; i < numParts_; ++i) {
      if ((i & stride) == 0) exchange(merged, i, i + stride);
    }
  }
  return merged;
}

/// What as many extremes as are sought reach: of each four lanes, or two, their share, the last of
/// all shares. The more lanes, the fewer elements reach it.
Value Bound::of(Values parts) {
  sort(parts);
  const auto shareOf = [&](int64_t lanes) -> int64_t {
    return llvm::divideCeil(lanes * count_, lanes_);
  };
  const bool areFour = lanes_ >= 4 && shareOf(4) <= numParts_;
  const Values lists = areFour ? firstOfPairs(parts) : parts;
  const int64_t mask = areFour ? 2 : 1, share = shareOf(2 * mask);
  Value bound;
  for (int64_t i = 0; i < share; ++i) {
    const Value one = opposite(lists, i, mask, share);
    bound = bound ? order_.first(b_, bound, one, /*isOther=*/true) : one;
  }
  for (int64_t stride = lanes_ / 2; stride > mask; stride /= 2)
    bound = order_.first(b_, bound, exchanged(bound, stride), /*isOther=*/true);
  // The other lanes of the first ones have the same one.
  return b_.create<vector::ExtractOp>(bound, 0);
}

Value Order::boundOf(KernelBuilder& b, Values parts, int64_t count) const {
  return Bound(b, *this, parts, count).of(std::move(parts));
}

}  // namespace tessera::backend_native
