// Regions of a module, each run in the code that its owner makes of it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tessera/compile.h"
#include "tessera/runtime.hpp"

namespace tessera::cli {

/// For Module::RegionRunner; each region is compiled and loaded when it is called first.
class RegionCode {
 public:
  /// `module` is partitioned and outlives this; `threads` as in an artifact's context.
  RegionCode(const Module& module, uint32_t threads) : module_(module), threads_(threads) {}

  Result<std::vector<HostTensor>> run(size_t call, std::span<const HostTensor> inputs);

 private:
  const Module& module_;
  uint32_t threads_;
  std::map<size_t, std::pair<std::unique_ptr<Executable>, Context>> loaded_;
};

}  // namespace tessera::cli
