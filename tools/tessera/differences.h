// How far two tensors are apart.
#pragma once

#include <span>

#include "tessera/tensor_io.h"

namespace tessera::cli {

struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-5;
};

struct Difference {
  bool isWithin = false;  ///< |a - b| <= absolute + relative * |b| for each element; integers and
                          ///< bool are equal.
  bool isWithinScaled = false;  ///< The same with the greatest |b| for all elements: for values in
                                ///< the middle of a model, where those near zero say little.
  double greatest = 0;          ///< Greatest |a - b|.
  double relativeError = 0;     ///< ||a - b|| / ||b||, 2-norms in f64.
  std::string mismatch;         ///< Type or shape differ: says how; nothing else counts then.
};

/// NaN equals NaN, infinities of one sign are equal.
Difference compareTensors(const HostTensor& actual, const HostTensor& expected,
                          const Tolerance& tolerance);

/// Prints the line of one output to stdout.
void printDifference(size_t index, const std::string& name, ElementType type,
                     const std::vector<int64_t>& shape, const Difference& difference);

/// Prints a line for each output to stdout. Returns whether all are within the tolerance.
bool reportDifferences(std::span<const HostTensor> actual, std::span<const HostTensor> expected,
                       const Tolerance& tolerance);

std::string shapeText(const std::vector<int64_t>& shape);

}  // namespace tessera::cli
