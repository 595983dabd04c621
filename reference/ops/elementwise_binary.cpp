// Arithmetic, logic and comparison of two inputs with numpy broadcasting; max, min, sum and mean
// take any number of inputs. Integer overflow wraps; division truncates towards zero.
#include <cmath>

#include "reference/loops/arithmetic.h"
#include "reference/loops/convert.h"
#include "reference/loops/map_pair.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

OpResult add(const OpCall& call) {
  return binary(call, NumberTypes{}, []<typename T>(T a, T b) { return arithmetic::add(a, b); });
}
OpResult sub(const OpCall& call) {
  return binary(call, NumberTypes{}, []<typename T>(T a, T b) { return arithmetic::sub(a, b); });
}
OpResult mul(const OpCall& call) {
  return binary(call, NumberTypes{}, []<typename T>(T a, T b) { return arithmetic::mul(a, b); });
}

/// An error when the type is an integer and input 1 holds a zero.
static Status checkDivisor(const OpCall& call) {
  TESSERA_TRY(const TensorView divisor, requiredInput(call, 1));
  if (isFloat(divisor.type)) return {};
  auto checked = dispatch(call, divisor.type, IntegerTypes{}, [&]<typename T>() -> OpResult {
    if (std::ranges::count(divisor.as<T>(), T{0})) return opError(call, "integer division by zero");
    return outputs();
  });
  return checked ? Status{} : Status{checked.error()};
}

OpResult div(const OpCall& call) {
  TESSERA_TRY_VOID(checkDivisor(call));
  return binary(call, NumberTypes{}, []<typename T>(T a, T b) -> T {
    if constexpr (std::is_floating_point_v<T>) return a / b;
    // The most negative number divided by -1 wraps.
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return arithmetic::sub(T{0}, a);
    return static_cast<T>(a / b);
  });
}

/// fmod = 0: the remainder has the divisor's sign (Python); fmod = 1: the dividend's (C).
OpResult mod(const OpCall& call) {
  TESSERA_TRY(const bool truncated, flagOr(call, "fmod", false));
  TESSERA_TRY_VOID(checkDivisor(call));
  return binary(call, NumberTypes{}, [=]<typename T>(T a, T b) -> T {
    T remainder;
    if constexpr (std::is_floating_point_v<T>) {
      remainder = std::fmod(a, b);
    } else {
      remainder = std::is_signed_v<T> && b == static_cast<T>(-1) ? T{0} : static_cast<T>(a % b);
    }
    const bool signsDiffer = remainder != T{0} && (remainder < T{0}) != (b < T{0});
    return !truncated && signsDiffer ? static_cast<T>(remainder + b) : remainder;
  });
}

