// A shared object that lives in memory, not in a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tessera/status.h"

namespace tessera::backend_native {

/// A loaded shared object; unloaded on destruction.
class SharedObject {
 public:
  static Result<SharedObject> load(std::span<const std::byte> elf);
  SharedObject(SharedObject&& other) noexcept;
  SharedObject& operator=(SharedObject&& other) noexcept;
  ~SharedObject();

  /// Address of a symbol; null when there is none.
  void* find(const char* name) const;

 private:
  SharedObject(int fd, void* handle) : fd_(fd), handle_(handle) {}

  int fd_ = -1;
  void* handle_ = nullptr;
};

}  // namespace tessera::backend_native
