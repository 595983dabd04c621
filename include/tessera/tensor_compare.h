// How far two tensors are apart.
#pragma once

#include <cstddef>
#include <string>

#include "tessera/export.h"
#include "tessera/tensor_io.h"

namespace tessera {

struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-5;
};

struct TensorDifference {
  /// Two numbers x, y are close when |x - y| <= absolute + relative * |y|; integers and bool when
  /// they are equal. NaN is close to NaN alone, an infinity to the infinity of its sign alone.
  bool isWithin = false;
  /// The same with the greatest |y| for all elements: for values in the middle of a model, where
  /// those near zero say little.
  bool isWithinScaled = false;
  double greatest = 0;       ///< Greatest |x - y| of the elements that are numbers in both.
  double relativeError = 0;  ///< ||x - y|| / ||y|| of the same elements, 2-norms in f64.
  size_t numNotFinite = 0;   ///< Elements that NaN or an infinity on one side sets apart.
  size_t firstOutside = 0;   ///< Index of the first element outside; for !isWithin alone.
  std::string firstValues;   ///< Its values, "1.5, expected inf"; empty when isWithin.
  std::string mismatch;      ///< Type or shape differ: says how; nothing else counts then.
};

/// Compares `actual` with `expected`, each aligned to its element size. O(elements); thread-safe.
TESSERA_API TensorDifference compareTensors(const HostTensor& actual, const HostTensor& expected,
                                            const Tolerance& tolerance);

/// "[1, 3, ?]", ? for a negative size.
TESSERA_API std::string shapeText(const std::vector<int64_t>& shape);

}  // namespace tessera
