// Memory that only its device can touch: addresses are those of pages without any access, behind
// which the device has storage of its own.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace tessera::backend_testdevice {

/// The memory of one device. Any thread.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  /// An address of `bytes` bytes, aligned to a page; null when memory is short.
  void* allocate(size_t bytes);
  void free(void* address);
  size_t numAllocations();

  /// Where the device keeps what is at `address`, until it is freed; null unless all of `bytes` is
  /// in one allocation.
  std::byte* storageOf(const void* address, size_t bytes);

 private:
  struct Piece {
    size_t pagesBytes = 0, sizeBytes = 0;
    std::unique_ptr<std::byte[]> storage;
  };

  std::mutex mutex_;
  std::map<const std::byte*, Piece> pieces_;  ///< By address.
};

}  // namespace tessera::backend_testdevice
