// Values of the reference, kept between searches: a run of it takes seconds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"

namespace tessera::driver {

/// A value by its place in some order that who keeps and who finds it agree on.
struct NumberedBytes {
  uint64_t number = 0;
  std::span<const std::byte> bytes;
};

/// Files in a folder that take `mostBytes` together: what was used longest ago goes first.
class ReferenceCache {
 public:
  /// The folder is made when there is something to keep.
  ReferenceCache(std::string folder, uint64_t mostBytes)
      : folder_(std::move(folder)), mostBytes_(mostBytes) {}

  struct Found {
    base::MappedFile file;
    std::vector<NumberedBytes> values;  ///< In the file.
  };
  /// Nothing where nothing was kept under this name, or it was damaged since.
  std::optional<Found> find(const std::string& name) const;
  /// Without an error: what cannot be kept is computed again. Neither is what is more than all
  /// files may take.
  void keep(const std::string& name, std::span<const NumberedBytes> values) const;

 private:
  std::string pathOf(const std::string& name) const;
  void makeRoom(uint64_t bytes) const;

  std::string folder_;
  uint64_t mostBytes_;
};

}  // namespace tessera::driver
