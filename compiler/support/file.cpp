#include "compiler/support/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tessera::support {

static Error fileError(const std::string& path, const std::string& what) {
  Error error = invalidInput(what + ": " + std::strerror(errno));
  error.file = path;
  return error;
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return fileError(path, "cannot open the file");
  struct stat info;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    if (errno == 0 || !S_ISREG(info.st_mode)) errno = EISDIR;
    Error error = fileError(path, "cannot read the file");
    ::close(fd);
    return error;
  }
  const auto sizeBytes = static_cast<size_t>(info.st_size);
  void* data = nullptr;
  if (sizeBytes > 0) data = ::mmap(nullptr, sizeBytes, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (data == MAP_FAILED) return fileError(path, "cannot map the file");
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const std::byte*>(data), sizeBytes));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), sizeBytes_);
}

Result<std::string> readFile(const std::string& path) {
  TESSERA_TRY(auto file, MappedFile::open(path));
  const auto bytes = file->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

static Status writeAll(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fileError(path, "cannot write the file");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status writeFileAtomically(const std::string& path,
                           const std::function<Status(const Sink&)>& fill) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) return fileError(path, "cannot create the file");
  ::fchmod(fd, 0644);
  Status status = fill([&](std::span<const std::byte> bytes) { return writeAll(fd, bytes, path); });
  if (::close(fd) != 0 && status) status = fileError(path, "cannot write the file");
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0)
    status = fileError(path, "cannot rename the file");
  if (!status) ::unlink(temporary.c_str());
  return status;
}

Status writeFileAtomically(const std::string& path, std::string_view text) {
  return writeFileAtomically(
      path, [&](const Sink& sink) { return sink(std::as_bytes(std::span(text))); });
}

}  // namespace tessera::support
