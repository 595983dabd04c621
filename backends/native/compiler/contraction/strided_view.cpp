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

SmallVector<ViewDim> padded(ArrayRef<ViewDim> dims, size_t rank) {
  SmallVector<ViewDim> result(rank - dims.size());
  result.append(dims.begin(), dims.end());
  return result;
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
  if (dim.size == part.getDimSize(axis)) return result;
  if (!dim.parts.empty() || (start != 0 && !dim.stride())) return std::nullopt;
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
  const RankedTensorType from = typeOf(op.getInput()), to = typeOf(op.getResult());
  const int64_t missing = to.getRank() - from.getRank();
  if (missing < 0) return std::nullopt;
  StridedView result = view;
  result.dims = padded(view.dims, to.getRank());
  for (auto [d, dim] : llvm::enumerate(result.dims)) {
    const auto axis = static_cast<int64_t>(d);
    if (axis >= missing && ir::isEqualSize(from, axis - missing, to, axis)) continue;
    if (dim.size != 1 || to.isDynamicDim(axis)) return std::nullopt;
    dim = {.size = to.getDimSize(axis)};
  }
  return result;
}

/// What a dimension of known size consists of.
static SmallVector<ViewDim> partsOf(const ViewDim& dim) {
  if (dim.size == 1) return {};
  if (dim.parts.empty()) return {dim};
  return llvm::to_vector(dim.parts);
}

/// The one dimension that neighbours of known sizes are.
static ViewDim joined(ArrayRef<ViewDim> dims) {
  SmallVector<ViewDim> parts;
  int64_t size = 1;
  for (const ViewDim& dim : dims) {
    size *= dim.size;
    for (const ViewDim& part : partsOf(dim)) {
      const bool stepsOver = !parts.empty() && parts.back().factor == part.size * part.factor &&
                             parts.back().openDims == part.openDims;
      const int64_t outer = stepsOver ? parts.pop_back_val().size : 1;
      parts.push_back(part);
      parts.back().size *= outer;
    }
  }
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts[0];
  return {.size = size, .parts = {parts.begin(), parts.end()}};
}

/// The reverse: neighbours of these sizes, of which the whole has as many entries.
static std::optional<SmallVector<ViewDim>> takenApart(const ViewDim& whole,
                                                      ArrayRef<int64_t> sizes) {
  SmallVector<ViewDim> left = partsOf(whole), result(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    SmallVector<ViewDim> taken;
    for (int64_t size = sizes[i]; size > 1;) {
      ViewDim part = left.pop_back_val();
      const int64_t common = std::min(size, part.size);
      if (size % common != 0 || part.size % common != 0) return std::nullopt;
      if (part.size > common) {
        left.push_back(part);
        left.back().size /= common;
        left.back().factor *= common;
      }
      part.size = common;
      taken.insert(taken.begin(), part);
      size /= common;
    }
    result[i] = joined(taken);
  }
  return result;
}

/// The numbers of dimensions from `i` and `j` on that make the same known number of elements.
static std::optional<std::pair<int64_t, int64_t>> equalParts(ArrayRef<int64_t> from,
                                                             ArrayRef<int64_t> to) {
  size_t i = 0, j = 0;
  int64_t before = from[i++], after = to[j++];
  while (before != after) {
    size_t& next = before < after ? i : j;
    const ArrayRef<int64_t> sizes = before < after ? from : to;
    if (next == sizes.size() || ShapedType::isDynamic(sizes[next])) return std::nullopt;
    (before < after ? before : after) *= sizes[next++];
  }
  return std::pair(i, j);
}

