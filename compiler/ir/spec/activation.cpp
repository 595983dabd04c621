#include "compiler/ir/spec/activation.h"

#include "llvm/ADT/StringRef.h"

namespace tessera::ir::spec {

static constexpr ActivationInfo kActivations[] = {
    {Activation::kAffine, "Affine", true, true, 1, 0},
    {Activation::kElu, "Elu", true, false, 1, 0},
    {Activation::kHardSigmoid, "HardSigmoid", true, true, 0.2, 0.5},
    {Activation::kLeakyRelu, "LeakyRelu", true, false, 0.01, 0},
    {Activation::kRelu, "Relu", false, false, 0, 0},
    {Activation::kScaledTanh, "ScaledTanh", true, true, 1, 1},
    {Activation::kSigmoid, "Sigmoid", false, false, 0, 0},
    {Activation::kSoftplus, "Softplus", false, false, 0, 0},
    {Activation::kSoftsign, "Softsign", false, false, 0, 0},
    {Activation::kTanh, "Tanh", false, false, 0, 0},
    {Activation::kThresholdedRelu, "ThresholdedRelu", true, false, 1, 0},
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
