#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tessera::base {

static Error fileError(const std::string& path, std::string message) {
  Error error = invalidInput(std::move(message));
  error.file = path;
  return error;
}

static Error mappingError(const std::string& path, const std::string& what) {
  return fileError(path, what + ": " + std::strerror(errno));
}

static Result<std::span<const std::byte>> mapAll(int fd, const std::string& path) {
  struct stat info = {};
  if (::fstat(fd, &info) != 0) return mappingError(path, "cannot read the file");
  if (!S_ISREG(info.st_mode)) return fileError(path, "it is not a regular file");
  const auto sizeBytes = static_cast<size_t>(info.st_size);
  if (sizeBytes == 0) return std::span<const std::byte>();
  void* data = ::mmap(nullptr, sizeBytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return mappingError(path, "cannot map the file");
  return std::span(static_cast<const std::byte*>(data), sizeBytes);
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Without O_NONBLOCK a named pipe would wait for its writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return mappingError(path, "cannot open the file");
  auto bytes = mapAll(fd, path);
  ::close(fd);
  if (!bytes) return std::move(bytes).error();
  return MappedFile(*bytes);
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<std::string> readFile(const std::string& path) {
  TESSERA_TRY(const MappedFile file, MappedFile::open(path));
  return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
}

}  // namespace tessera::base
