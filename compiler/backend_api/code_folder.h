// Compiled code in files, for processes to come.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::backend_api {

/// What compilations keep for those after them, in folders below one: what was used longest ago
/// goes first. Thread-safe; processes may share it.
class CodeFolder {
 public:
  /// The folders together take `mostBytes`, a single code at most 1/256 of that. Without a name
  /// there is no folder, and nothing is kept.
  /// `version` is what tells all compilers apart that may make other code of the same key; it is
  /// asked for once something is looked for. Empty: it cannot be told, and nothing is kept.
  CodeFolder(std::string folder, std::function<std::string()> version, uint64_t mostBytes)
      : folder_(std::move(folder)), version_(std::move(version)), mostBytes_(mostBytes) {}

  std::optional<std::vector<std::byte>> find(std::string_view key) const;
  /// Without an error: what cannot be kept is compiled again. The first of two codes of a key
  /// stays.
  void keep(std::string_view key, std::span<const std::byte> code) const;

 private:
  std::string nameOf(std::string_view key) const;

  std::string folder_;
  std::function<std::string()> version_;
  uint64_t mostBytes_;
};

}  // namespace tessera::backend_api
