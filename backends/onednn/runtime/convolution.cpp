// Convolutions and transposed ones: the primitive chooses all layouts, weights are packed once.
#include "backends/onednn/runtime/post_ops.h"

namespace tessera::backend_onednn {

using region_graph::kAbsent;
using region_graph::WindowT;

namespace {

/// A convolution as the library describes one.
struct Geometry {
  Dims strides, dilations, padsBegin, padsEnd;
  Dims weights;  ///< [G,] O, I, K...
  Desc stored;   ///< The tensor of weights under these sizes.
};

}  // namespace

static Geometry geometryOf(const WindowT& window) {
  Geometry geometry{.strides = window.strides,
                    .dilations = window.dilations,
                    .padsBegin = window.pads_begin,
                    .padsEnd = window.pads_end,
                    .weights = {},
                    .stored = {}};
  for (int64_t& dilation : geometry.dilations) --dilation;  // The library counts gaps.
  return geometry;
}

static std::optional<Value> biasOf(Builder& builder, const OperatorT& op) {
  if (op.inputs.size() < 3 || op.inputs[2] == kAbsent) return std::nullopt;
  return builder.read(op.inputs[2], plainDesc(builder.dimsOf(op.inputs[2])));
}

/// Adds the primitive with its operands; false when a group of several is not done fast.
template <typename Primitive>
static Built addConvolution(Builder& builder, Group group, dnnl::algorithm algorithm,
                            const Geometry& geometry) {
  const OperatorT& op = *group.front();
  const int32_t output = group.back()->outputs.front();
  PostOps postOps(builder, builder.dimsOf(output));
  if (!postOps.appendAll(group)) return false;
  const std::optional<Value> bias = biasOf(builder, op);
  const auto describe = [&](const Desc& src, const Desc& dst) {
    return typename Primitive::primitive_desc(
        builder.engine(), dnnl::prop_kind::forward_inference, algorithm, src,
        anyDesc(geometry.weights), bias ? bias->desc : Desc(), dst, geometry.strides,
        geometry.dilations, geometry.padsBegin, geometry.padsEnd, postOps.attributes(),
        /*allow_empty=*/true);
  };
  const Desc anyX = anyDesc(builder.dimsOf(op.inputs[0]));
  const Dims sizes = builder.dimsOf(output);
  typename Primitive::primitive_desc description;
  const auto blockedX = builder.blockedBorder(op.inputs[0]),
             blockedY = builder.blockedBorder(output);
  if (blockedX || blockedY)  // Without a reorder at the border.
    description = describe(blockedX.value_or(anyX), blockedY.value_or(anyDesc(sizes)));
  if (!description || !isFast(description)) {
    description = describe(anyX, anyDesc(sizes));
    if (description && description.dst_desc().get_inner_nblks() > 0) {
      // Convolutions of images work channels-last, all but the first: it may begin with that.
      if (auto other = describe(anyX, channelsLastDesc(sizes)); other && isFast(other))
        description = other;
    }
  }
  if (!description || (group.size() > 1 && !isFast(description))) return false;
  std::vector<std::pair<int, Value>> arguments = {
      {DNNL_ARG_SRC, builder.read(op.inputs[0], description.src_desc())},
      {DNNL_ARG_WEIGHTS,
       builder.readWeights(op.inputs[1], geometry.stored, description.weights_desc())}};
  if (bias) arguments.emplace_back(DNNL_ARG_BIAS, *bias);
  const Value result = postOps.finish(description, output, description.dst_desc(), arguments);
  arguments.emplace_back(DNNL_ARG_DST, result);
  builder.add(Primitive(description), description, arguments);
  return true;
}

Built buildConvolution(Builder& builder, Group group) {
  const OperatorT& op = *group.front();
  const WindowT& window = *op.attributes.AsWindow();
  Geometry geometry = geometryOf(window);
  geometry.weights = builder.dimsOf(op.inputs[1]);
  if (window.group != 1) {
    if (geometry.weights[0] % window.group != 0)
      return targetFailed("groups do not divide outputs");
    geometry.weights[0] /= window.group;
    geometry.weights.insert(geometry.weights.begin(), window.group);
  }
  geometry.stored = plainDesc(geometry.weights);
  return addConvolution<dnnl::convolution_forward>(builder, group,
                                                   dnnl::algorithm::convolution_direct, geometry);
}

Built buildTransposedConvolution(Builder& builder, Group group) {
  const OperatorT& op = *group.front();
  const WindowT& window = *op.attributes.AsWindow();
  Geometry geometry = geometryOf(window);
  Dims stored = builder.dimsOf(op.inputs[1]);  // I, O / G, K...
  if (stored[0] % window.group != 0) return targetFailed("groups do not divide inputs");
  size_t channels = 0;
  if (window.group != 1) {
    stored[0] /= window.group;
    stored.insert(stored.begin(), window.group);
    channels = 1;
  }
  std::vector<int> swapped(stored.size());
  for (size_t d = 0; d < swapped.size(); ++d) swapped[d] = static_cast<int>(d);
  std::swap(swapped[channels], swapped[channels + 1]);
  geometry.stored = plainDesc(stored).permute_axes(swapped);
  geometry.weights = geometry.stored.get_dims();
  return addConvolution<dnnl::deconvolution_forward>(
      builder, group, dnnl::algorithm::deconvolution_direct, geometry);
}

}  // namespace tessera::backend_onednn
