// Layer and batch normalisation, PReLU.
#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

using region_graph::kAbsent;

Built buildLayerNorm(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const auto& norm = *op.attributes.AsNorm();
  const Dims dims = builder.dimsOf(op.inputs[0]);
  Dims lines = {1, 1};
  for (size_t d = 0; d < dims.size(); ++d)
    lines[static_cast<int64_t>(d) < norm.axis ? 0 : 1] *= dims[d];
  const bool hasShift = op.inputs.size() > 2 && op.inputs[2] != kAbsent;
  auto flags = dnnl::normalization_flags::use_scale;
  if (hasShift) flags |= dnnl::normalization_flags::use_shift;
  const Value from = builder.readAs(op.inputs[0], lines);
  const dnnl::layer_normalization_forward::primitive_desc description(
      builder.engine(), dnnl::prop_kind::forward_inference, from.desc, from.desc, norm.epsilon,
      flags, Builder::attributes());
  std::vector<std::pair<int, Value>> arguments = {
      {DNNL_ARG_SRC, from}, {DNNL_ARG_SCALE, builder.readAs(op.inputs[1], {lines[1]})}};
  if (hasShift) arguments.emplace_back(DNNL_ARG_SHIFT, builder.readAs(op.inputs[2], {lines[1]}));
  arguments.emplace_back(DNNL_ARG_DST, builder.define(op.outputs.front(), from.desc));
  builder.add(dnnl::layer_normalization_forward(description), description, arguments);
  return true;
}

Built buildBatchNorm(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const Value from = builder.readDense(op.inputs[0]);
  const auto flags = dnnl::normalization_flags::use_global_stats |
                     dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const dnnl::batch_normalization_forward::primitive_desc description(
      builder.engine(), dnnl::prop_kind::forward_inference, from.desc, from.desc,
      op.attributes.AsNorm()->epsilon, flags, Builder::attributes());
  const auto parameter = [&](size_t input) {
    return builder.read(op.inputs[input], plainDesc(builder.dimsOf(op.inputs[input])));
  };
  builder.add(dnnl::batch_normalization_forward(description), description,
              {{DNNL_ARG_SRC, from},
               {DNNL_ARG_SCALE, parameter(1)},
               {DNNL_ARG_SHIFT, parameter(2)},
               {DNNL_ARG_MEAN, parameter(3)},
               {DNNL_ARG_VARIANCE, parameter(4)},
               {DNNL_ARG_DST, builder.define(op.outputs.front(), from.desc)}});
  return true;
}

Built buildPrelu(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const Dims dims = builder.dimsOf(op.inputs[0]);
  Dims slopes = builder.dimsOf(op.inputs[1]);
  while (slopes.size() > dims.size() && slopes.front() == 1) slopes.erase(slopes.begin());
  slopes.insert(slopes.begin(), dims.size() - slopes.size(), 1);
  const Value from = builder.readDense(op.inputs[0]);
  const dnnl::prelu_forward::primitive_desc description(
      builder.engine(), dnnl::prop_kind::forward_inference, from.desc, anyDesc(slopes), from.desc,
      Builder::attributes());
  builder.add(dnnl::prelu_forward(description), description,
              {{DNNL_ARG_SRC, from},
               {DNNL_ARG_WEIGHTS,
                builder.readWeights(op.inputs[1], plainDesc(slopes), description.weights_desc())},
               {DNNL_ARG_DST, builder.define(op.outputs.front(), from.desc)}});
  return true;
}

}  // namespace tessera::backend_onednn
