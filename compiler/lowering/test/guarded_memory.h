// Memory that ends, or begins, at a page that nobody may touch: one byte too far is a fault.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace tessera::lowering {

/// Which end of the memory lies at the unreadable page; the other end has less than a page of
/// slack.
enum class Edge { kEnd, kBegin };

/// Memory of exactly `sizeBytes`, at a multiple of `alignment` (a power of two of at most a page).
/// At the end the alignment may leave up to `alignment - 1` bytes before the page. Null when the
/// system has no more. Calls nothing that allocates by other means.
void* allocateGuarded(size_t sizeBytes, size_t alignment, Edge edge);

/// Whether the address lies in memory of allocateGuarded that was not given back.
bool isGuarded(const void* address);

/// Gives it back; the whole range becomes unreadable for good, so that late uses fault too.
void releaseGuarded(void* address);

/// Memory of allocateGuarded that is given back with this object.
class GuardedMemory {
 public:
  GuardedMemory() = default;
  /// The unreadable page is at its end.
  GuardedMemory(size_t sizeBytes, size_t alignment)
      : data_(static_cast<std::byte*>(allocateGuarded(sizeBytes, alignment, Edge::kEnd))),
        sizeBytes_(sizeBytes) {}
  ~GuardedMemory() { releaseGuarded(data_); }
  GuardedMemory(GuardedMemory&& other) noexcept { swap(other); }
  GuardedMemory& operator=(GuardedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  std::byte* data() const { return data_; }
  size_t sizeBytes() const { return sizeBytes_; }
  std::span<const std::byte> bytes() const { return {data_, sizeBytes_}; }

 private:
  void swap(GuardedMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(sizeBytes_, other.sizeBytes_);
  }
  std::byte* data_ = nullptr;
  size_t sizeBytes_ = 0;
};

/// How far outside the nearest guarded memory an address is, in bytes: positive behind its end,
/// negative before its begin, 0 inside or when nothing is near. `sizeBytes` gets that memory's
/// size. Safe in a signal handler.
ptrdiff_t distanceToGuarded(const void* address, size_t& sizeBytes);

}  // namespace tessera::lowering
