// Files that appear complete or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tessera/status.h"

namespace tessera::base {

/// How temporary names end.
inline constexpr const char* kPartialSuffix = ".partial";

/// A new file under a temporary name beside its final one; the temporary is removed with the object
/// unless commit() succeeded. The file gets the permissions that any new file gets: 0666 without
/// the bits of umask. A name that is a symbolic link stands for the file behind it. Errors name the
/// final path and the system's reason.
class AtomicFile {
 public:
  /// Errors: the folder does not exist or is not writable; something that is no regular file has
  /// the name.
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  /// For writers that take a path instead of bytes; they may replace the file of this name.
  const std::string& temporaryPath() const { return temporary_; }

  Status append(std::span<const std::byte> bytes);
  /// Writes over the first bytes, which append() wrote before; nothing is appended afterwards.
  Status overwriteFront(std::span<const std::byte> bytes);
  /// Gives the file its name; what had that name is gone.
  Status commit();

 private:
  AtomicFile(std::string path, std::string temporary, int fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}
  Error error(const std::string& what) const;

  std::string path_;
  std::string temporary_;  ///< Empty once there is none.
  int fd_;
};

/// The whole content at once.
Status writeFile(const std::string& path, std::string_view text);

}  // namespace tessera::base
