// A backend's runtime half, as the rest of the runtime uses it.
#pragma once

#include <memory>
#include <string>

#include "artifact/bundle.h"
#include "runtime/backend/outcome.h"
#include "tessera/backend_runtime.h"

namespace tessera::runtime {

/// A half whose functions are all there or null, however much of the struct it knows.
struct Half {
  const tessera_backend_runtime* given = nullptr;  ///< Equal for equal halves.
  tessera_backend_runtime table = {};
};

/// Takes a half when it is what the artifact needs (null: nothing but the kind). It can do
/// with a runtime of our ABI version, has the functions that are not optional, its name is `kind`
/// and its version new enough; `from` says where it is, for the message. Errors: BACKEND.
Outcome acceptHalf(const tessera_backend_runtime& given, const std::string& kind,
                   const artifact::BackendNeed* need, const std::string& from,
                   std::unique_ptr<Half>& half);

}  // namespace tessera::runtime
