// How far two tensors are apart, as printed.
#pragma once

#include <span>

#include "tessera/tensor_compare.h"

namespace tessera::cli {

/// Prints the line of one output to stdout.
void printDifference(size_t index, const std::string& name, ElementType type,
                     const std::vector<int64_t>& shape, const TensorDifference& difference);

/// Prints a line for each output to stdout. Returns whether all are within the tolerance.
bool reportDifferences(std::span<const HostTensor> actual, std::span<const HostTensor> expected,
                       const Tolerance& tolerance);

}  // namespace tessera::cli