// Dimensions that keep their size, 1s that come and go, and known ones that are taken apart or put
// together.
std::optional<SmallVector<ViewDim>> reshaped(ArrayRef<ViewDim> dims, RankedTensorType from,
                                             RankedTensorType to, int64_t numKept) {
  const ArrayRef<int64_t> before = from.getShape().drop_back(numKept),
                          after = to.getShape().drop_back(numKept);
  if (llvm::is_contained(after, 0)) return std::nullopt;
  SmallVector<ViewDim> result;
  size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (j < after.size() && after[j] == 1) {
      result.emplace_back();
      ++j;
    } else if (i < before.size() && before[i] == 1) {
      if (dims[i++].size != 1) return std::nullopt;
    } else if (i == before.size() || j == after.size()) {
      return std::nullopt;
    } else if (ir::isEqualSize(from, i, to, j)) {
      result.push_back(dims[i++]);
      ++j;
    } else if (from.isDynamicDim(i) || to.isDynamicDim(j)) {
      return std::nullopt;
    } else {
      const auto counts = equalParts(before.drop_front(i), after.drop_front(j));
      if (!counts) return std::nullopt;
      const auto [numBefore, numAfter] = *counts;
      SmallVector<ViewDim> whole;
      for (size_t d = i; d < i + numBefore; ++d) {
        const bool isBroadcast = dims[d].size == 1;
        if (!isBroadcast && dims[d].size != before[d]) return std::nullopt;
        whole.push_back(isBroadcast ? ViewDim{.size = before[d]} : dims[d]);
      }
      const auto apart = takenApart(joined(whole), after.slice(j, numAfter));
      if (!apart) return std::nullopt;
      result.append(*apart);
      i += numBefore;
      j += numAfter;
    }
  }
  return result;
}

static std::optional<StridedView> throughReshape(ir::ReshapeOp op, const StridedView& view) {
  auto dims = reshaped(view.dims, typeOf(op.getData()), typeOf(op.getResult()));
  if (!dims) return std::nullopt;
  return StridedView{.source = view.source, .offset = view.offset, .dims = std::move(*dims)};
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

/// Sizes from which all of `dims` can be put together; none where there are no such.
static SmallVector<int64_t> commonSizes(ArrayRef<const ViewDim*> dims) {
  if (!llvm::all_equal(llvm::map_range(dims, [](const ViewDim* dim) { return dim->size; })) ||
      ShapedType::isDynamic(dims[0]->size))
    return {};
  // The numbers of entries behind each border between parts.
  SmallVector<int64_t> borders;
  for (const ViewDim* dim : dims) {
    int64_t behind = 1;
    const SmallVector<ViewDim> parts = partsOf(*dim);
    for (const ViewDim& part : llvm::reverse(parts)) borders.push_back(behind *= part.size);
  }
  llvm::sort(borders);
  borders.erase(llvm::unique(borders), borders.end());
  SmallVector<int64_t> sizes;
  int64_t behind = 1;
  for (const int64_t border : borders) {
    if (border % behind != 0) return {};
    sizes.insert(sizes.begin(), border / behind);
    behind = border;
  }
  return sizes;
}

bool splitBatches(ArrayRef<StridedView*> views) {
  size_t rank = 0;
  for (const StridedView* view : views) rank = std::max(rank, view->dims.size());
  // From the first dimension on, so that those behind keep their places counted from the last.
  for (size_t place = rank; place > 2; --place) {
    SmallVector<StridedView*> there;
    SmallVector<const ViewDim*> dims;
    for (StridedView* view : views) {
      if (view->dims.size() < place) continue;
      there.push_back(view);
      const ViewDim& dim = view->dims[view->dims.size() - place];
      if (dim.size != 1) dims.push_back(&dim);
    }
    if (llvm::all_of(dims, [](const ViewDim* dim) { return dim->parts.empty(); })) continue;
    const SmallVector<int64_t> sizes = commonSizes(dims);
    if (sizes.empty()) return false;
    for (StridedView* view : there) {
      ViewDim* const dim = view->dims.end() - place;
      SmallVector<ViewDim> apart(sizes.size());
      if (dim->size != 1) {
        const auto parts = takenApart(*dim, sizes);
        if (!parts) return false;
        apart = *parts;
      }
      *dim = apart.back();
      view->dims.insert(dim, apart.begin(), apart.end() - 1);
    }
  }
  return true;
}

}  // namespace tessera::backend_native
