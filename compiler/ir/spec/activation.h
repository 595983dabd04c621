// The activations of recurrent layers: their ONNX names, which parameters they take, the defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::ir::spec {

/// f(x), with alpha and beta where it takes them.
enum class Activation : uint8_t {
  kAffine,           ///< alpha x + beta
  kElu,              ///< x, alpha (exp(x) - 1) below 0
  kHardSigmoid,      ///< max(0, min(1, alpha x + beta))
  kLeakyRelu,        ///< x, alpha x below 0
  kRelu,             ///< max(x, 0)
  kScaledTanh,       ///< alpha tanh(beta x)
  kSigmoid,          ///< 1 / (1 + exp(-x))
  kSoftplus,         ///< ln(1 + exp(x))
  kSoftsign,         ///< x / (1 + |x|)
  kTanh,             ///< tanh(x)
  kThresholdedRelu,  ///< x, 0 where it is not above alpha
};

struct ActivationInfo {
  Activation activation;
  std::string_view name;  ///< As ONNX spells it; read in any case.
  bool takesAlpha = false, takesBeta = false;
  double alpha = 0, beta = 0;  ///< The defaults.
};

const ActivationInfo& activationInfo(Activation activation);
/// Nothing when ONNX has no activation of this name.
std::optional<Activation> activationOf(std::string_view name);

}  // namespace tessera::ir::spec
