// Conversions between physical orders.
#include "backends/native/compiler/lower/relayout.h"

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/lower/lowerings.h"

namespace tessera::backend_native {

using namespace mlir;

std::optional<std::string> refuseRelayout(Operation* op) {
  for (const Type type : {op->getOperand(0).getType(), op->getResult(0).getType()}) {
    const ir::LayoutAttr layout = ir::layoutOf(cast<RankedTensorType>(type));
    if (!layout || layout.isPlainOrder()) continue;
    if (!hasKnownImage(cast<RankedTensorType>(type)))
      return "a blocked layout needs all sizes but that of dimension 0";
  }
  return std::nullopt;
}

/// Indices of the element in memory of type `type` from logical ones, and the reverse. `inside` is
/// null when blocks are full.
static Values physicalIndices(KernelBuilder& b, RankedTensorType type, ValueRange logical) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  Values outer(logical), inner;
  if (layout) {
    for (auto [dim, size] : llvm::zip_equal(layout.getBlockDims(), layout.getBlockSizes())) {
      inner.push_back(b.rem(outer[dim], size));
      outer[dim] = b.floorDiv(outer[dim], size);
    }
    if (!layout.getOrder().empty()) {
      Values ordered;
      for (const int64_t dim : layout.getOrder()) ordered.push_back(outer[dim]);
      outer = ordered;
    }
  }
  outer.append(inner);
  return outer;
}

static Values logicalIndices(KernelBuilder& b, RankedTensorType type, ValueRange physical) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  const auto rank = static_cast<size_t>(type.getRank());
  Values logical(physical.take_front(rank));
  if (!layout) return logical;
  if (!layout.getOrder().empty()) {
    for (auto [i, dim] : llvm::enumerate(layout.getOrder())) logical[dim] = physical[i];
  }
  // Inner blocks of one dimension are cut from the outside in.
  for (auto [i, dim] : llvm::enumerate(layout.getBlockDims()))
    logical[dim] = b.term(logical[dim]) * layout.getBlockSizes()[i] + physical[rank + i];
  return logical;
}

/// Dimensions of [.., n, .., size] in the order of [.., n, size, ..], where n is dimension `dim`.
static SmallVector<int64_t> splitOrder(int64_t rank, int64_t dim) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i) {
    order.push_back(i);
    if (i == dim) order.push_back(rank);
  }
  return order;
}

/// [.., n * size, ..] as [.., n, .., size].
static Value toBlocks(KernelBuilder& b, Value plain, int64_t dim, int64_t size) {
  Values split = b.sizes(plain);
  const auto rank = static_cast<int64_t>(split.size());
  split[dim] = b.floorDiv(split[dim], size);
  split.insert(split.begin() + dim + 1, b.index(size));
  const SmallVector<int64_t> order = splitOrder(rank, dim);
  SmallVector<int64_t> perm(order.size());
  for (auto [i, to] : llvm::enumerate(order)) perm[to] = static_cast<int64_t>(i);
  return b.transpose(b.reshape(plain, split), perm);
}

/// The reverse.
static Value fromBlocks(KernelBuilder& b, Value blocked, int64_t dim) {
  Values plain = b.sizes(blocked);
  const auto rank = static_cast<int64_t>(plain.size()) - 1;
  plain[dim] = b.mul(plain[dim], plain.back());
  plain.pop_back();
  return b.reshape(b.transpose(blocked, splitOrder(rank, dim)), plain);
}

/// The extents of `shape`, whose dimension 0, if that is open, is that of `input`.
static Values sizesLike(KernelBuilder& b, Value input, ArrayRef<int64_t> shape) {
  Values sizes;
  for (const int64_t extent : shape)
    sizes.push_back(ShapedType::isDynamic(extent) ? b.size(input, 0) : b.index(extent));
  return sizes;
}

