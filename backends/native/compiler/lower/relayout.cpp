// Conversions between physical orders.
#include "backends/native/compiler/lower/relayout.h"

#include "backends/native/compiler/lower/lowerings.h"

namespace tessera::backend_native {

using namespace mlir;

std::optional<std::string> refuseRelayout(Operation* op) {
  for (const Type type : {op->getOperand(0).getType(), op->getResult(0).getType()}) {
    const ir::LayoutAttr layout = ir::layoutOf(cast<RankedTensorType>(type));
    if (!layout || layout.isPlainOrder()) continue;
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return "a blocked layout needs a static shape";
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

/// Plain [.., C, ..] to or from full blocks: a permutation of [.., C / c, c, ..].
static Value permuteBlocks(KernelBuilder& b, Value input, RankedTensorType blocked,
                           bool toBlocked) {
  const ir::LayoutAttr layout = ir::layoutOf(blocked);
  const int64_t dim = layout.getBlockDims()[0], size = layout.getBlockSizes()[0],
                rank = blocked.getRank();
  Values split;  // Sizes of [.., C / c, c, ..].
  SmallVector<int64_t> perm;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t extent = blocked.getDimSize(i);
    split.push_back(b.index(i == dim ? extent / size : extent));
    if (i == dim) split.push_back(b.index(size));
    perm.push_back(i <= dim ? i : i + 1);
  }
  perm.push_back(dim + 1);
  if (toBlocked) return b.transpose(b.reshape(input, split), perm);
  SmallVector<int64_t> inverse(perm.size());
  for (auto [i, from] : llvm::enumerate(perm)) inverse[from] = static_cast<int64_t>(i);
  Values plain;
  for (int64_t i = 0; i < rank; ++i) plain.push_back(b.index(blocked.getDimSize(i)));
  return b.reshape(b.transpose(input, inverse), plain);
}

static bool isOneFullBlock(RankedTensorType type) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  return layout && layout.getOrder().empty() && layout.getBlockDims().size() == 1 &&
         type.getDimSize(layout.getBlockDims()[0]) % layout.getBlockSizes()[0] == 0;
}

Value relayout(KernelBuilder& b, Value input, RankedTensorType from, RankedTensorType to) {
  if (kernelType(from) == kernelType(to) && ir::isPlain(from) && ir::isPlain(to)) return input;
  if (ir::isPlain(from) && isOneFullBlock(to))
    return permuteBlocks(b, input, to, /*toBlocked=*/true);
  if (ir::isPlain(to) && isOneFullBlock(from))
    return permuteBlocks(b, input, from, /*toBlocked=*/false);
  Values sizes;
  for (const int64_t extent : kernelType(to).getShape()) sizes.push_back(b.index(extent));
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
