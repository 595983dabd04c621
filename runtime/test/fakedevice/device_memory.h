// Memory that only its device can touch: pages without any access, but while the device works.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace tessera::fakedevice {

/// The memory of one device. Any thread.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  /// Null when memory is short.
  void* allocate(size_t bytes);
  void free(void* data);
  size_t numAllocations();

  /// All of the memory can be read and written from construction to destruction; the device does
  /// nothing else meanwhile.
  class Access {
   public:
    explicit Access(DeviceMemory& memory);
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;
    ~Access();

   private:
    DeviceMemory& memory_;
    std::unique_lock<std::mutex> lock_;
  };

 private:
  void protect(int protection);

  std::mutex mutex_;
  std::map<void*, size_t> pieces_;  ///< Address and bytes, whole pages.
};

}  // namespace tessera::fakedevice
