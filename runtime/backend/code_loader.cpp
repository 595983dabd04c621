// dlopen wants a path, so the bytes go into a memfd, which has one under /proc. The descriptor
// stays open as long as the handle: glibc remembers libraries by path, and a later memfd with the
// same number would get this one again.
#include "runtime/backend/code_loader.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace tessera::runtime {
namespace {

struct Code {
  int fd;
  void* handle;
};

bool writeAll(int fd, const void* bytes, size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = write(fd, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

int32_t loadCode(const tessera_host_services* services, const void* bytes, size_t size,
                 void** code) {
  const int fd = memfd_create("tessera-code", MFD_CLOEXEC);
  if (fd < 0)
    return fail(services, std::string("cannot create memory for code: ") + std::strerror(errno));
  if (!writeAll(fd, bytes, size)) {
    const std::string reason = std::strerror(errno);
    close(fd);
    return fail(services, "cannot store code: " + reason);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    close(fd);
    return fail(services, std::string("cannot load code: ") +
                              (reason != nullptr ? reason : "unknown reason"));
  }
  *code = new Code{.fd = fd, .handle = handle};
  return 0;
}

void* findCodeSymbol(void* code, const char* name) {
  return dlsym(static_cast<Code*>(code)->handle, name);
}

void unloadCode(void* code) {
  if (code == nullptr) return;
  auto* loaded = static_cast<Code*>(code);
  dlclose(loaded->handle);
  close(loaded->fd);
  delete loaded;
}

}  // namespace

const tessera_code_loader& codeLoader() {
  static const tessera_code_loader loader = {.size = sizeof(tessera_code_loader),
                                             .reserved = 0,
                                             .load_code = loadCode,
                                             .find_code_symbol = findCodeSymbol,
                                             .unload_code = unloadCode};
  return loader;
}

}  // namespace tessera::runtime
