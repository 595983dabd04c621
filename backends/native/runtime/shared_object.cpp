// dlopen wants a path, so the bytes go into a memfd, which has one under /proc. The descriptor
// stays open as long as the handle: glibc remembers libraries by path, and a later memfd with the
// same number would get this one again.
#include "backends/native/runtime/shared_object.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tessera::backend_native {

static bool writeAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

Result<SharedObject> SharedObject::load(std::span<const std::byte> elf) {
  const int fd = memfd_create("tessera-native", MFD_CLOEXEC);
  if (fd < 0)
    return targetFailed(std::string("cannot create memory for native code: ") +
                        std::strerror(errno));
  if (!writeAll(fd, elf)) {
    Error error = targetFailed(std::string("cannot store native code: ") + std::strerror(errno));
    close(fd);
    return error;
  }
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    close(fd);
    return targetFailed(std::string("cannot load native code: ") +
                        (reason != nullptr ? reason : "unknown reason"));
  }
  return SharedObject(fd, handle);
}

SharedObject::SharedObject(SharedObject&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), handle_(std::exchange(other.handle_, nullptr)) {}

SharedObject& SharedObject::operator=(SharedObject&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(handle_, other.handle_);
  return *this;
}

SharedObject::~SharedObject() {
  if (handle_ != nullptr) dlclose(handle_);
  if (fd_ >= 0) close(fd_);
}

void* SharedObject::find(const char* name) const { return dlsym(handle_, name); }

}  // namespace tessera::backend_native
