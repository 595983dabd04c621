// Constants, composites, and conversions of layout.
#include "backends/native/compiler/emit_scalar.h"
#include "backends/native/compiler/lowerings.h"
#include "compiler/ir/constants.h"

namespace tessera::backend_native {

using namespace mlir;

LogicalResult lowerConstant(KernelBuilder& b, Operation* op) {
  auto constant = cast<ir::ConstantOp>(op);
  const std::optional<ir::Blob> blob = ir::constantBytes(op->getResult(0));
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const RankedTensorType memory = kernelType(type);
  if (!blob || static_cast<int64_t>(blob->bytes.size()) != ir::physicalSizeBytes(type))
    return op->emitError("the bytes of this constant are missing");
  DenseElementsAttr value;
  if (memory.getElementType().isInteger(1)) {
    SmallVector<bool> bits;
    for (const std::byte byte : blob->bytes) bits.push_back(byte != std::byte{0});
    value = DenseElementsAttr::get(memory, ArrayRef<bool>(bits));
  } else {
    const ArrayRef<char> raw(reinterpret_cast<const char*>(blob->bytes.data()), blob->bytes.size());
    value = DenseElementsAttr::getFromRawBuffer(memory, raw);
  }
  b.set(constant.getOutput(), b.constant(value));
  return success();
}

LogicalResult lowerComposite(KernelBuilder& b, Operation* op) {
  Block& body = op->getRegion(0).front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands()))
    b.set(argument, b.get(operand));
  if (failed(lowerBlock(b, body))) return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    b.set(result, b.get(value));
  return success();
}

std::optional<std::string> refuseComposite(Operation* op) {
  for (Operation& inner : op->getRegion(0).front().without_terminator()) {
    if (auto reason = whyDeclined(&inner)) return reason;
  }
  return std::nullopt;
}

LogicalResult lowerForward(KernelBuilder& b, Operation* op) {
  b.set(op->getResult(0), b.get(op->getOperand(0)));
  return success();
}

std::optional<std::string> refuseRelayout(Operation* op) {
  for (const Type type : {op->getOperand(0).getType(), op->getResult(0).getType()}) {
    const ir::LayoutAttr layout = ir::layoutOf(cast<RankedTensorType>(type));
    if (!layout || layout.isPlainOrder()) continue;
    if (!cast<RankedTensorType>(type).hasStaticShape()) return "a blocked layout needs a static shape";
  }
  return std::nullopt;
}

/// Indices of the element in memory of type `type` from logical ones, and the reverse. `inside` is null when blocks are full.
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
    logical[dim] = b.add(b.mul(logical[dim], layout.getBlockSizes()[i]), physical[rank + i]);
  return logical;
}

/// Plain [.., C, ..] to or from full blocks: a permutation of [.., C / c, c, ..].
static Value permuteBlocks(KernelBuilder& b, Value input, RankedTensorType blocked, bool toBlocked) {
  const ir::LayoutAttr layout = ir::layoutOf(blocked);
  const int64_t dim = layout.getBlockDims()[0], size = layout.getBlockSizes()[0], rank = blocked.getRank();
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

LogicalResult lowerRelayout(KernelBuilder& b, Operation* op) {
  const auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  const auto to = cast<RankedTensorType>(op->getResult(0).getType());
  const Value input = b.get(op->getOperand(0));
  if (ir::isPlain(from) && ir::isPlain(to)) return lowerForward(b, op);
  if (ir::isPlain(from) && isOneFullBlock(to)) {
    b.set(op->getResult(0), permuteBlocks(b, input, to, /*toBlocked=*/true));
    return success();
  }
  if (ir::isPlain(to) && isOneFullBlock(from)) {
    b.set(op->getResult(0), permuteBlocks(b, input, from, /*toBlocked=*/false));
    return success();
  }
  Values sizes;
  for (const int64_t extent : kernelType(to).getShape()) sizes.push_back(b.index(extent));
  const Type element = kernelElement(to.getElementType());
  b.set(op->getResult(0), b.compute(sizes, element, [&](ValueRange indices) {
          Values logical = logicalIndices(b, to, indices);
          // Padding behind the last element reads the last element and is replaced by zero.
          Value inside;
          for (auto [i, extent] : llvm::enumerate(to.getShape())) {
            if (!ir::layoutOf(to) || !llvm::is_contained(ir::layoutOf(to).getBlockDims(), static_cast<int64_t>(i))) continue;
            const Value fits = b.less(logical[i], b.index(extent));
            inside = inside ? b.both(inside, fits) : fits;
            logical[i] = b.minIndex(logical[i], b.index(extent - 1));
          }
          const Value value = b.load(input, physicalIndices(b, from, logical));
          return inside ? b.select(inside, value, b.scalar(element, 0)) : value;
        }));
  return success();
}

}  // namespace tessera::backend_native
