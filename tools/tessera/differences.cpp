#include "differences.h"

#include <algorithm>
#include <cstdio>

namespace tessera::cli {

/// "differs at element 7 (2.5, expected inf), 3 elements by a NaN or an infinity"
static std::string differsText(const TensorDifference& difference) {
  std::string text = "differs at element " + std::to_string(difference.firstOutside) + " (" +
                     difference.firstValues + ")";
  if (difference.numNotFinite > 0)
    text += ", " + std::to_string(difference.numNotFinite) + " elements by a NaN or an infinity";
  return text;
}

void printDifference(size_t index, const std::string& name, ElementType type,
                     const std::vector<int64_t>& shape, const TensorDifference& difference) {
  if (!difference.mismatch.empty()) {
    std::printf("output %zu '%s': differs: %s\n", index, name.c_str(), difference.mismatch.c_str());
    return;
  }
  std::printf("output %zu '%s' %s%s: max abs diff %.3g, relative error %.3g: %s\n", index,
              name.c_str(), elementTypeName(type), shapeText(shape).c_str(), difference.greatest,
              difference.relativeError,
              difference.isWithin ? "ok" : differsText(difference).c_str());
}

bool reportDifferences(std::span<const HostTensor> actual, std::span<const HostTensor> expected,
                       const Tolerance& tolerance) {
  bool allWithin = actual.size() == expected.size();
  if (!allWithin) std::printf("found %zu outputs, expected %zu\n", actual.size(), expected.size());
  for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    const TensorDifference difference = compareTensors(actual[i], expected[i], tolerance);
    allWithin = allWithin && difference.isWithin;
    printDifference(i, actual[i].name, actual[i].type, actual[i].shape, difference);
  }
  return allWithin;
}

}  // namespace tessera::cli
