// Files: whole reads, read-only mappings, writes that appear all at once or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera::support {

/// A read-only mapping of a file; unmapped on destruction. The bytes are page-aligned.
class MappedFile {
 public:
  /// Errors: the file cannot be opened, is no regular file, or cannot be mapped. An empty file maps
  /// to no bytes.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, sizeBytes_}; }

 private:
  MappedFile(const std::byte* data, size_t sizeBytes) : data_(data), sizeBytes_(sizeBytes) {}
  const std::byte* data_;
  size_t sizeBytes_;
};

/// The whole file as text.
Result<std::string> readFile(const std::string& path);

/// Writes through `fill` to a temporary file beside `path`, then renames it: `path` is either
/// complete or untouched. `fill` gets a sink that appends bytes.
using Sink = std::function<Status(std::span<const std::byte>)>;
Status writeFileAtomically(const std::string& path, const std::function<Status(const Sink&)>& fill);
Status writeFileAtomically(const std::string& path, std::string_view text);

}  // namespace tessera::support
