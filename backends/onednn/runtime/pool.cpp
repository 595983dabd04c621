// Pools, resampling, normalisation across channels: in the form in which the operand lies.
#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

using region_graph::WindowT;

/// Makes a primitive from the operand's own form, or row-major where the library is slow otherwise.
template <typename Make>
static auto describeFast(Builder& builder, int32_t input, Value& from, const Make& make) {
  from = builder.readDense(input);
  auto description = make(from.desc);
  if (description && isFast(description)) return description;
  const Desc plain = plainDesc(builder.dimsOf(input));
  auto other = make(plain);
  if (other && (isFast(other) || !description)) {
    from = builder.read(input, plain);
    return other;
  }
  return description;
}

template <typename Primitive, typename Description>
static Built addUnary(Builder& builder, const OperatorT& op, const Description& description,
                      const Value& from) {
  if (!description) return targetFailed("oneDNN has no kernel for " + op.name);
  const Value to = builder.define(op.outputs.front(), description.dst_desc());
  builder.add(Primitive(description), description, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
  return true;
}

static WindowT wholeImage(const Dims& dims) {
  WindowT window;
  window.kernel.assign(dims.begin() + 2, dims.end());
  window.strides = window.dilations = std::vector<int64_t>(dims.size() - 2, 1);
  window.pads_begin = window.pads_end = std::vector<int64_t>(dims.size() - 2, 0);
  return window;
}

Built buildPool(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const int32_t input = op.inputs.front();
  const Dims dims = builder.dimsOf(input);
  if (dims.size() < 3) return targetFailed(op.name + ": its operand has no image");
  const WindowT* given = op.attributes.AsWindow();
  WindowT window = given != nullptr ? *given : wholeImage(dims);
  for (int64_t& dilation : window.dilations) --dilation;  // The library counts gaps.
  const bool isMax = op.name == "max_pool" || op.name == "global_max_pool";
  const auto algorithm = isMax                   ? dnnl::algorithm::pooling_max
                         : window.counts_padding ? dnnl::algorithm::pooling_avg_include_padding
                                                 : dnnl::algorithm::pooling_avg_exclude_padding;
  Value from;
  const auto description = describeFast(builder, input, from, [&](const Desc& src) {
    return dnnl::pooling_forward::primitive_desc(
        builder.engine(), dnnl::prop_kind::forward_inference, algorithm, src,
        anyDesc(builder.dimsOf(op.outputs.front())), window.strides, window.kernel,
        window.dilations, window.pads_begin, window.pads_end, Builder::attributes(),
        /*allow_empty=*/true);
  });
  return addUnary<dnnl::pooling_forward>(builder, op, description, from);
}

Built buildLocalNorm(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const auto& norm = *op.attributes.AsLocalNorm();
  Value from;
  const auto description = describeFast(builder, op.inputs.front(), from, [&](const Desc& src) {
    return dnnl::lrn_forward::primitive_desc(builder.engine(), dnnl::prop_kind::forward_inference,
                                             dnnl::algorithm::lrn_across_channels, src, src,
                                             norm.size, norm.alpha, norm.beta, norm.bias,
                                             Builder::attributes(), /*allow_empty=*/true);
  });
  return addUnary<dnnl::lrn_forward>(builder, op, description, from);
}

Built buildResampling(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const bool isLinear = op.attributes.AsResample()->filter == region_graph::Filter_Linear;
  const auto algorithm =
      isLinear ? dnnl::algorithm::resampling_linear : dnnl::algorithm::resampling_nearest;
  Value from;
  const auto description = describeFast(builder, op.inputs.front(), from, [&](const Desc& src) {
    return dnnl::resampling_forward::primitive_desc(
        builder.engine(), dnnl::prop_kind::forward_inference, algorithm, src,
        anyDesc(builder.dimsOf(op.outputs.front())), Builder::attributes(),
        /*allow_empty=*/true);
  });
  return addUnary<dnnl::resampling_forward>(builder, op, description, from);
}

}  // namespace tessera::backend_onednn
