// Compiled code by what it was compiled from.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/backend_api/code_folder.h"

namespace tessera::backend_api {

/// What owners compiled earlier in this session, so that a region that comes back, in another
/// module or in another placement of this one, is not compiled again; and, with a folder behind it,
/// what earlier processes compiled. Thread-safe.
class CodeCache {
 public:
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;

  CodeCache() = default;
  explicit CodeCache(CodeFolder folder) : folder_(std::move(folder)) {}

  /// `key` says all that the code depends on: the region's text, the target, the owner's version.
  /// Owners that share a cache start theirs with their kind. Null when there is none.
  Bytes find(std::string_view key);
  /// Keeps the first of two values of one key.
  void add(std::string key, std::vector<std::byte> code);

  /// All but the first `count`, in the order in which they were added: what another cache lacks
  /// that had so many. What was found in the folder is not among them.
  std::vector<std::pair<std::string, Bytes>> addedAfter(size_t count) const;

  /// Answers of find so far that were not null.
  size_t hits() const;

 private:
  std::optional<CodeFolder> folder_;
  mutable std::mutex mutex_;
  size_t hits_ = 0;
  std::map<std::string, Bytes, std::less<>> code_;
  std::vector<std::string> added_;  ///< The keys, in order.
};

}  // namespace tessera::backend_api
