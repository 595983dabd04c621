#include "backends/native/compiler/contraction/strided_view.h"

#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/slice.h"
#include "compiler/ir/types.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::backend_native {

using namespace mlir;

StridedView viewOf(Value value) {
  const RankedTensorType type = typeOf(value);
  StridedView view{.source = value, .dims = SmallVector<ViewDim>(type.getRank())};
  int64_t factor = 1;
  SmallVector<int64_t> openDims;
  for (int64_t d = type.getRank(); d-- > 0;) {
    const int64_t size = type.getDimSize(d);
    view.dims[d] = {.size = size, .factor = factor, .openDims = openDims};
    if (!ShapedType::isDynamic(size)) {
      factor *= size;
      continue;
    }
    view.dims[d].openSize = d;
    openDims.push_back(d);
  }
  return view;
}

static std::optional<StridedView> throughTranspose(ir::TransposeOp op, const StridedView& view) {
  StridedView result = view;
  const auto rank = static_cast<int64_t>(view.dims.size());
  const auto perm = op.getPerm();
  for (int64_t d = 0; d < rank; ++d) result.dims[d] = view.dims[perm ? (*perm)[d] : rank - 1 - d];
  return result;
}

/// The part of `axis` from `start` on that has the size of `part`.
static std::optional<StridedView> cut(const StridedView& view, int64_t axis, int64_t start,
                                      RankedTensorType part) {
  StridedView result = view;
  ViewDim& dim = result.dims[axis];
  if (part.isDynamicDim(axis) || ShapedType::isDynamic(dim.size)) return std::nullopt;
  if (start != 0 && !dim.stride()) return std::nullopt;
  result.offset += start * dim.stride().value_or(0);
  dim.size = part.getDimSize(axis);
  return result;
}

static std::optional<StridedView> throughSplit(ir::SplitOp op, unsigned number,
                                               const StridedView& view) {
  const int64_t axis = op.getAxisNormalized();
  int64_t start = 0;
  for (unsigned i = 0; i < number; ++i) {
    const int64_t size = typeOf(op->getResult(i)).getDimSize(axis);
    if (ShapedType::isDynamic(size)) return std::nullopt;
    start += size;
  }
  return cut(view, axis, start, typeOf(op->getResult(number)));
}

static std::optional<StridedView> throughSlice(ir::SliceOp op, const StridedView& view) {
  const auto rank = static_cast<int64_t>(view.dims.size());
  const auto starts = ir::constantInts(op.getStarts());
  const auto axes = op.getAxes() ? ir::spec::constantAxes(op.getAxes(), rank)
                                 : std::optional(ir::spec::allAxes(rank));
  const auto steps =
      op.getSteps() ? ir::constantInts(op.getSteps()) : std::optional(SmallVector<int64_t>());
  if (!starts || !axes || !steps || axes->size() < starts->size()) return std::nullopt;
  if (llvm::any_of(*steps, [](int64_t step) { return step != 1; })) return std::nullopt;
  StridedView result = view;
  for (auto [i, start] : llvm::enumerate(*starts)) {
    const int64_t axis = (*axes)[i], size = view.dims[axis].size;
    if (ShapedType::isDynamic(size)) return std::nullopt;
    const auto part =
        cut(result, axis, ir::spec::clampedPosition(start, size), typeOf(op.getResult()));
    if (!part) return std::nullopt;
    result = *part;
  }
  return result;
}

/// One entry of a dimension, which goes.
static std::optional<StridedView> throughGather(ir::GatherOp op, const StridedView& view) {
  const int64_t axis = op.getAxisNormalized();
  const auto index = ir::constantInts(op.getIndices());
  const ViewDim& dim = view.dims[axis];
  if (!index || typeOf(op.getIndices()).getRank() != 0 || ShapedType::isDynamic(dim.size))
    return std::nullopt;
  const int64_t entry = (*index)[0] < 0 ? (*index)[0] + dim.size : (*index)[0];
  if (entry < 0 || entry >= dim.size || !dim.stride()) return std::nullopt;
  StridedView result = view;
  result.offset += entry * *dim.stride();
  result.dims.erase(result.dims.begin() + axis);
  return result;
}

