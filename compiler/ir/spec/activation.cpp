#include "compiler/ir/spec/activation.h"

#include "llvm/ADT/StringRef.h"

namespace tessera::ir::spec {

static constexpr ActivationInfo kActivations[] = {
    {.activation = Activation::kAffine,
     .name = "Affine",
     .takesAlpha = true,
     .takesBeta = true,
     .alpha = 1},
    {.activation = Activation::kElu, .name = "Elu", .takesAlpha = true, .alpha = 1},
    {.activation = Activation::kHardSigmoid,
     .name = "HardSigmoid",
     .takesAlpha = true,
     .takesBeta = true,
     .alpha = 0.2,
     .beta = 0.5},
    {.activation = Activation::kLeakyRelu, .name = "LeakyRelu", .takesAlpha = true, .alpha = 0.01},
    {.activation = Activation::kRelu, .name = "Relu"},
    {.activation = Activation::kScaledTanh,
     .name = "ScaledTanh",
     .takesAlpha = true,
     .takesBeta = true,
     .alpha = 1,
     .beta = 1},
    {.activation = Activation::kSigmoid, .name = "Sigmoid"},
    {.activation = Activation::kSoftplus, .name = "Softplus"},
    {.activation = Activation::kSoftsign, .name = "Softsign"},
    {.activation = Activation::kTanh, .name = "Tanh"},
    {.activation = Activation::kThresholdedRelu,
     .name = "ThresholdedRelu",
     .takesAlpha = true,
     .alpha = 1},
};

const ActivationInfo& activationInfo(Activation activation) {
  return kActivations[static_cast<size_t>(activation)];
}

std::optional<Activation> activationOf(std::string_view name) {
  for (const ActivationInfo& info : kActivations) {
    if (llvm::StringRef(name).equals_insensitive(info.name)) return info.activation;
  }
  return std::nullopt;
}

}  // namespace tessera::ir::spec
