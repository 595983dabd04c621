#include "compiler/ir/host_views.h"

#include <algorithm>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/slice.h"
#include "compiler/ir/types.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace tessera::ir {

using namespace mlir;

bool isRename(Operation* op) {
  if (!isa<ReshapeOp, SqueezeOp, UnsqueezeOp, FlattenOp, IdentityOp>(op)) return false;
  const auto isStaticInRows = [](RankedTensorType type) {
    const LayoutAttr layout = type ? layoutOf(type) : LayoutAttr();
    return type && type.hasStaticShape() && (!layout || layout.isPlainOrder());
  };
  const auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  const auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return isStaticInRows(from) && isStaticInRows(to) && spaceOf(from) == spaceOf(to);
}

Value placeableValue(Value part, llvm::function_ref<bool(Operation*)> willBeInRegion) {
  Operation* producer = part.getDefiningOp();
  while (producer && isRename(producer) && !willBeInRegion(producer)) {
    part = producer->getOperand(0);
    producer = part.getDefiningOp();
  }
  const bool isComputed =
      producer != nullptr && (isa<CallOpInterface, ConcatOp>(producer) || willBeInRegion(producer));
  const auto isReturn = [](Operation* user) { return user->hasTrait<OpTrait::IsTerminator>(); };
  return isComputed && llvm::none_of(part.getUsers(), isReturn) ? part : Value();
}

namespace {

/// A tensor cut along one logical dimension.
struct Cut {
  RankedTensorType whole;
  int64_t axis = 0;
  int64_t start = 0;  ///< Of the first part.
  SmallVector<RankedTensorType> parts;
};

}  // namespace

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The one dimension that a slice with step 1 shortens.
static std::optional<Cut> cutOfSlice(SliceOp op) {
  const RankedTensorType whole = tensorType(op.getData()), part = tensorType(op.getOutput());
  const auto starts = constantInts(op.getStarts());
  const auto axes = spec::constantAxes(op.getAxes(), whole.getRank());
  const auto steps = constantInts(op.getSteps());
  if (!starts || (op.getAxes() && !axes) || (op.getSteps() && !steps)) return std::nullopt;
  if (steps && llvm::any_of(*steps, [](int64_t step) { return step != 1; })) return std::nullopt;
  std::optional<Cut> cut;
  for (auto [i, start] : llvm::enumerate(*starts)) {
    const int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    const int64_t size = whole.getDimSize(axis);
    if (part.getDimSize(axis) == size) continue;
    if (cut) return std::nullopt;
    cut = {
        .whole = whole, .axis = axis, .start = spec::clampedPosition(start, size), .parts = {part}};
  }
  return cut;
}

static std::optional<Cut> cutOf(Operation* op) {
  const auto isStatic = [](Type type) {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0;
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return std::nullopt;
  if (auto slice = dyn_cast<SliceOp>(op)) return cutOfSlice(slice);
  Cut cut;
  if (auto split = dyn_cast<SplitOp>(op)) {
    cut.whole = tensorType(split.getInput());
    cut.axis = split.getAxisNormalized();
    for (const Value part : split.getOutputs()) cut.parts.push_back(tensorType(part));
  } else if (auto concat = dyn_cast<ConcatOp>(op)) {
    cut.whole = tensorType(concat.getResult());
    cut.axis = concat.getAxisNormalized();
    for (const Value part : concat.getInputs()) cut.parts.push_back(tensorType(part));
  } else {
    return std::nullopt;
  }
  return cut;
}

/// Number of elements of dimension `axis` that lie interleaved with inner dimensions.
static int64_t blockSize(RankedTensorType type, int64_t axis) {
  int64_t size = 1;
  if (const LayoutAttr layout = layoutOf(type)) {
    for (auto [dim, block] : llvm::zip_equal(layout.getBlockDims(), layout.getBlockSizes()))
      if (dim == axis) size *= block;
  }
  return size;
}

/// All physical dimensions outside `axis` are 1.
static bool isOutermost(RankedTensorType type, int64_t axis) {
  const LayoutAttr layout = layoutOf(type);
  int64_t place = axis;
  if (layout && !layout.getOrder().empty())
    place = std::distance(layout.getOrder().begin(), llvm::find(layout.getOrder(), axis));
  return llvm::all_of(physicalType(type).getShape().take_front(place),
                      [](int64_t size) { return size == 1; });
}

std::optional<SmallVector<int64_t>> contiguousParts(Operation* op) {
  const std::optional<Cut> cut = cutOf(op);
  if (!cut || !isOutermost(cut->whole, cut->axis)) return std::nullopt;
  const int64_t block = blockSize(cut->whole, cut->axis);
  const int64_t end = cut->whole.getDimSize(cut->axis);
  SmallVector<int64_t> offsets, shape(cut->whole.getShape());
  int64_t at = cut->start;
  for (const RankedTensorType part : cut->parts) {
    const int64_t next = at + part.getDimSize(cut->axis);
    if (!isSameLayout(part, cut->whole) || at % block != 0 || (next % block != 0 && next != end))
      return std::nullopt;
    shape[cut->axis] = at;
    offsets.push_back(physicalSizeBytes(
        RankedTensorType::get(shape, cut->whole.getElementType(), cut->whole.getEncoding())));
    at = next;
  }
  return offsets;
}

}  // namespace tessera::ir
