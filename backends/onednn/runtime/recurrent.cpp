// lstm and gru. Gates of weights and biases are put into the library's order, both biases added to
// one; what has the batch first is seen with the time first.
#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

using region_graph::kAbsent;
using region_graph::RecurrentT;

namespace {

struct Layer {
  const OperatorT& op;
  const RecurrentT& attributes;
  int64_t steps = 0, samples = 0, depth = 0, hidden = 0, directions = 1;
  std::vector<int64_t> gates = {};  ///< The library's gates, by ONNX's numbers.
  bool isLstm = false;

  int32_t input(size_t i) const { return i < op.inputs.size() ? op.inputs[i] : kAbsent; }
  int32_t output(size_t i) const { return i < op.outputs.size() ? op.outputs[i] : kAbsent; }
  int64_t numGates() const { return static_cast<int64_t>(gates.size()); }
  bool isLinearBeforeReset() const { return !isLstm && attributes.is_linear_before_reset; }
  /// These sizes as ONNX has them; the first two are time (or directions) and batch.
  Dims stored(Dims dims) const {
    if (attributes.is_batch_first) std::swap(dims[0], dims[1]);
    return dims;
  }
  /// A tensor whose memory has the first two sizes in order, as ONNX sees it.
  Desc seen(const Dims& dims) const {
    const Desc plain = plainDesc(dims);
    return attributes.is_batch_first ? plain.permute_axes({1, 0, 2}) : plain;
  }

  Dims stateDims() const { return {1, directions, samples, hidden}; }
  Dims hiddenDims() const { return {directions, samples, hidden}; }
  dnnl::rnn_direction direction() const {
    if (directions == 2) return dnnl::rnn_direction::bidirectional_concat;
    return attributes.direction == region_graph::Direction_Reverse
               ? dnnl::rnn_direction::unidirectional_right2left
               : dnnl::rnn_direction::unidirectional_left2right;
  }
};

}  // namespace

static Result<Layer> layerOf(const Builder& builder, const OperatorT& op) {
  Layer layer{.op = op, .attributes = *op.attributes.AsRecurrent()};
  layer.isLstm = op.name == "lstm";
  // ONNX has i o f c and z r h, the library i f c o and u r o.
  layer.gates = layer.isLstm ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 1, 2};
  layer.directions = layer.attributes.direction == region_graph::Direction_Both ? 2 : 1;
  layer.hidden = layer.attributes.hidden_size;
  const Dims x = builder.dimsOf(op.inputs[0]);
  if (x.size() != 3) return targetFailed(op.name + ": its operand has no steps");
  const bool isBatchFirst = layer.attributes.is_batch_first;
  layer.steps = x[isBatchFirst ? 1 : 0];
  layer.samples = x[isBatchFirst ? 0 : 1];
  layer.depth = x[2];
  const auto isSized = [&](int32_t tensor, const Dims& dims) {
    return tensor == kAbsent || builder.dimsOf(tensor) == dims;
  };
  const int64_t rows = layer.numGates() * layer.hidden;
  const Dims state = layer.stored(layer.hiddenDims());
  if (!isSized(layer.input(1), {layer.directions, rows, layer.depth}) ||
      !isSized(layer.input(2), {layer.directions, rows, layer.hidden}) ||
      !isSized(layer.input(3), {layer.directions, 2 * rows}) || !isSized(layer.input(5), state) ||
      (layer.isLstm && !isSized(layer.input(6), state)))
    return targetFailed(op.name + ": its sizes do not fit");
  if (layer.input(4) != kAbsent || (layer.isLstm && layer.input(7) != kAbsent))
    return targetFailed(op.name + ": it has lengths or peepholes");
  return layer;
}

