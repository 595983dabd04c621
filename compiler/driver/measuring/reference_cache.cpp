// What is kept: the size of a header, 8 bytes, little-endian; the header, CBOR: [number, size] of
// each value; their bytes, one behind the other.
#include "compiler/driver/measuring/reference_cache.h"

#include <algorithm>
#include <cstring>

#include "nlohmann/json.hpp"

namespace tessera::driver {

using nlohmann::json;

/// Nothing where it is another's.
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
  std::optional<base::KeptFiles::Found> found = files_.find(name);
  if (!found) return std::nullopt;
  std::optional<std::vector<NumberedBytes>> values = parse(found->bytes);
  if (!values) return std::nullopt;
  return Found{.file = std::move(found->file), .values = std::move(*values)};
}

void ReferenceCache::keep(const std::string& name, std::span<const NumberedBytes> values) const {
  uint64_t sum = 0;
  json list = json::array();
  for (const NumberedBytes& each : values) {
    list.push_back({each.number, uint64_t{each.bytes.size()}});
    sum += each.bytes.size();
  }
  if (sum > mostBytes_) return;
  const std::vector<uint8_t> header = json::to_cbor(list);
  const uint64_t size = header.size();
  std::vector<std::byte> all(sizeof size + header.size() + sum);
  std::memcpy(all.data(), &size, sizeof size);
  std::memcpy(all.data() + sizeof size, header.data(), header.size());
  std::byte* at = all.data() + sizeof size + header.size();
  for (const NumberedBytes& each : values) at = std::ranges::copy(each.bytes, at).out;
  files_.keep(name, all);
}

}  // namespace tessera::driver
