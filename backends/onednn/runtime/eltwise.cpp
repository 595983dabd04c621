#include "backends/onednn/runtime/eltwise.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "backends/onednn/runtime/operators.h"

namespace tessera::backend_onednn {

using dnnl::algorithm;

namespace {

struct Function {
  std::string_view name;
  Eltwise eltwise;
};

/// Alpha and beta are those of operators without parameters of their own.
constexpr std::array kFunctions = {
    Function{"abs", {algorithm::eltwise_abs}},
    Function{"clip", {algorithm::eltwise_clip}},
    Function{"elu", {algorithm::eltwise_elu}},
    Function{"exp", {algorithm::eltwise_exp}},
    Function{"gelu", {algorithm::eltwise_gelu_erf}},
    Function{"gelu_tanh", {algorithm::eltwise_gelu_tanh}},
    Function{"hard_sigmoid", {algorithm::eltwise_hardsigmoid}},
    Function{"hard_swish", {algorithm::eltwise_hardswish, 1.0F / 6, 0.5F}},
    Function{"leaky_relu", {algorithm::eltwise_relu}},
    Function{"mish", {algorithm::eltwise_mish}},
    Function{"neg", {algorithm::eltwise_linear, -1}},
    Function{"pow", {algorithm::eltwise_pow}},
    Function{"reciprocal", {algorithm::eltwise_pow, 1, -1}},
    Function{"relu", {algorithm::eltwise_relu}},
    Function{"round", {algorithm::eltwise_round}},
    Function{"sigmoid", {algorithm::eltwise_logistic}},
    Function{"silu", {algorithm::eltwise_swish, 1}},
    Function{"softplus", {algorithm::eltwise_soft_relu, 1}},
    Function{"sqrt", {algorithm::eltwise_sqrt}},
    Function{"tanh", {algorithm::eltwise_tanh}},
};

}  // namespace

std::optional<Eltwise> eltwiseOf(const region_graph::OperatorT& op) {
  const auto* const found = std::ranges::find(kFunctions, op.name, &Function::name);
  if (found == kFunctions.end()) return std::nullopt;
  Eltwise eltwise = found->eltwise;
  if (const auto* scalars = op.attributes.AsScalars()) {
    eltwise.alpha = scalars->alpha;
    eltwise.beta = scalars->beta;
    if (op.name == "pow") eltwise = {algorithm::eltwise_pow, 1, scalars->alpha};
  }
  return eltwise;
}

std::optional<algorithm> binaryOf(const region_graph::OperatorT& op) {
  if (op.name == "add") return algorithm::binary_add;
  if (op.name == "sub") return algorithm::binary_sub;
  if (op.name == "mul") return algorithm::binary_mul;
  if (op.name == "div") return algorithm::binary_div;
  if (op.name == "max") return algorithm::binary_max;
  if (op.name == "min") return algorithm::binary_min;
  return std::nullopt;
}

void addEltwise(Builder& builder, const Eltwise& eltwise, const Value& from, const Value& to) {
  const dnnl::eltwise_forward::primitive_desc description(
      builder.engine(), dnnl::prop_kind::forward_inference, eltwise.algorithm, from.desc, from.desc,
      eltwise.alpha, eltwise.beta, Builder::attributes());
  builder.add(dnnl::eltwise_forward(description), description,
              {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
}

Built buildEltwise(Builder& builder, Group alone) {
  const OperatorT& op = *alone.front();
  const int32_t input = op.inputs.front(), output = op.outputs.front();
  const Value from = builder.readDense(input);
  const bool isInPlace = builder.dies(input) && from.place == builder.value(input).place;
  if (isInPlace) builder.defineOver(output, from);
  const Value to = isInPlace ? from : builder.define(output, from.desc);
  addEltwise(builder, *eltwiseOf(op), from, to);
  return true;
}

}  // namespace tessera::backend_onednn