/// Whole blocks, and what is left for the last one, each by itself.
static Value convertBlocks(KernelBuilder& b, Value input, RankedTensorType blocked,
                           bool toBlocked) {
  const ir::LayoutAttr layout = ir::layoutOf(blocked);
  const int64_t dim = layout.getBlockDims()[0], size = layout.getBlockSizes()[0],
                channels = blocked.getDimSize(dim), numWhole = channels / size,
                rest = channels % size;
  if (rest == 0) return toBlocked ? toBlocks(b, input, dim, size) : fromBlocks(b, input, dim);
  const Type element = typeOf(input).getElementType();
  const Values plainSizes = sizesLike(b, input, blocked.getShape());
  const Values blockedSizes = sizesLike(b, input, kernelType(blocked).getShape());
  Value result = b.empty(element, toBlocked ? blockedSizes : plainSizes);
  // `count` elements of the plain dimension from `first` on, in blocks of `width`.
  const auto convert = [&](int64_t first, int64_t count, int64_t width) {
    Values plainAt(plainSizes.size(), b.index(0)), plainPart = plainSizes;
    Values blockedAt(blockedSizes.size(), b.index(0)), blockedPart = blockedSizes;
    plainAt[dim] = b.index(first);
    plainPart[dim] = b.index(count);
    blockedAt[dim] = b.index(first / size);
    blockedPart[dim] = b.index(count / width);
    blockedPart.back() = b.index(width);
    if (!toBlocked) {
      const Value part = fromBlocks(b, b.slice(input, blockedAt, blockedPart), dim);
      result = b.insert(part, result, plainAt);
      return;
    }
    Value part = toBlocks(b, b.slice(input, plainAt, plainPart), dim, width);
    if (width < size) {
      blockedPart.back() = b.index(size);
      const Value zeros = b.filled(b.scalar(element, 0), blockedPart);
      part = b.insert(part, zeros, Values(blockedSizes.size(), b.index(0)));
    }
    result = b.insert(part, result, blockedAt);
  };
  if (numWhole > 0) convert(0, numWhole * size, size);
  convert(numWhole * size, rest, rest);
  return result;
}

bool hasOneBlock(RankedTensorType type) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  return layout && layout.getOrder().empty() && layout.getBlockDims().size() == 1 &&
         hasKnownImage(type);
}

Value relayout(KernelBuilder& b, Value input, RankedTensorType from, RankedTensorType to) {
  if (kernelType(from) == kernelType(to) && ir::isPlain(from) && ir::isPlain(to)) return input;
  if (ir::isPlain(from) && hasOneBlock(to)) return convertBlocks(b, input, to, /*toBlocked=*/true);
  if (ir::isPlain(to) && hasOneBlock(from))
    return convertBlocks(b, input, from, /*toBlocked=*/false);
  const Values sizes = sizesLike(b, input, kernelType(to).getShape());
  const Type element = kernelElement(to.getElementType());
  return b.compute(sizes, element, [&](ValueRange indices) {
    Values logical = logicalIndices(b, to, indices);
    // Padding behind the last element reads the last element and is replaced by zero.
    std::optional<Condition> inside;
    for (auto [i, extent] : llvm::enumerate(to.getShape())) {
      if (!ir::layoutOf(to) ||
          !llvm::is_contained(ir::layoutOf(to).getBlockDims(), static_cast<int64_t>(i)))
        continue;
      const Condition fits = b.less(logical[i], extent);
      inside = inside ? *inside & fits : fits;
      logical[i] = b.smaller(logical[i], b.index(extent - 1));
    }
    const Element value = b.load(input, physicalIndices(b, from, logical));
    return inside ? select(*inside, value, 0) : value;
  });
}

Value plainOf(KernelBuilder& b, Value value) {
  if (!value) return {};
  const auto type = cast<RankedTensorType>(value.getType());
  return ir::isPlain(type) ? b.get(value)
                           : relayout(b, b.get(value), type, ir::withoutLayout(type));
}

void setPlain(KernelBuilder& b, Value value, Value tensor) {
  const auto type = cast<RankedTensorType>(value.getType());
  b.set(value, ir::isPlain(type) ? tensor : relayout(b, tensor, ir::withoutLayout(type), type));
}

LogicalResult lowerRelayout(KernelBuilder& b, Operation* op) {
  const auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  const auto to = cast<RankedTensorType>(op->getResult(0).getType());
  b.set(op->getResult(0), relayout(b, b.get(op->getOperand(0)), from, to));
  return success();
}

}  // namespace tessera::backend_native
