// Reductions and softmax: the library is fast over the innermost dimensions only, so that others
// are moved there first.
#include <algorithm>

#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

/// For permute_axes: where each dimension goes when `axes` become the last ones, in their order.
static std::vector<int> movingLast(size_t rank, const std::vector<int64_t>& axes) {
  std::vector<int> moving(rank);
  int next = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (std::ranges::count(axes, static_cast<int64_t>(d)) == 0) moving[d] = next++;
  }
  for (const int64_t axis : axes) moving[static_cast<size_t>(axis)] = next++;
  return moving;
}

static std::vector<int> inverse(const std::vector<int>& permutation) {
  std::vector<int> result(permutation.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[static_cast<size_t>(permutation[i])] = static_cast<int>(i);
  return result;
}

/// The operand with its dimensions permuted, row-major in that order.
static Value readPermuted(Builder& builder, int32_t tensor, const std::vector<int>& permutation) {
  const Desc wanted = plainDesc(builder.descOf(tensor).permute_axes(permutation).get_dims());
  Value value = builder.read(tensor, wanted.permute_axes(inverse(permutation)));
  value.desc = wanted;
  return value;
}

Built buildSoftmax(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const std::vector<int64_t>& axes = op.attributes.AsAxes()->axes;
  if (axes.size() != 1) return targetFailed(op.name + ": it has other than one axis");
  const int32_t input = op.inputs.front(), output = op.outputs.front();
  const size_t rank = builder.dimsOf(input).size();
  const std::vector<int> moving = movingLast(rank, axes);
  const Value from = readPermuted(builder, input, moving);
  const auto algorithm =
      op.name == "softmax" ? dnnl::algorithm::softmax_accurate : dnnl::algorithm::softmax_log;
  const dnnl::softmax_forward::primitive_desc description(
      builder.engine(), dnnl::prop_kind::forward_inference, algorithm, from.desc, from.desc,
      static_cast<int>(rank) - 1, Builder::attributes());
  const bool isInPlace = builder.dies(input) && from.place == builder.value(input).place;
  const Desc seen = from.desc.permute_axes(inverse(moving));
  Value to = from;
  if (isInPlace) {
    builder.defineOver(output, {.desc = seen, .place = from.place});
  } else {
    to = builder.define(output, seen);
    to.desc = from.desc;
  }
  builder.add(dnnl::softmax_forward(description), description,
              {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
  return true;
}

static dnnl::algorithm reductionOf(const OperatorT& op) {
  if (op.name == "reduce_mean") return dnnl::algorithm::reduction_mean;
  return dnnl::algorithm::reduction_sum;
}

Built buildReduction(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const std::vector<int64_t>& axes = op.attributes.AsAxes()->axes;
  const int32_t input = op.inputs.front(), output = op.outputs.front();
  if (axes.empty()) {
    builder.alias(output, builder.readAs(input, builder.dimsOf(output)));
    return true;
  }
  const Value from = readPermuted(builder, input, movingLast(builder.dimsOf(input).size(), axes));
  // One dimension stands for all that are kept, one for all that go.
  int64_t kept = 1, gone = 1;
  const Dims dims = from.desc.get_dims();
  for (size_t d = 0; d < dims.size(); ++d) (d + axes.size() < dims.size() ? kept : gone) *= dims[d];
  Value matrix = from;
  matrix.desc = plainDesc({kept, gone});
  if (gone == 1) {
    matrix.desc = plainDesc(builder.dimsOf(output));
    builder.alias(output, matrix);
    return true;
  }
  const dnnl::reduction::primitive_desc description(builder.engine(), reductionOf(op), matrix.desc,
                                                    plainDesc({kept, 1}), 0, 0,
                                                    Builder::attributes(), /*allow_empty=*/true);
  if (!description) return false;
  const Value to = builder.define(output, plainDesc({kept, 1}));
  builder.add(dnnl::reduction(description), description,
              {{DNNL_ARG_SRC, matrix}, {DNNL_ARG_DST, to}});
  return true;
}

}  // namespace tessera::backend_onednn
