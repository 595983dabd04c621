#include "differences.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace tessera::cli {

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
  return text + "]";
}

namespace {

/// Sums over elements.
struct Accumulator {
  double greatest = 0;
  double greatestExpected = 0;
  double squaredError = 0;
  double squaredNorm = 0;
  bool isWithin = true;
};

template <typename T>
void accumulate(const HostTensor& actual, const HostTensor& expected, const Tolerance& tolerance,
                Accumulator& sums) {
  for (size_t at = 0; at + sizeof(T) <= expected.bytes.size(); at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, actual.bytes.data() + at, sizeof(T));
    std::memcpy(&b, expected.bytes.data() + at, sizeof(T));
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    if (std::isfinite(y)) {
      sums.squaredNorm += y * y;
      sums.greatestExpected = std::max(sums.greatestExpected, std::abs(y));
    }
    if (a == b || (std::isnan(x) && std::isnan(y))) continue;
    const double error = std::isfinite(x) && std::isfinite(y)
                             ? std::abs(x - y)
                             : std::numeric_limits<double>::infinity();
    sums.greatest = std::max(sums.greatest, error);
    sums.squaredError += error * error;
    const bool isExact = !std::is_floating_point_v<T>;
    if (isExact || !(error <= tolerance.absolute + tolerance.relative * std::abs(y)))
      sums.isWithin = false;
  }
}

}  // namespace

Difference compareTensors(const HostTensor& actual, const HostTensor& expected,
                          const Tolerance& tolerance) {
  Difference difference;
  if (actual.type != expected.type || actual.shape != expected.shape) {
    difference.mismatch = std::string("found ") + elementTypeName(actual.type) +
                          shapeText(actual.shape) + ", expected " + elementTypeName(expected.type) +
                          shapeText(expected.shape);
    return difference;
  }
  Accumulator sums;
  switch (expected.type) {
    case ElementType::kF32:
      accumulate<float>(actual, expected, tolerance, sums);
      break;
    case ElementType::kF64:
      accumulate<double>(actual, expected, tolerance, sums);
      break;
    case ElementType::kI8:
      accumulate<int8_t>(actual, expected, tolerance, sums);
      break;
    case ElementType::kI16:
      accumulate<int16_t>(actual, expected, tolerance, sums);
      break;
    case ElementType::kI32:
      accumulate<int32_t>(actual, expected, tolerance, sums);
      break;
    case ElementType::kI64:
      accumulate<int64_t>(actual, expected, tolerance, sums);
      break;
    case ElementType::kBool:
    case ElementType::kU8:
      accumulate<uint8_t>(actual, expected, tolerance, sums);
      break;
    case ElementType::kU16:
      accumulate<uint16_t>(actual, expected, tolerance, sums);
      break;
    case ElementType::kU32:
      accumulate<uint32_t>(actual, expected, tolerance, sums);
      break;
    case ElementType::kU64:
      accumulate<uint64_t>(actual, expected, tolerance, sums);
      break;
    default:
      difference.mismatch =
          std::string(elementTypeName(expected.type)) + " tensors cannot be compared";
      return difference;
  }
  difference.isWithin = sums.isWithin;
  const bool isExact = expected.type != ElementType::kF32 && expected.type != ElementType::kF64;
  difference.isWithinScaled =
      sums.isWithin ||
      (!isExact &&
       sums.greatest <= tolerance.absolute + tolerance.relative * sums.greatestExpected);
  difference.greatest = sums.greatest;
  difference.relativeError =
      sums.squaredError == 0 ? 0
                             : std::sqrt(sums.squaredError / std::max(sums.squaredNorm, 1e-300));
  return difference;
}

void printDifference(size_t index, const std::string& name, ElementType type,
                     const std::vector<int64_t>& shape, const Difference& difference) {
  if (!difference.mismatch.empty()) {
    std::printf("output %zu '%s': differs: %s\n", index, name.c_str(), difference.mismatch.c_str());
    return;
  }
  std::printf("output %zu '%s' %s%s: max abs diff %.3g, relative error %.3g: %s\n", index,
              name.c_str(), elementTypeName(type), shapeText(shape).c_str(), difference.greatest,
              difference.relativeError, difference.isWithin ? "ok" : "differs");
}

bool reportDifferences(std::span<const HostTensor> actual, std::span<const HostTensor> expected,
                       const Tolerance& tolerance) {
  bool allWithin = actual.size() == expected.size();
  if (!allWithin) std::printf("found %zu outputs, expected %zu\n", actual.size(), expected.size());
  for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    const Difference difference = compareTensors(actual[i], expected[i], tolerance);
    allWithin = allWithin && difference.isWithin;
    printDifference(i, actual[i].name, actual[i].type, actual[i].shape, difference);
  }
  return allWithin;
}

}  // namespace tessera::cli
