// What made the code whose times are kept, and what runs it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/backend_registry/registry.h"

namespace tessera::driver {

/// What tells this library's file from other builds, which compute otherwise, perhaps: the linker's
/// hash of it, else ours. Empty where it cannot be read.
const std::string& compilerHash();

/// What code that is kept in files was compiled by: this library, LLVM and MLIR. Empty where that
/// cannot be told.
const std::string& codeGenerator();

/// Code generators, and runtime halves in files of their own, that were built anew reuse no times
/// of their predecessors.
class CodeVersions {
 public:
  /// Plugins have code generators of their own.
  explicit CodeVersions(std::vector<backend_registry::Plugin> plugins)
      : plugins_(std::move(plugins)) {}

  /// A hash of the files: this library's, the plugin's, the runtime half's and those of what it is
  /// linked with, and what the backend says that it uses, as far as there are such.
  const std::string& of(const backend_api::Owner& owner) const;
  /// Of all of them.
  std::string of(const backend_api::Owners& owners) const;

 private:
  std::vector<backend_registry::Plugin> plugins_;
  mutable std::map<std::string, std::string> hashes_;  ///< By target.
};

}  // namespace tessera::driver
