// A file: the hash of all that follows, 32 digits; the size of the header, 8 bytes, little-endian;
// the header, CBOR: [number, size] of each value; their bytes, one behind the other.
#include "compiler/driver/measuring/reference_cache.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "nlohmann/json.hpp"

namespace tessera::driver {

namespace fs = std::filesystem;
using nlohmann::json;

static constexpr size_t kHashSize = 32;
static constexpr const char* kSuffix = ".values";
/// What was being written this long ago was left by a process that was killed.
static constexpr std::chrono::hours kOld(24);

std::string ReferenceCache::pathOf(const std::string& name) const {
  return (fs::path(folder_) / (name + kSuffix)).string();
}

/// Of a file whose hash is right; nothing where it is another's.
static std::optional<std::vector<NumberedBytes>> parse(std::span<const std::byte> bytes) {
  uint64_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes = bytes.subspan(sizeof size);
  if (size > bytes.size()) return std::nullopt;
  const auto* header = reinterpret_cast<const uint8_t*>(bytes.data());
  const json list = json::from_cbor(header, header + size, true, /*allow_exceptions=*/false);
  bytes = bytes.subspan(size);
  if (!list.is_array()) return std::nullopt;
  std::vector<NumberedBytes> values;
  for (const json& each : list) {
    const bool isPair = each.is_array() && each.size() == 2 && each[0].is_number_unsigned() &&
                        each[1].is_number_unsigned();
    if (!isPair || each[1].get<uint64_t>() > bytes.size()) return std::nullopt;
    values.push_back({.number = each[0], .bytes = bytes.first(each[1].get<uint64_t>())});
    bytes = bytes.subspan(values.back().bytes.size());
  }
  return values;
}

std::optional<ReferenceCache::Found> ReferenceCache::find(const std::string& name) const {
  auto file = base::MappedFile::open(pathOf(name));
  if (!file || file->bytes().size() < kHashSize) return std::nullopt;
  const std::span<const std::byte> rest = file->bytes().subspan(kHashSize);
  const std::string_view hash(reinterpret_cast<const char*>(file->bytes().data()), kHashSize);
  if (base::contentHash(rest) != hash) return std::nullopt;
  std::optional<std::vector<NumberedBytes>> values = parse(rest);
  if (!values) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(pathOf(name), fs::file_time_type::clock::now(), ignored);
  return Found{.file = std::move(*file), .values = std::move(*values)};
}

void ReferenceCache::makeRoom(uint64_t bytes) const {
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
    if (isOld && each.path().extension() == base::kPartialSuffix) fs::remove(each.path(), gone);
    if (gone || each.path().extension() != kSuffix) continue;
    files.push_back({.path = each.path(), .size = size, .used = used});
    sum += size;
  }
  std::ranges::sort(files, {}, &File::used);
  for (const File& file : files) {
    if (sum <= mostBytes_) return;
    fs::remove(file.path, error);
    sum -= file.size;
  }
}

void ReferenceCache::keep(const std::string& name, std::span<const NumberedBytes> values) const {
  uint64_t sum = 0;
  json list = json::array();
  for (const NumberedBytes& each : values) {
    list.push_back({each.number, uint64_t{each.bytes.size()}});
    sum += each.bytes.size();
  }
  if (sum > mostBytes_) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  makeRoom(sum);
  const std::vector<uint8_t> header = json::to_cbor(list);
  const uint64_t size = header.size();
  std::vector<std::byte> rest(sizeof size + header.size() + sum);
  std::memcpy(rest.data(), &size, sizeof size);
  std::memcpy(rest.data() + sizeof size, header.data(), header.size());
  std::byte* at = rest.data() + sizeof size + header.size();
  for (const NumberedBytes& each : values) at = std::ranges::copy(each.bytes, at).out;
  auto file = base::AtomicFile::create(pathOf(name));
  if (!file) return;
  const std::string hash = base::contentHash(rest);
  if (file->append(std::as_bytes(std::span(hash))) && file->append(rest)) (void)file->commit();
}

}  // namespace tessera::driver
