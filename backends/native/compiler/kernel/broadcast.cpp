#include "backends/native/compiler/kernel/broadcast.h"

#include "compiler/support/check.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// How an operand is read: by an affine map of the loops, or, when some size may be 1 or not, by
/// computed indices.
struct Access {
  SmallVector<int64_t> loops;  ///< Loop of each physical dimension; -1: index 0.
  SmallVector<bool> isOpen;    ///< Index 0 where the size turns out to be 1.
  bool isAffine() const { return !llvm::is_contained(isOpen, true); }
};

}  // namespace

static bool isSize(Value size, int64_t value) { return getConstantIntValue(size) == value; }

Values broadcastSizes(KernelBuilder& b, ArrayRef<Values> shapes) {
  size_t rank = 0;
  for (const Values& shape : shapes) rank = std::max(rank, shape.size());
  Values result(rank, b.index(1));
  for (const Values& shape : shapes) {
    for (auto [i, size] : llvm::enumerate(shape)) {
      Value& sum = result[i + rank - shape.size()];
      if (isSize(size, 1) || size == sum) continue;
      const bool decides = isSize(sum, 1) || getConstantIntValue(size).has_value();
      if (!decides && getConstantIntValue(sum)) continue;
      sum = decides ? size : select(b.term(sum) == 1, b.term(size), sum);
    }
  }
  return result;
}

void requireBroadcast(KernelBuilder& b, ValueRange shape, ValueRange sizes, size_t operand) {
  for (auto [i, size] : llvm::enumerate(shape))
    b.requireOneOr(size, sizes[i + sizes.size() - shape.size()],
                   "dimension " + Twine(i) + " of operand " + Twine(operand));
}

static Access accessOf(KernelBuilder& b, const BroadcastOperand& operand, size_t resultRank,
                       ValueRange resultSizes) {
  Access access;
  const ir::LayoutAttr layout = ir::layoutOf(operand.type);
  const auto rank = static_cast<size_t>(operand.type.getRank());
  const Values sizes = b.sizes(operand.tensor);
  for (size_t i = 0; i < rank; ++i) {
    const size_t loop = i + resultRank - rank;
    const bool isSame = b.isSameSize(sizes[i], resultSizes[loop]);
    const bool isOne = isSize(sizes[i], 1) && !isSame;
    access.loops.push_back(isOne ? -1 : static_cast<int64_t>(loop));
    access.isOpen.push_back(!isSame && !getConstantIntValue(sizes[i]));
  }
  if (layout) {
    for (size_t k = 0; k < layout.getBlockDims().size(); ++k) {
      access.loops.push_back(static_cast<int64_t>(resultRank + k));
      access.isOpen.push_back(false);
    }
  }
  return access;
}

Value openPosition(KernelBuilder& b, Value position, Value size) {
  // Not a test: LLVM would make two loop nests of each, and 2^n of n of them.
  return b.term(position) * smaller(b.term(size) - 1, 1);
}

static Element readOpen(KernelBuilder& b, Value tensor, const Access& access, unsigned numLoops) {
  const Values sizes = b.sizes(tensor);
  Values indices;
  for (auto [i, loop] : llvm::enumerate(access.loops)) {
    Value position =
        loop < 0 ? b.index(0) : Value(b.create<linalg::IndexOp>(static_cast<uint64_t>(loop)));
    // Of the innermost loop LLVM may make two, so that each can use vectors.
    const bool isInnermost = loop + 1 == static_cast<int64_t>(numLoops);
    if (access.isOpen[i] && isInnermost)
      position = select(b.term(sizes[i]) == 1, b.term(0), position);
    else if (access.isOpen[i])
      position = openPosition(b, position, sizes[i]);
    indices.push_back(position);
  }
  return b.load(tensor, indices);
}

