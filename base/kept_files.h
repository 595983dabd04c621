// What can be made again, kept in files for the next time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/mapped_file.h"

namespace tessera::base {

/// Files in a folder that take `mostBytes` together: what was used longest ago goes first.
/// Processes may share it; a file is there as a whole or not at all.
class KeptFiles {
 public:
  /// The folder is made when there is something to keep; without a name there is none. Files
  /// without `suffix` are left alone.
  KeptFiles(std::string folder, std::string suffix, uint64_t mostBytes)
      : folder_(std::move(folder)), suffix_(std::move(suffix)), mostBytes_(mostBytes) {}

  struct Found {
    MappedFile file;
    std::span<const std::byte> bytes;  ///< In the file.
  };
  /// Nothing where nothing was kept under this name, or it was damaged since.
  std::optional<Found> find(const std::string& name) const;
  /// Without an error: what cannot be kept is made again. Neither is what is more than all files
  /// may take.
  void keep(const std::string& name, std::span<const std::byte> bytes) const;

 private:
  std::string pathOf(const std::string& name) const;
  void makeRoom(uint64_t bytes) const;

  std::string folder_, suffix_;
  uint64_t mostBytes_;
};

}  // namespace tessera::base
