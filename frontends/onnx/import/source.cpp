#include "frontends/onnx/import/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace tessera::onnx {

namespace {

/// A read-only mapping of a whole file.
struct Mapping {
  void* address = nullptr;
  size_t sizeBytes = 0;

  Mapping(void* address, size_t sizeBytes) : address(address), sizeBytes(sizeBytes) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(address, sizeBytes); }
};

class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

static Error fileError(const std::string& path, std::string message) {
  Error error = invalidInput(std::move(message));
  error.file = path;
  return error;
}

Result<SourceBytes> mapFile(const std::string& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer.
  FileDescriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0) return fileError(path, std::string("cannot open the file: ") + std::strerror(errno));
  struct stat info {};
  if (fstat(descriptor.get(), &info) != 0) {
    return fileError(path, std::string("cannot read the file: ") + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) return fileError(path, "not a regular file");
  SourceBytes source;
  source.file = path;
  const auto sizeBytes = static_cast<size_t>(info.st_size);
  if (sizeBytes == 0) return source;
  void* address = mmap(nullptr, sizeBytes, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (address == MAP_FAILED) return fileError(path, std::string("cannot map the file: ") + std::strerror(errno));
  source.bytes = {static_cast<const std::byte*>(address), sizeBytes};
  source.owner = std::make_shared<Mapping>(address, sizeBytes);
  source.isMapped = true;
  return source;
}

SourceBytes sourceFromMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  SourceBytes source;
  if (owner != nullptr) {
    source.bytes = bytes;
    source.owner = std::move(owner);
    return source;
  }
  auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  source.bytes = *copy;
  source.owner = std::move(copy);
  return source;
}

void releasePages(const SourceBytes& source, std::span<const std::byte> part) {
  if (!source.isMapped || part.empty()) return;
  const auto pageBytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t firstPage = (begin + pageBytes - 1) / pageBytes * pageBytes;
  const uintptr_t endPage = (begin + part.size()) / pageBytes * pageBytes;
  if (endPage > firstPage) madvise(reinterpret_cast<void*>(firstPage), endPage - firstPage, MADV_DONTNEED);
}

}  // namespace tessera::onnx
