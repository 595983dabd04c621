#include "backends/testdevice/runtime/device_memory.h"

#include <sys/mman.h>

#include <new>

namespace tessera::backend_testdevice {

DeviceMemory::~DeviceMemory() {
  for (const auto& [address, piece] : pieces_)
    munmap(const_cast<std::byte*>(address), piece.pagesBytes);
}

void* DeviceMemory::allocate(size_t bytes) {
  constexpr size_t kPage = 4096;
  Piece piece{.pagesBytes = bytes == 0 ? kPage : (bytes + kPage - 1) / kPage * kPage,
              .sizeBytes = bytes,
              .storage = std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes])};
  if (piece.storage == nullptr) return nullptr;
  void* address = mmap(nullptr, piece.pagesBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  const std::lock_guard lock(mutex_);
  pieces_.emplace(static_cast<const std::byte*>(address), std::move(piece));
  return address;
}

void DeviceMemory::free(void* address) {
  const std::lock_guard lock(mutex_);
  const auto piece = pieces_.find(static_cast<const std::byte*>(address));
  if (piece == pieces_.end()) return;
  munmap(address, piece->second.pagesBytes);
  pieces_.erase(piece);
}

size_t DeviceMemory::numAllocations() {
  const std::lock_guard lock(mutex_);
  return pieces_.size();
}

std::byte* DeviceMemory::storageOf(const void* address, size_t bytes) {
  const auto* first = static_cast<const std::byte*>(address);
  const std::lock_guard lock(mutex_);
  auto piece = pieces_.upper_bound(first);
  if (piece == pieces_.begin()) return nullptr;
  --piece;
  const auto offset = static_cast<size_t>(first - piece->first);
  const size_t size = piece->second.sizeBytes;
  if (offset > size || bytes > size - offset) return nullptr;
  return piece->second.storage.get() + offset;
}

}  // namespace tessera::backend_testdevice
