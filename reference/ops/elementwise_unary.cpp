// Elementwise operators with one input and plain arithmetic. Transcendental functions are evaluated
// in double and rounded once. Activations with parameters are in activations.cpp.
#include <cmath>
#include <limits>

#include "reference/loops/dispatch.h"
#include "reference/loops/map.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

OpResult acos(const OpCall& call) {
  return mapReal(call, [](double x) { return std::acos(x); });
}
OpResult acosh(const OpCall& call) {
  return mapReal(call, [](double x) { return std::acosh(x); });
}
OpResult asin(const OpCall& call) {
  return mapReal(call, [](double x) { return std::asin(x); });
}
OpResult asinh(const OpCall& call) {
  return mapReal(call, [](double x) { return std::asinh(x); });
}
OpResult atan(const OpCall& call) {
  return mapReal(call, [](double x) { return std::atan(x); });
}
OpResult atanh(const OpCall& call) {
  return mapReal(call, [](double x) { return std::atanh(x); });
}
OpResult ceil(const OpCall& call) {
  return mapReal(call, [](double x) { return std::ceil(x); });
}
OpResult cos(const OpCall& call) {
  return mapReal(call, [](double x) { return std::cos(x); });
}
OpResult cosh(const OpCall& call) {
  return mapReal(call, [](double x) { return std::cosh(x); });
}
OpResult erf(const OpCall& call) {
  return mapReal(call, [](double x) { return std::erf(x); });
}
OpResult exp(const OpCall& call) {
  return mapReal(call, [](double x) { return std::exp(x); });
}
OpResult floor(const OpCall& call) {
  return mapReal(call, [](double x) { return std::floor(x); });
}
OpResult log(const OpCall& call) {
  return mapReal(call, [](double x) { return std::log(x); });
}
OpResult reciprocal(const OpCall& call) {
  return mapReal(call, [](double x) { return 1.0 / x; });
}
/// Halves go to the even neighbour.
OpResult round(const OpCall& call) {
  return mapReal(call, [](double x) { return std::nearbyint(x); });
}
OpResult sin(const OpCall& call) {
  return mapReal(call, [](double x) { return std::sin(x); });
}
OpResult sinh(const OpCall& call) {
  return mapReal(call, [](double x) { return std::sinh(x); });
}
OpResult sqrt(const OpCall& call) {
  return mapReal(call, [](double x) { return std::sqrt(x); });
}
OpResult tan(const OpCall& call) {
  return mapReal(call, [](double x) { return std::tan(x); });
}
OpResult tanh(const OpCall& call) {
  return mapReal(call, [](double x) { return std::tanh(x); });
}

/// The most negative integer stays itself.
OpResult abs(const OpCall& call) {
  return map(call, NumberTypes{}, []<typename T>(T x) -> T {
    if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
    return x < T{0} ? static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x)) : x;
  });
}

OpResult neg(const OpCall& call) {
  using SignedTypes = TypeList<float, double, int8_t, int16_t, int32_t, int64_t>;
  return map(call, SignedTypes{}, []<typename T>(T x) -> T {
    if constexpr (std::is_floating_point_v<T>) return -x;
    return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));
  });
}

/// NaN stays NaN; the sign of either zero is 0.
OpResult sign(const OpCall& call) {
  return map(call, NumberTypes{}, []<typename T>(T x) -> T {
    if (x > T{0}) return T{1};
    if (x < T{0}) return static_cast<T>(-1);
    return x == T{0} ? T{0} : x;
  });
}

OpResult bitwiseNot(const OpCall& call) {
  return map(call, IntegerTypes{}, []<typename T>(T x) -> T { return static_cast<T>(~x); });
}

OpResult logicalNot(const OpCall& call) {
  return map(call, TypeList<Boolean>{}, [](Boolean x) { return Boolean(!x); });
}

OpResult isNan(const OpCall& call) {
  return map<Boolean>(call, FloatTypes{}, [](auto x) { return Boolean(std::isnan(x)); });
}

OpResult isInf(const OpCall& call) {
  TESSERA_TRY(const bool detectNegative, flagOr(call, "detect_negative", true));
  TESSERA_TRY(const bool detectPositive, flagOr(call, "detect_positive", true));
  return map<Boolean>(call, FloatTypes{}, [=](auto x) {
    return Boolean(std::isinf(x) && (x > 0 ? detectPositive : detectNegative));
  });
}

OpResult identity(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(Tensor y, copyWithShape(call, x, toShape(x.shape)));
  return outputs(std::move(y));
}

}  // namespace tessera::reference::ops