Value broadcast(KernelBuilder& b, ArrayRef<BroadcastOperand> operands, RankedTensorType resultType,
                Type element, ElementBody body, ValueRange givenSizes) {
  const RankedTensorType physical = ir::physicalType(resultType);
  const auto resultRank = static_cast<size_t>(resultType.getRank());
  Values sizes(givenSizes);
  if (!sizes.empty()) {
    TESSERA_CHECK(sizes.size() == resultRank, "sizes of the wrong rank");
  } else if (physical.hasStaticShape()) {
    for (const int64_t extent : physical.getShape()) sizes.push_back(b.index(extent));
  } else if (!ir::isPlain(resultType)) {
    // Blocks of channels: the number of images alone is open.
    SmallVector<Values> images;
    for (const BroadcastOperand& operand : operands) {
      if (operand.type.getRank() == resultType.getRank())
        images.push_back({b.size(operand.tensor, 0)});
    }
    sizes = broadcastSizes(b, images);
    for (const int64_t extent : physical.getShape().drop_front()) sizes.push_back(b.index(extent));
  } else {
    SmallVector<Values> shapes;
    for (const BroadcastOperand& operand : operands) shapes.push_back(b.sizes(operand.tensor));
    sizes = broadcastSizes(b, shapes);
    for (auto [i, size, extent] : llvm::enumerate(sizes, physical.getShape()))
      size = b.declaredOr(size, extent, "dimension " + Twine(i) + " of the result");
  }
  const auto numLoops = static_cast<unsigned>(sizes.size());
  SmallVector<Access> accesses;
  Values inputs;
  Maps maps;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    const auto rank = static_cast<size_t>(operand.type.getRank());
    const Values own = b.sizes(operand.tensor);  // Behind them, those inside blocks.
    requireBroadcast(b, ArrayRef(own).take_front(rank), ValueRange(sizes).take_front(resultRank),
                     number);
    accesses.push_back(accessOf(b, operand, resultRank, sizes));
    if (!accesses.back().isAffine()) continue;
    inputs.push_back(operand.tensor);
    maps.push_back(loopMap(b, numLoops, accesses.back().loops));
  }
  maps.push_back(identityMap(b, numLoops));
  return b.generic(
      inputs, maps, b.empty(element, sizes), parallelLoops(numLoops), [&](Elements elements) {
        SmallVector<Element> arguments;
        size_t next = 0;
        for (auto [operand, access] : llvm::zip_equal(operands, accesses))
          arguments.push_back(access.isAffine() ? elements[next++]
                                                : readOpen(b, operand.tensor, access, numLoops));
        return body(arguments);
      });
}

BroadcastOperand alongAxis(KernelBuilder& b, Value vector, RankedTensorType like, int64_t axis) {
  const ir::LayoutAttr layout = ir::layoutOf(like);
  SmallVector<int64_t> shape(like.getRank() - axis, 1);
  shape[0] = like.getDimSize(axis);
  if (layout && !layout.isPlainOrder()) {
    // Blocked along the axis: [C / c, 1, ..., 1, c], the rest of the last block zero.
    const int64_t block = layout.getBlockSizes()[0];
    SmallVector<int64_t> full(like.getRank(), 1);
    full[axis] = like.getDimSize(axis);
    const auto type = ir::withBlocks(RankedTensorType::get(full, like.getElementType()),
                                     layout.getBlockDims(), layout.getBlockSizes());
    const RankedTensorType physical = ir::physicalType(type);
    Values sizes;
    for (const int64_t extent : physical.getShape()) sizes.push_back(b.index(extent));
    if (shape[0] % block == 0) return {.tensor = b.reshape(vector, sizes), .type = type};
    const Value zero = b.scalar(typeOf(vector).getElementType(), 0);
    const Value padded = b.insert(
        vector, b.filled(zero, b.index((shape[0] + block - 1) / block * block)), b.index(0));
    return {.tensor = b.reshape(padded, sizes), .type = type};
  }
  Values sizes(shape.size(), b.index(1));
  sizes[0] = b.size(vector, 0);
  return {.tensor = b.reshape(vector, sizes),
          .type = RankedTensorType::get(shape, like.getElementType())};
}

}  // namespace tessera::backend_native