/// Weights [D, gates * H, C] as [1, D, C, gates, H].
static Assembly weightsOf(const Layer& layer, int64_t columns) {
  const int64_t d = layer.directions, h = layer.hidden;
  const Desc stored = plainDesc({1, d, layer.numGates(), h, columns}).permute_axes({0, 1, 3, 4, 2});
  Assembly assembly{.whole = plainDesc({1, d, columns, layer.numGates(), h})};
  const Dims one = {1, d, columns, 1, h};
  for (int64_t gate = 0; gate < layer.numGates(); ++gate)
    assembly.pieces.push_back(
        {.from = stored.submemory_desc(one, {0, 0, 0, layer.gates[static_cast<size_t>(gate)], 0}),
         .to = assembly.whole.submemory_desc(one, {0, 0, 0, gate, 0})});
  return assembly;
}

/// Biases [D, 2 * gates * H] as [1, D, gates, H]: those of the input and of the recurrence are
/// added, but for the last gate of a gru that is linear before the reset, which has both.
static Assembly biasOf(const Layer& layer) {
  const int64_t d = layer.directions, h = layer.hidden, gates = layer.numGates();
  const bool hasBoth = layer.isLinearBeforeReset();
  const Desc stored = plainDesc({1, d, 2 * gates, h});
  Assembly assembly{.whole = plainDesc({1, d, gates + (hasBoth ? 1 : 0), h})};
  const Dims one = {1, d, 1, h};
  for (int64_t gate = 0; gate < gates; ++gate) {
    const int64_t from = layer.gates[static_cast<size_t>(gate)];
    const bool isApart = hasBoth && gate + 1 == gates;
    assembly.pieces.push_back({.from = stored.submemory_desc(one, {0, 0, from, 0}),
                               .to = assembly.whole.submemory_desc(one, {0, 0, gate, 0})});
    assembly.pieces.push_back(
        {.from = stored.submemory_desc(one, {0, 0, gates + from, 0}),
         .to = assembly.whole.submemory_desc(one, {0, 0, gate + (isApart ? 1 : 0), 0}),
         .isAdded = !isApart});
  }
  return assembly;
}

/// Time or directions first, then the batch.
static Value readSwapped(Builder& builder, const Layer& layer, int32_t tensor, const Dims& dims,
                         const Dims& wanted) {
  Value value = builder.read(tensor, layer.seen(dims));
  value.desc = plainDesc(wanted);
  return value;
}

/// Memory for a state behind the last step.
static Value defineState(Builder& builder, const Layer& layer, int32_t output) {
  const Desc state = plainDesc(layer.stateDims());
  if (output == kAbsent) return builder.scratch(state);
  if (!layer.attributes.is_batch_first) return builder.define(output, state);
  const Value made = builder.scratch(state);
  builder.alias(output, {.desc = layer.seen(layer.hiddenDims()), .place = made.place});
  return made;
}

/// Memory for all steps, [T, N, D * H], which ONNX has as [T, D, N, H] or [N, T, D, H].
static Value defineSteps(Builder& builder, const Layer& layer) {
  const Desc steps = plainDesc({layer.steps, layer.samples, layer.directions * layer.hidden});
  const int32_t output = layer.output(0);
  const bool isBatchFirst = layer.attributes.is_batch_first;
  if (output == kAbsent) return builder.scratch(steps);
  if (!isBatchFirst && layer.directions == 1) return builder.define(output, steps);
  const Value made = builder.scratch(steps);
  const Desc apart = plainDesc({layer.steps, layer.samples, layer.directions, layer.hidden});
  builder.alias(output, {.desc = apart.permute_axes(isBatchFirst ? std::vector<int>{1, 0, 2, 3}
                                                                 : std::vector<int>{0, 2, 1, 3}),
                         .place = made.place});
  return made;
}

static Value readState(Builder& builder, const Layer& layer, int32_t tensor) {
  if (tensor == kAbsent) return builder.zeros(plainDesc(layer.stateDims()));
  return readSwapped(builder, layer, tensor, layer.hiddenDims(), layer.stateDims());
}

