// The smallest part of a model that fails as the whole does.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/status.h"

namespace tessera::reduce {

struct ReduceOptions {
  std::string model;
  std::string output;                    ///< New or empty folder; see Cutter::write.
  std::vector<std::string> run = {};     ///< Options of `tessera run`.
  std::vector<std::string> shapes = {};  ///< "input=1x3x224x224".
  std::vector<std::string> dims = {};    ///< "batch=4".
  uint64_t seed = 0;                     ///< Of the inputs.
  std::chrono::seconds timeLimit{60};    ///< What takes longer hangs.
};

/// Cuts the model into parts, runs each as `tessera run` does, and keeps what fails as the
/// whole does; says on standard error how far it is and on standard output what it came to.
/// Errors: those of Cutter and Judge; the whole does not fail (kInvalidInput).
Status reduceModel(const ReduceOptions& options);

}  // namespace tessera::reduce
