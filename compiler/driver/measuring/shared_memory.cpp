#include "compiler/driver/measuring/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tessera::driver {

static Error systemError(const std::string& what) {
  return targetFailed(what + ": " + std::strerror(errno));
}

Result<SharedMemory> SharedMemory::create() {
  const int file = memfd_create("tessera", MFD_CLOEXEC);
  if (file < 0) return systemError("there is no memory to share with workers");
  return SharedMemory(file);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::exchange(other.file_, -1)), size_(other.size_) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (file_ >= 0) close(file_);
}

Result<Extent> SharedMemory::append(std::span<const std::byte> bytes) {
  constexpr uint64_t kAlignment = 64;
  const Extent extent{.offset = size_, .size = bytes.size()};
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = pwrite(file_, bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(extent.offset + done));
    if (count < 0 && errno != EINTR) return systemError("memory shared with workers is full");
    if (count > 0) done += static_cast<size_t>(count);
  }
  size_ = (extent.offset + extent.size + kAlignment - 1) / kAlignment * kAlignment;
  return extent;
}

std::string SharedMemory::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
}

SharedView::~SharedView() {
  for (const std::span<const std::byte> mapping : mappings_)
    munmap(const_cast<std::byte*>(mapping.data()), mapping.size());
}

Status SharedView::map(const std::string& path, uint64_t size) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return systemError("shared memory cannot be opened");
  struct stat status = {};
  const bool isThere = fstat(file, &status) == 0 && static_cast<uint64_t>(status.st_size) >= size;
  const auto length = isThere ? static_cast<size_t>(status.st_size) : 0;
  void* bytes = isThere ? mmap(nullptr, length, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (!isThere) return targetFailed("shared memory ends too early");
  if (bytes == MAP_FAILED) return systemError("shared memory cannot be mapped");
  mappings_.emplace_back(static_cast<const std::byte*>(bytes), length);
  return {};
}

Result<std::span<const std::byte>> SharedView::read(const std::string& path, Extent extent) {
  if (extent.size == 0) return std::span<const std::byte>();
  const uint64_t end = extent.offset + extent.size;
  if (end < extent.offset) return targetFailed("shared memory ends too early");
  if (mappings_.empty() || mappings_.back().size() < end) TESSERA_TRY_VOID(map(path, end));
  return mappings_.back().subspan(extent.offset, extent.size);
}

}  // namespace tessera::driver
