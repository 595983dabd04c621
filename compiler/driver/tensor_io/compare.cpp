// An element that is NaN or infinite on one side has no distance: it is equal to the other one or
// counted, and a tolerance has no say (inf <= absolute + relative * inf accepts everything).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/half.h"
#include "base/shape_text.h"
#include "tessera/tensor_compare.h"

namespace tessera {

std::string shapeText(const std::vector<int64_t>& shape) { return base::shapeText(shape); }

namespace {

/// Sums over the elements.
struct Accumulator {
  double greatestExpected = 0;
  double squaredError = 0;
  double squaredNorm = 0;
  bool isAnyOutside = false;
};

/// 16-bit floats under their own types, so that they are compared as the numbers they stand for.
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

}  // namespace

template <typename T>
static double toDouble(T value) {
  return static_cast<double>(value);
}
template <>
double toDouble(F16 value) {
  return base::decodeF16(value.bits);
}
template <>
double toDouble(BF16 value) {
  return base::decodeBF16(value.bits);
}

/// |a - b|, also where the difference of two 64-bit integers vanishes in a double.
template <typename T>
static double distance(T a, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(uint64_t)) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<double>(a > b ? x - y : y - x);
  } else {
    return std::abs(toDouble(a) - toDouble(b));
  }
}

template <typename T>
static std::string valuesText(T actual, T expected) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(actual) + ", expected " + std::to_string(expected);
  char text[80];
  std::snprintf(text, sizeof(text), "%.9g, expected %.9g", toDouble(actual), toDouble(expected));
  return text;
}

template <typename T>
static void compareElements(const HostTensor& actual, const HostTensor& expected,
                            const Tolerance& tolerance, TensorDifference& difference) {
  Accumulator sums;
  for (size_t i = 0; i < expected.bytes.size() / sizeof(T); ++i) {
    T a, b;
    std::memcpy(&a, actual.bytes.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&b, expected.bytes.data() + i * sizeof(T), sizeof(T));
    const double x = toDouble(a), y = toDouble(b);
    bool isClose;
    if (std::isfinite(x) && std::isfinite(y)) {
      const double error = distance(a, b);
      difference.greatest = std::max(difference.greatest, error);
      sums.greatestExpected = std::max(sums.greatestExpected, std::abs(y));
      sums.squaredError += error * error;
      sums.squaredNorm += y * y;
      isClose = std::is_integral_v<T>
                    ? error == 0
                    : error <= tolerance.absolute + tolerance.relative * std::abs(y);
    } else {
      isClose = x == y || (std::isnan(x) && std::isnan(y));
      if (!isClose) ++difference.numNotFinite;
    }
    if (isClose || sums.isAnyOutside) continue;
    sums.isAnyOutside = true;
    difference.firstOutside = i;
    difference.firstValues = valuesText(a, b);
  }
  difference.isWithin = !sums.isAnyOutside;
  difference.isWithinScaled =
      difference.isWithin ||
      (!std::is_integral_v<T> && difference.numNotFinite == 0 &&
       difference.greatest <= tolerance.absolute + tolerance.relative * sums.greatestExpected);
  if (sums.squaredError > 0)
    difference.relativeError = std::sqrt(sums.squaredError / std::max(sums.squaredNorm, 1e-300));
}

TensorDifference compareTensors(const HostTensor& actual, const HostTensor& expected,
                                const Tolerance& tolerance) {
  TensorDifference difference;
  if (actual.type != expected.type || actual.shape != expected.shape) {
    difference.mismatch = std::string("found ") + elementTypeName(actual.type) +
                          shapeText(actual.shape) + ", expected " + elementTypeName(expected.type) +
                          shapeText(expected.shape);
    return difference;
  }
  const auto compareAs = [&]<typename T>() {
    compareElements<T>(actual, expected, tolerance, difference);
  };
  switch (expected.type) {
    case ElementType::kF32:
      compareAs.operator()<float>();
      break;
    case ElementType::kF64:
      compareAs.operator()<double>();
      break;
    case ElementType::kF16:
      compareAs.operator()<F16>();
      break;
    case ElementType::kBF16:
      compareAs.operator()<BF16>();
      break;
    case ElementType::kI8:
      compareAs.operator()<int8_t>();
      break;
    case ElementType::kI16:
      compareAs.operator()<int16_t>();
      break;
    case ElementType::kI32:
      compareAs.operator()<int32_t>();
      break;
    case ElementType::kI64:
      compareAs.operator()<int64_t>();
      break;
    case ElementType::kBool:
    case ElementType::kU8:
      compareAs.operator()<uint8_t>();
      break;
    case ElementType::kU16:
      compareAs.operator()<uint16_t>();
      break;
    case ElementType::kU32:
      compareAs.operator()<uint32_t>();
      break;
    case ElementType::kU64:
      compareAs.operator()<uint64_t>();
      break;
    case ElementType::kString:
    case ElementType::kUndefined:
      difference.mismatch =
          std::string(elementTypeName(expected.type)) + " tensors cannot be compared";
  }
  return difference;
}

}  // namespace tessera
