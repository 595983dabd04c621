// The temporary is created by open(O_EXCL, 0666), not by mkstemp, whose files only their owner may
// read: so the kernel applies umask, which a program with threads cannot ask for without changing
// it.
#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace tessera::base {

static Error systemError(const std::string& path, const std::string& what) {
  Error error = invalidInput(what + ": " + std::strerror(errno));
  error.file = path;
  return error;
}

/// Where a file of this name is: behind symbolic links. Renaming would replace a link, and a device
/// or pipe for good.
static Result<std::string> placeOf(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {  // Nothing yet, or a link to nothing yet.
    std::error_code failure;
    const std::filesystem::path behind = std::filesystem::read_symlink(path, failure);
    if (failure) return path;
    // Its folder may be a link, too; a link to a link to nothing is taken by its own name.
    return (std::filesystem::path(path).parent_path() / behind).string();
  }
  if (S_ISREG(status.st_mode)) {
    std::error_code failure;
    const std::filesystem::path place = std::filesystem::canonical(path, failure);
    return failure ? path : place.string();
  }
  Error error = invalidInput("what has this name is no regular file");
  error.file = path;
  return error;
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  TESSERA_TRY(const std::string place, placeOf(path));
  static std::atomic<unsigned> count = 0;
  const std::string stem = place + "." + std::to_string(::getpid()) + "-";
  while (true) {
    std::string temporary = stem + std::to_string(count++) + kPartialSuffix;
    const int fd = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return AtomicFile(place, std::move(temporary), fd);
    // A leftover of a process that had this number before.
    if (errno != EEXIST) return systemError(place, "cannot create a temporary file beside it");
  }
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(fd_, other.fd_);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Error AtomicFile::error(const std::string& what) const { return systemError(path_, what); }

Status AtomicFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return error("cannot write");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status AtomicFile::overwriteFront(std::span<const std::byte> bytes) {
  if (::lseek(fd_, 0, SEEK_SET) != 0) return error("cannot seek");
  return append(bytes);
}

Status AtomicFile::commit() {
  // Some file systems report a failed write when the file is closed.
  if (::close(std::exchange(fd_, -1)) != 0) return error("cannot finish");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return error("cannot finish");
  temporary_.clear();
  return {};
}

Status writeFile(const std::string& path, std::string_view text) {
  TESSERA_TRY(AtomicFile file, AtomicFile::create(path));
  TESSERA_TRY_VOID(file.append(std::as_bytes(std::span(text))));
  return file.commit();
}

}  // namespace tessera::base
