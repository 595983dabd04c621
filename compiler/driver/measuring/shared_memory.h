// Bytes that this process and its workers see without copying them from one to the other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tessera/status.h"

namespace tessera::driver {

/// Where bytes lie in the memory.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// Memory that grows, in a file without a name: gone with the processes that have it.
class SharedMemory {
 public:
  /// Errors (kTargetFailed): the system gives none.
  static Result<SharedMemory> create();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  /// Copies bytes behind all others, 64-byte aligned. Errors (kTargetFailed): it is full.
  Result<Extent> append(std::span<const std::byte> bytes);
  /// What another process opens it by, while this one has it.
  std::string path() const;

 private:
  explicit SharedMemory(int file) : file_(file) {}

  int file_ = -1;
  uint64_t size_ = 0;
};

/// The same from another process. What was read stays where it is while this lives.
class SharedView {
 public:
  SharedView() = default;
  SharedView(const SharedView&) = delete;
  SharedView& operator=(const SharedView&) = delete;
  ~SharedView();

  /// The bytes of an extent. Errors (kTargetFailed): it cannot be opened, they are not there.
  Result<std::span<const std::byte>> read(const std::string& path, Extent extent);

 private:
  Status map(const std::string& path, uint64_t size);

  std::vector<std::span<const std::byte>> mappings_;  ///< The last one is the largest.
};

}  // namespace tessera::driver
