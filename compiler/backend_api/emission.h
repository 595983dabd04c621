// What passes between the compiler and an owner when regions become code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/backend_api/code_cache.h"
#include "compiler/backend_api/support.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_api {

/// Called as regions finish; from any thread, one call at a time.
using Progress = std::function<void(size_t done, size_t total)>;

/// What the compiler gives an owner while it emits. Lives as long as the call.
struct EmitContext {
  size_t numThreads = 1;  ///< Threads that the owner may keep busy.
  CodeCache& cache;       ///< For the owner to use or not.
  Progress progress;      ///< May be empty.
};

/// Code for one or more regions, as the backend's runtime half reads it.
struct CodeBlob {
  std::vector<std::byte> bytes;
};

/// How one region is run.
struct RegionCode {
  std::string entry;          ///< Name that the runtime half looks up in the code blob.
  size_t blob = 0;            ///< Index into Emission::blobs.
  size_t workspaceBytes = 0;  ///< Scratch memory that one run needs, known when it was compiled.
  std::vector<std::string> cpuFeatures = {};  ///< CPU features, by LLVM name, that it needs.
};

/// Code, or why there is none: the region is placed again without this owner.
using RegionAnswer = std::variant<RegionCode, Declined>;

struct Emission {
  std::vector<CodeBlob> blobs;
  std::vector<RegionAnswer> regions;  ///< One for each region asked for, in that order.
  /// Version of the oldest runtime half that reads the blobs, as tessera_backend_runtime::version
  /// has it; empty: any does.
  std::string leastVersion = {};
  /// Least version of backend_runtime.h that the blobs expect of the runtime half.
  uint32_t leastAbi = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
};

}  // namespace tessera::backend_api
