#include "runtime/test/fakedevice/device_memory.h"

#include <sys/mman.h>

namespace tessera::fakedevice {

DeviceMemory::~DeviceMemory() {
  for (const auto& [data, bytes] : pieces_) munmap(data, bytes);
}

void* DeviceMemory::allocate(size_t bytes) {
  constexpr size_t kPage = 4096;
  const size_t whole = bytes == 0 ? kPage : (bytes + kPage - 1) / kPage * kPage;
  void* data = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  const std::lock_guard lock(mutex_);
  pieces_.emplace(data, whole);
  return data;
}

void DeviceMemory::free(void* data) {
  const std::lock_guard lock(mutex_);
  const auto piece = pieces_.find(data);
  if (piece == pieces_.end()) return;
  munmap(data, piece->second);
  pieces_.erase(piece);
}

size_t DeviceMemory::numAllocations() {
  const std::lock_guard lock(mutex_);
  return pieces_.size();
}

void DeviceMemory::protect(int protection) {
  for (const auto& [data, bytes] : pieces_) mprotect(data, bytes, protection);
}

DeviceMemory::Access::Access(DeviceMemory& memory) : memory_(memory), lock_(memory.mutex_) {
  memory_.protect(PROT_READ | PROT_WRITE);
}

DeviceMemory::Access::~Access() { memory_.protect(PROT_NONE); }

}  // namespace tessera::fakedevice