/// base ** exponent for exponent >= 0, wrapping.
template <typename T>
static T integerPower(T base, uint64_t exponent) {
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

/// The result has the base's type. With a fractional or negative exponent an integer base goes
/// through double.
OpResult pow(const OpCall& call) {
  TESSERA_TRY(const TensorView base, requiredInput(call, 0));
  TESSERA_TRY(const TensorView exponent, requiredInput(call, 1));
  const auto f = []<typename B, typename E>(B b, E e) -> B {
    if constexpr (std::is_integral_v<B> && std::is_integral_v<E>) {
      if (e >= E{0}) return integerPower(b, static_cast<uint64_t>(e));
    }
    return convertTo<B>(std::pow(static_cast<double>(b), static_cast<double>(e)));
  };
  using BaseTypes = TypeList<float, double, int32_t, int64_t>;
  const auto loop = selectByType<BinaryLoop>(base.type, BaseTypes{}, [&]<typename B>() {
    return selectByType<BinaryLoop>(exponent.type, NumberTypes{}, []<typename E>() {
      return binaryLoop<B, B, E, decltype(f)>();
    });
  });
  if (!loop.run) {
    return opError(call, "element types " + std::string(elementTypeName(base.type)) + " and " +
                             std::string(elementTypeName(exponent.type)) + " are not supported");
  }
  TESSERA_TRY(Tensor y, mapPairs(call, base, exponent, loop, &f));
  return outputs(std::move(y));
}

OpResult logicalAnd(const OpCall& call) {
  return binary(call, TypeList<Boolean>{}, [](Boolean a, Boolean b) { return Boolean(a && b); });
}
OpResult logicalOr(const OpCall& call) {
  return binary(call, TypeList<Boolean>{}, [](Boolean a, Boolean b) { return Boolean(a || b); });
}
OpResult logicalXor(const OpCall& call) {
  return binary(call, TypeList<Boolean>{},
                [](Boolean a, Boolean b) { return Boolean(bool(a) != bool(b)); });
}

OpResult equal(const OpCall& call) {
  return binary<Boolean>(call, AllTypes{}, [](auto a, auto b) { return Boolean(a == b); });
}
OpResult greater(const OpCall& call) {
  return binary<Boolean>(call, NumberTypes{}, [](auto a, auto b) { return Boolean(a > b); });
}
OpResult greaterOrEqual(const OpCall& call) {
  return binary<Boolean>(call, NumberTypes{}, [](auto a, auto b) { return Boolean(a >= b); });
}
OpResult less(const OpCall& call) {
  return binary<Boolean>(call, NumberTypes{}, [](auto a, auto b) { return Boolean(a < b); });
}
OpResult lessOrEqual(const OpCall& call) {
  return binary<Boolean>(call, NumberTypes{}, [](auto a, auto b) { return Boolean(a <= b); });
}

/// Shifting by the width or more leaves 0.
OpResult bitShift(const OpCall& call) {
  TESSERA_TRY(const std::string direction, attributeOr<std::string>(call, "direction", ""));
  if (direction != "LEFT" && direction != "RIGHT") {
    return opError(call,
                   "attribute 'direction' is '" + direction + "', expected 'LEFT' or 'RIGHT'");
  }
  const bool left = direction == "LEFT";
  return binary(
      call, TypeList<uint8_t, uint16_t, uint32_t, uint64_t>{}, [=]<typename T>(T a, T b) -> T {
        if (b >= sizeof(T) * 8) return T{0};
        return static_cast<T>(left ? static_cast<uint64_t>(a) << b : static_cast<uint64_t>(a) >> b);
      });
}

OpResult bitwiseAnd(const OpCall& call) {
  return binary(call, IntegerTypes{},
                []<typename T>(T a, T b) -> T { return static_cast<T>(a & b); });
}
OpResult bitwiseOr(const OpCall& call) {
  return binary(call, IntegerTypes{},
                []<typename T>(T a, T b) -> T { return static_cast<T>(a | b); });
}
OpResult bitwiseXor(const OpCall& call) {
  return binary(call, IntegerTypes{},
                []<typename T>(T a, T b) -> T { return static_cast<T>(a ^ b); });
}

/// The slope broadcasts to the input, not the other way round.
OpResult prelu(const OpCall& call) {
  using Types = TypeList<float, double, int32_t, uint32_t, int64_t, uint64_t>;
  TESSERA_TRY(OpResult::value_type y, binary(call, Types{}, []<typename T>(T x, T slope) -> T {
                return x < T{0} ? arithmetic::mul(x, slope) : x;
              }));
  if (!sameShape(y[0].shape(), call.inputs[0].shape)) {
    return opError(call, "slope of shape " + toText(call.inputs[1].shape) +
                             " does not broadcast to " + toText(call.inputs[0].shape));
  }
  return y;
}

OpResult max(const OpCall& call) {
  return fold(call, NumberTypes{}, []<typename T>(T a, T b) { return arithmetic::max(a, b); });
}
OpResult min(const OpCall& call) {
  return fold(call, NumberTypes{}, []<typename T>(T a, T b) { return arithmetic::min(a, b); });
}
OpResult sum(const OpCall& call) {
  return fold(call, FloatTypes{}, [](auto a, auto b) { return a + b; });
}
OpResult mean(const OpCall& call) {
  TESSERA_TRY(OpResult::value_type y, sum(call));
  return dispatch(call, y[0].type(), FloatTypes{}, [&]<typename T>() -> OpResult {
    for (T& value : y[0].as<T>()) value /= static_cast<T>(call.inputs.size());
    return std::move(y);
  });
}

}  // namespace tessera::reference::ops
