// Values of the reference, kept between searches: a run of it takes seconds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/kept_files.h"

namespace tessera::driver {

/// A value by its place in some order that who keeps and who finds it agree on.
struct NumberedBytes {
  uint64_t number = 0;
  std::span<const std::byte> bytes;
};

/// Values by the name of a run, kept in files.
class ReferenceCache {
 public:
  /// As base::KeptFiles.
  ReferenceCache(std::string folder, uint64_t mostBytes)
      : files_(std::move(folder), ".values", mostBytes), mostBytes_(mostBytes) {}

  struct Found {
    base::MappedFile file;
    std::vector<NumberedBytes> values;  ///< In the file.
  };
  /// Nothing where nothing was kept under this name, or it was damaged since.
  std::optional<Found> find(const std::string& name) const;
  /// Without an error: what cannot be kept is computed again.
  void keep(const std::string& name, std::span<const NumberedBytes> values) const;

 private:
  base::KeptFiles files_;
  uint64_t mostBytes_;
};

}  // namespace tessera::driver
