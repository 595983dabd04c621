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
  /// A half of the caller or linked in that has the kind's name decides; a library that cannot be
  /// opened or that the artifact cannot do with gives way to the next folder's. Libraries stay
  /// loaded. Errors: BACKEND, of the first library; the same when asked again.
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
