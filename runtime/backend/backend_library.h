// Finds the runtime halves that an artifact needs: those given by the caller, those linked in, and
// shared libraries.
#pragma once

#include <map>
#include <span>
#include <string>

#include "runtime/backend/runtime_half.h"

namespace tessera::runtime {

/// The halves of one executable.
class BackendLibrary {
 public:
  /// Both outlive it.
  BackendLibrary(const artifact::Bundle& bundle,
                 std::span<const tessera_backend_runtime* const> given)
      : bundle_(bundle), given_(given.begin(), given.end()) {}

  /// The half of a target kind: among the caller's, then the linked-in ones, then
  /// libtessera_backend_<kind>.so in the folders of TESSERA_PLUGIN_PATH and beside this library.
  /// The first one with that name decides; libraries stay loaded. Errors: BACKEND, the same when
  /// asked again.
  Outcome find(const std::string& kind, const Half*& half);

 private:
  struct Found {
    Outcome outcome;
    std::unique_ptr<Half> half;
  };
  Found search(const std::string& kind) const;

  const artifact::Bundle& bundle_;
  std::vector<const tessera_backend_runtime*> given_;
  std::map<std::string, Found> found_;
};

}  // namespace tessera::runtime
