#include <algorithm>

#include "region_graph/validate.h"

namespace tessera::region_graph {

/// Sizes in attributes stay in what libraries count with.
static constexpr int64_t kMost = int64_t{1} << 31;

static bool areWithin(const std::vector<int64_t>& list, size_t length, int64_t least) {
  return list.size() == length &&
         std::ranges::all_of(list, [&](int64_t entry) { return entry >= least && entry < kMost; });
}

static bool isSound(const WindowT& window, size_t rank) {
  if (rank < 3) return false;
  const size_t spatial = rank - 2;
  return areWithin(window.kernel, spatial, 1) && areWithin(window.strides, spatial, 1) &&
         areWithin(window.dilations, spatial, 1) && areWithin(window.pads_begin, spatial, -kMost) &&
         areWithin(window.pads_end, spatial, -kMost) && window.group >= 1 && window.group < kMost;
}

static bool isSound(const AxesT& axes, size_t rank) {
  std::vector<int64_t> sorted = axes.axes;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() &&
         (sorted.empty() || (sorted.front() >= 0 && sorted.back() < static_cast<int64_t>(rank)));
}

static bool isSound(const SliceT& slice, const TensorT& from, const TensorT& to) {
  const size_t rank = from.dims.size();
  if (!areWithin(slice.starts, rank, 0) || !areWithin(slice.steps, rank, -kMost) ||
      to.dims.size() != rank)
    return false;
  for (size_t d = 0; d < rank; ++d) {
    if (from.dims[d] < 0 || to.dims[d] < 0 || to.dims[d] > from.dims[d] || slice.steps[d] == 0)
      return false;
    if (to.dims[d] == 0) continue;
    int64_t last = 0;
    if (__builtin_mul_overflow(to.dims[d] - 1, slice.steps[d], &last)) return false;
    last += slice.starts[d];
    if (slice.starts[d] >= from.dims[d] || last < 0 || last >= from.dims[d]) return false;
  }
  return true;
}

static bool isSound(const OperatorT& op, const TensorT& from, const TensorT& to) {
  const size_t rank = from.dims.size();
  switch (op.attributes.type) {
    case Attributes_NONE:
    case Attributes_Scalars:
    case Attributes_Product:
      return true;
    case Attributes_Window:
      return isSound(*op.attributes.AsWindow(), rank);
    case Attributes_Axes:
      return isSound(*op.attributes.AsAxes(), rank);
    case Attributes_Norm:
      return op.attributes.AsNorm()->axis >= 0 &&
             op.attributes.AsNorm()->axis < static_cast<int64_t>(rank);
    case Attributes_LocalNorm:
      return op.attributes.AsLocalNorm()->size >= 1 && op.attributes.AsLocalNorm()->size < kMost;
    case Attributes_Resample:
      return op.attributes.AsResample()->filter <= Filter_MAX;
    case Attributes_Slice:
      return isSound(*op.attributes.AsSlice(), from, to);
    case Attributes_Recurrent:
      return op.attributes.AsRecurrent()->direction <= Direction_MAX &&
             op.attributes.AsRecurrent()->hidden_size >= 1 &&
             op.attributes.AsRecurrent()->hidden_size < kMost;
  }
  return false;
}

Status validateAttributes(const GraphT& graph, const OperatorT& op) {
  const auto output =
      std::ranges::find_if(op.outputs, [](int32_t index) { return index != kAbsent; });
  const TensorT& from = *graph.tensors[static_cast<size_t>(op.inputs.front())];
  const TensorT& to = *graph.tensors[static_cast<size_t>(*output)];
  if (isSound(op, from, to)) return {};
  return invalidInput("region graph '" + graph.name + "': attributes of " + op.name +
                      " do not fit its operands");
}

}  // namespace tessera::region_graph
