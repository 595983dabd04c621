// Elementwise activations. Attribute defaults are those of ONNX opset 23; all are computed in
// double.
#include <cmath>

#include "reference/loops/activation_functions.h"
#include "reference/loops/convert.h"
#include "reference/loops/dispatch.h"
#include "reference/loops/map.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

OpResult relu(const OpCall& call) {
  using SignedTypes = TypeList<float, double, int8_t, int16_t, int32_t, int64_t>;
  return map(call, SignedTypes{}, []<typename T>(T x) -> T { return x < T{0} ? T{0} : x; });
}

OpResult leakyRelu(const OpCall& call) {
  TESSERA_TRY(const double alpha, attributeOr<double>(call, "alpha", 0.01));
  return mapReal(call, [=](double x) { return x < 0 ? alpha * x : x; });
}

OpResult elu(const OpCall& call) {
  TESSERA_TRY(const double alpha, attributeOr<double>(call, "alpha", 1.0));
  return mapReal(call, [=](double x) { return activation::elu(x, alpha); });
}

OpResult selu(const OpCall& call) {
  TESSERA_TRY(const double alpha, attributeOr<double>(call, "alpha", 1.67326319217681884765625));
  TESSERA_TRY(const double gamma, attributeOr<double>(call, "gamma", 1.05070102214813232421875));
  return mapReal(call, [=](double x) { return gamma * activation::elu(x, alpha); });
}

OpResult celu(const OpCall& call) {
  TESSERA_TRY(const double alpha, attributeOr<double>(call, "alpha", 1.0));
  return mapReal(call, [=](double x) { return x > 0 ? x : alpha * std::expm1(x / alpha); });
}

OpResult thresholdedRelu(const OpCall& call) {
  TESSERA_TRY(const double alpha, attributeOr<double>(call, "alpha", 1.0));
  return mapReal(call, [=](double x) { return x > alpha ? x : 0.0; });
}

OpResult hardSigmoid(const OpCall& call) {
  TESSERA_TRY(const double alpha, attributeOr<double>(call, "alpha", 0.2));
  TESSERA_TRY(const double beta, attributeOr<double>(call, "beta", 0.5));
  return mapReal(call, [=](double x) { return activation::hardSigmoid(x, alpha, beta); });
}

OpResult hardSwish(const OpCall& call) {
  return mapReal(call, [](double x) { return x * activation::hardSigmoid(x, 1.0 / 6.0, 0.5); });
}

OpResult mish(const OpCall& call) {
  return mapReal(call, [](double x) { return x * std::tanh(activation::softplus(x)); });
}

OpResult sigmoid(const OpCall& call) {
  return mapReal(call, [](double x) { return activation::sigmoid(x); });
}

OpResult softplus(const OpCall& call) {
  return mapReal(call, [](double x) { return activation::softplus(x); });
}

OpResult softsign(const OpCall& call) {
  return mapReal(call, [](double x) { return x / (1.0 + std::fabs(x)); });
}

/// Integers are shrunk in double and converted back.
OpResult shrink(const OpCall& call) {
  TESSERA_TRY(const double bias, attributeOr<double>(call, "bias", 0.0));
  TESSERA_TRY(const double lambda, attributeOr<double>(call, "lambd", 0.5));
  return map(call, NumberTypes{}, [=]<typename T>(T value) -> T {
    const auto x = static_cast<double>(value);
    if (x < -lambda) return convertTo<T>(x + bias);
    if (x > lambda) return convertTo<T>(x - bias);
    return T{0};
  });
}

OpResult gelu(const OpCall& call) {
  TESSERA_TRY(const std::string approximate, attributeOr<std::string>(call, "approximate", "none"));
  if (approximate == "none") {
    return mapReal(call, [](double x) { return 0.5 * x * (1.0 + std::erf(x * M_SQRT1_2)); });
  }
  if (approximate != "tanh") {
    return opError(call,
                   "attribute 'approximate' is '" + approximate + "', expected 'none' or 'tanh'");
  }
  const double scale = std::sqrt(2.0 / M_PI);
  return mapReal(call, [=](double x) {
    return 0.5 * x * (1.0 + std::tanh(scale * (x + 0.044715 * x * x * x)));
  });
}

}  // namespace tessera::reference::ops
