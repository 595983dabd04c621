#include "compiler/ir/safetensors.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "compiler/support/file.h"

namespace tessera::ir {

using nlohmann::json;

static constexpr size_t kAlignment = 64;
static constexpr size_t kHeaderSizeBytes = 8;

static size_t alignUp(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

Status writeSafetensors(const std::string& path, const ConstantStore& store, const std::set<std::string>& hashes) {
  json header = json::object();
  header["__metadata__"] = {{"format", "tessera"}};
  size_t offset = 0;
  for (const std::string& hash : hashes) {
    const size_t size = store.find(hash).bytes.size();
    header[hash] = {{"dtype", "U8"}, {"shape", {size}}, {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::string text = header.dump();
  text.resize(alignUp(kHeaderSizeBytes + text.size()) - kHeaderSizeBytes, ' ');
  return support::writeFileAtomically(path, [&](const support::Sink& sink) -> Status {
    const auto headerSize = static_cast<uint64_t>(text.size());
    TESSERA_TRY_VOID(sink(std::as_bytes(std::span(&headerSize, 1))));
    TESSERA_TRY_VOID(sink(std::as_bytes(std::span(text))));
    for (const std::string& hash : hashes) {
      TESSERA_TRY_VOID(sink(store.find(hash).bytes));
    }
    return {};
  });
}

static Error damaged(const std::string& path, const std::string& what) {
  Error error = invalidInput("damaged safetensors file: " + what);
  error.file = path;
  return error;
}

/// The begin and end of a tensor's data; nothing when they are no valid range.
static std::optional<std::pair<size_t, size_t>> dataRange(const json& entry, size_t dataSize) {
  if (!entry.is_object() || !entry.contains("data_offsets")) return std::nullopt;
  const json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
    return std::nullopt;
  const auto begin = offsets[0].get<size_t>();
  const auto end = offsets[1].get<size_t>();
  if (begin > end || end > dataSize) return std::nullopt;
  return std::pair(begin, end);
}

Status readSafetensors(const std::string& path, ConstantStore& store) {
  TESSERA_TRY(const auto file, support::MappedFile::open(path));
  const auto bytes = file->bytes();
  if (bytes.size() < kHeaderSizeBytes) return damaged(path, "it is shorter than a header");
  uint64_t headerSize = 0;
  std::memcpy(&headerSize, bytes.data(), sizeof(headerSize));
  if (headerSize > bytes.size() - kHeaderSizeBytes) return damaged(path, "its header is longer than the file");
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + kHeaderSizeBytes;
  const json header = json::parse(text, text + headerSize, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return damaged(path, "its header is no JSON object");
  const auto data = bytes.subspan(kHeaderSizeBytes + headerSize);
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto range = dataRange(entry, data.size());
    if (!range) return damaged(path, "tensor '" + name + "' lies outside the data");
    store.addNamed(name, {.bytes = data.subspan(range->first, range->second - range->first), .owner = file});
  }
  return {};
}

}  // namespace tessera::ir
