// A file: the hash of all that follows, 32 digits; what is kept.
#include "base/kept_files.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "base/content_hash.h"

namespace tessera::base {

namespace fs = std::filesystem;

static constexpr size_t kHashSize = 32;
/// What was being written this long ago was left by a process that was killed.
static constexpr std::chrono::hours kOld(24);

std::string KeptFiles::pathOf(const std::string& name) const {
  return (fs::path(folder_) / (name + suffix_)).string();
}

std::optional<KeptFiles::Found> KeptFiles::find(const std::string& name) const {
  if (folder_.empty()) return std::nullopt;
  auto file = MappedFile::open(pathOf(name));
  if (!file || file->bytes().size() < kHashSize) return std::nullopt;
  const std::span<const std::byte> rest = file->bytes().subspan(kHashSize);
  const std::string_view hash(reinterpret_cast<const char*>(file->bytes().data()), kHashSize);
  if (contentHash(rest) != hash) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(pathOf(name), fs::file_time_type::clock::now(), ignored);
  return Found{.file = std::move(*file), .bytes = rest};
}

void KeptFiles::makeRoom(uint64_t bytes) const {
  struct File {
    fs::path path;
    uint64_t size = 0;
    fs::file_time_type used;
  };
  std::vector<File> files;
  uint64_t sum = bytes;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    const fs::directory_entry& each = *it;
    std::error_code gone;  // Others may be about to make room, too.
    const uint64_t size = each.file_size(gone);
    const fs::file_time_type used = each.last_write_time(gone);
    const bool isOld = !gone && used + kOld < fs::file_time_type::clock::now();
    const bool isOurs = each.path().filename().string().find(suffix_) != std::string::npos;
    if (isOld && isOurs && each.path().extension() == kPartialSuffix) fs::remove(each.path(), gone);
    if (gone || each.path().extension() != suffix_) continue;
    files.push_back({.path = each.path(), .size = size, .used = used});
    sum += size;
  }
  std::ranges::sort(files, {}, &File::used);
  for (const File& file : files) {
    if (sum <= mostBytes_) return;
    if (fs::remove(file.path, error)) sum -= file.size;
  }
}

void KeptFiles::keep(const std::string& name, std::span<const std::byte> bytes) const {
  if (folder_.empty() || kHashSize + bytes.size() > mostBytes_) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  makeRoom(kHashSize + bytes.size());
  auto file = AtomicFile::create(pathOf(name));
  if (!file) return;
  const std::string hash = contentHash(bytes);
  if (file->append(std::as_bytes(std::span(hash))) && file->append(bytes)) (void)file->commit();
}

}  // namespace tessera::base