/// Adds the primitive that `describe` describes: of x, the state before the steps (empty: none),
/// weights of both kinds, biases, y and the state behind the steps.
template <typename Primitive, typename Describe>
static Built addLayer(Builder& builder, const Layer& layer, const Describe& describe) {
  const bool hasState = layer.input(5) != kAbsent || (layer.isLstm && layer.input(6) != kAbsent);
  const Assembly bias = biasOf(layer);
  const Dims x = {layer.steps, layer.samples, layer.depth};
  const int64_t d = layer.directions, h = layer.hidden, gates = layer.numGates();
  const auto description =
      describe(plainDesc(x), hasState ? plainDesc(layer.stateDims()) : Desc(),
               anyDesc({1, d, layer.depth, gates, h}), anyDesc({1, d, h, gates, h}), bias.whole,
               plainDesc({layer.steps, layer.samples, d * h}), plainDesc(layer.stateDims()));
  if (!description) return targetFailed("oneDNN has no kernel for " + layer.op.name);
  std::vector<std::pair<int, Value>> arguments = {
      {DNNL_ARG_SRC_LAYER, readSwapped(builder, layer, layer.input(0), x, x)},
      {DNNL_ARG_WEIGHTS_LAYER, builder.readAssembled(layer.input(1), weightsOf(layer, layer.depth),
                                                     description.weights_layer_desc())},
      {DNNL_ARG_WEIGHTS_ITER,
       builder.readAssembled(layer.input(2), weightsOf(layer, h), description.weights_iter_desc())},
      // The library has no layers without one.
      {DNNL_ARG_BIAS, layer.input(3) == kAbsent
                          ? builder.zeros(bias.whole)
                          : builder.readAssembled(layer.input(3), bias, bias.whole)}};
  if (hasState) {
    arguments.emplace_back(DNNL_ARG_SRC_ITER, readState(builder, layer, layer.input(5)));
    if (layer.isLstm)
      arguments.emplace_back(DNNL_ARG_SRC_ITER_C, readState(builder, layer, layer.input(6)));
  }
  arguments.emplace_back(DNNL_ARG_DST_LAYER, defineSteps(builder, layer));
  arguments.emplace_back(DNNL_ARG_DST_ITER, defineState(builder, layer, layer.output(1)));
  if (layer.isLstm)
    arguments.emplace_back(DNNL_ARG_DST_ITER_C, defineState(builder, layer, layer.output(2)));
  builder.add(Primitive(description), description, arguments);
  return true;
}

template <typename Primitive>
static Built addGru(Builder& builder, const Layer& layer) {
  return addLayer<Primitive>(
      builder, layer,
      [&](const Desc& x, const Desc& before, const Desc& weights, const Desc& recurrence,
          const Desc& bias, const Desc& y, const Desc& behind) {
        return typename Primitive::primitive_desc(
            builder.engine(), dnnl::prop_kind::forward_inference, layer.direction(), x, before,
            weights, recurrence, bias, y, behind, Builder::attributes(), /*allow_empty=*/true);
      });
}

Built buildRecurrent(Builder& builder, Group alone) {
  TESSERA_TRY(const Layer layer, layerOf(builder, *alone.front()));
  if (layer.isLinearBeforeReset()) return addGru<dnnl::lbr_gru_forward>(builder, layer);
  if (!layer.isLstm) return addGru<dnnl::gru_forward>(builder, layer);
  return addLayer<dnnl::lstm_forward>(
      builder, layer,
      [&](const Desc& x, const Desc& before, const Desc& weights, const Desc& recurrence,
          const Desc& bias, const Desc& y, const Desc& behind) {
        return dnnl::lstm_forward::primitive_desc(
            builder.engine(), dnnl::prop_kind::forward_inference, layer.direction(), x, before,
            before, weights, recurrence, bias, y, behind, behind, Builder::attributes(),
            /*allow_empty=*/true);
      });
}

}  // namespace tessera::backend_onednn