static std::optional<StridedView> throughExpand(ir::ExpandOp op, const StridedView& view) {
  const RankedTensorType type = typeOf(op.getResult());
  StridedView result = view;
  result.dims.insert(result.dims.begin(), type.getRank() - view.dims.size(), ViewDim());
  for (auto [dim, size] : llvm::zip_equal(result.dims, type.getShape())) {
    if (dim.size == size && !ShapedType::isDynamic(size)) continue;
    if (dim.size != 1 || ShapedType::isDynamic(size)) return std::nullopt;
    dim = {.size = size};
  }
  return result;
}

/// The one dimension that neighbours are when each steps over all of the next.
static std::optional<ViewDim> joined(ArrayRef<ViewDim> dims) {
  ViewDim result = dims.back();
  for (const ViewDim& outer : llvm::reverse(dims.drop_back())) {
    if (outer.factor != result.size * result.factor || outer.openDims != result.openDims)
      return std::nullopt;
    result.size *= outer.size;
  }
  return result;
}

/// Dimensions that keep their size, 1s that come and go, and known ones that are taken apart or put
/// together.
static std::optional<StridedView> throughReshape(Operation* op, const StridedView& view) {
  const RankedTensorType from = typeOf(op->getOperand(0)), to = typeOf(op->getResult(0));
  if (llvm::is_contained(to.getShape(), 0)) return std::nullopt;
  StridedView result{.source = view.source, .offset = view.offset, .dims = {}};
  const auto rank = static_cast<int64_t>(view.dims.size());
  int64_t i = 0, j = 0;
  while (i < rank || j < to.getRank()) {
    if (j < to.getRank() && to.getDimSize(j) == 1) {
      result.dims.push_back({.size = 1});
      ++j;
    } else if (i < rank && view.dims[i].size == 1) {
      ++i;
    } else if (i == rank || j == to.getRank()) {
      return std::nullopt;
    } else if (ir::isEqualSize(from, i, to, j)) {
      result.dims.push_back(view.dims[i++]);
      ++j;
    } else if (from.isDynamicDim(i) || to.isDynamicDim(j)) {
      return std::nullopt;
    } else {
      // As many on both sides as make the same number of elements.
      int64_t before = from.getDimSize(i), after = to.getDimSize(j), lastBefore = i, lastAfter = j;
      while (before != after) {
        int64_t& last = before < after ? lastBefore : lastAfter;
        const RankedTensorType side = before < after ? from : to;
        if (++last == side.getRank() || side.isDynamicDim(last)) return std::nullopt;
        (before < after ? before : after) *= side.getDimSize(last);
      }
      const auto whole = joined(ArrayRef(view.dims).slice(i, lastBefore - i + 1));
      if (!whole) return std::nullopt;
      int64_t inner = whole->size;
      for (; j <= lastAfter; ++j) {
        inner /= to.getDimSize(j);
        result.dims.push_back({.size = to.getDimSize(j),
                               .factor = whole->factor * inner,
                               .openDims = whole->openDims});
      }
      i = lastBefore + 1;
    }
  }
  return result;
}

std::optional<StridedView> viewThrough(Operation* op, unsigned number, const StridedView& operand) {
  return llvm::TypeSwitch<Operation*, std::optional<StridedView>>(op)
      .Case([&](ir::TransposeOp transpose) { return throughTranspose(transpose, operand); })
      .Case([&](ir::SplitOp split) { return throughSplit(split, number, operand); })
      .Case([&](ir::SliceOp slice) { return throughSlice(slice, operand); })
      .Case([&](ir::GatherOp gather) { return throughGather(gather, operand); })
      .Case([&](ir::ExpandOp expand) { return throughExpand(expand, operand); })
      .Case([&](ir::ReshapeOp reshape) { return throughReshape(reshape, operand); })
      .Default([](Operation*) { return std::nullopt; });
}

}  // namespace tessera::backend_native
