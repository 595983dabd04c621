// Files read in place.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tessera/status.h"

namespace tessera::base {

/// A whole file in memory, read-only and private to the process; unmapped on destruction. The bytes
/// start at a page and stay where they are when the object moves.
class MappedFile {
 public:
  /// Errors name the path: the file cannot be opened, is no regular file, or cannot be mapped. An
  /// empty file has no bytes.
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

/// The whole file as text; errors as those of MappedFile::open.
Result<std::string> readFile(const std::string& path);

}  // namespace tessera::base
