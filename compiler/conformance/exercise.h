// The life of an artifact: loaded, run, run again, on several threads, in two contexts at once,
// unloaded and loaded again.
#pragma once

#include "compiler/conformance/batch.h"

namespace tessera::conformance {

/// What went wrong with a case.
struct Finding {
  std::string check;  ///< One of conformanceChecks().
  size_t index = 0;   ///< Of the case.
  std::string what;
};

/// An element of a tensor is wrong: says which; empty when all are right.
std::string differenceOf(const void* data, const reference::Tensor& expected,
                         const std::vector<int64_t>& shape, double relative, double absolute);

/// Runs the artifact of joined cases and compares all outputs. Errors: it does not load, or a run
/// fails, which no case can be blamed for while there are several.
Result<std::vector<Finding>> exercise(const Kit& kit, std::span<const std::byte> artifact,
                                      std::span<const Case* const> cases);

}  // namespace tessera::conformance
