#include "compiler/ir/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/aligned_memory.h"
#include "base/alignment.h"
#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/mapped_file.h"

namespace tessera::ir {

using nlohmann::json;

static constexpr size_t kHeaderSizeBytes = 8;
/// The format's key for text about the file, and what ours say there.
static constexpr const char* kMetadata = "__metadata__";
static constexpr const char* kOurFormat = "tessera";
/// The format's own limit.
static constexpr uint64_t kMaxHeaderBytes = 100'000'000;
/// The format allows no holes, so that tensors of this prefix fill the space up to the next
/// multiple of the alignment.
static constexpr std::string_view kPaddingPrefix = "padding.";

using base::alignUp;

static json tensorEntry(size_t begin, size_t end) {
  return {{"dtype", "U8"}, {"shape", {end - begin}}, {"data_offsets", {begin, end}}};
}

Status writeSafetensors(const std::string& path, const ConstantStore& store,
                        const std::set<std::string>& hashes) {
  json header = json::object();
  header[kMetadata] = {{"format", kOurFormat}};
  size_t offset = 0;
  std::vector<Blob> blobs;
  for (const std::string& hash : hashes) {
    Blob blob = store.find(hash);
    if (!blob.owner)
      return invalidInput("constant '" + hash + "' is not in the store, expected its bytes");
    if (const size_t begin = alignUp(offset); begin != offset) {
      header[std::string(kPaddingPrefix) + hash] = tensorEntry(offset, begin);
      offset = begin;
    }
    header[hash] = tensorEntry(offset, offset + blob.bytes.size());
    offset += blob.bytes.size();
    blobs.push_back(std::move(blob));
  }
  std::string text = header.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  text.resize(alignUp(kHeaderSizeBytes + text.size()) - kHeaderSizeBytes, ' ');
  TESSERA_TRY(base::AtomicFile file, base::AtomicFile::create(path));
  static constexpr std::byte kPadding[base::kBufferAlignment] = {};
  const auto headerSize = static_cast<uint64_t>(text.size());
  TESSERA_TRY_VOID(file.append(std::as_bytes(std::span(&headerSize, 1))));
  TESSERA_TRY_VOID(file.append(std::as_bytes(std::span(text))));
  size_t written = 0;
  for (const Blob& blob : blobs) {
    TESSERA_TRY_VOID(file.append(std::span(kPadding).first(alignUp(written) - written)));
    TESSERA_TRY_VOID(file.append(blob.bytes));
    written = alignUp(written) + blob.bytes.size();
  }
  return file.commit();
}

namespace {

struct Range {
  size_t begin;
  size_t end;
};

}  // namespace

static Error damaged(const std::string& path, const std::string& what) {
  Error error = invalidInput("damaged safetensors file: " + what);
  error.file = path;
  return error;
}

/// True for the 32 lower-case hexadecimal digits of a content hash.
static bool isContentHash(std::string_view name) {
  const auto isDigit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.size() == 32 && std::ranges::all_of(name, isDigit);
}

/// Where a tensor's bytes lie; nothing when it is no U8 tensor whose shape fits a range inside the
/// data.
static std::optional<Range> dataRange(const json& entry, size_t dataSize) {
  if (!entry.is_object() || !entry.contains("data_offsets") || !entry.contains("dtype") ||
      !entry.contains("shape"))
    return std::nullopt;
  const json &offsets = entry["data_offsets"], &shape = entry["shape"], &dtype = entry["dtype"];
  const auto isSize = [](const json& value) { return value.is_number_unsigned(); };
  if (!dtype.is_string() || dtype.get_ref<const std::string&>() != "U8") return std::nullopt;
  if (!offsets.is_array() || offsets.size() != 2 || !std::ranges::all_of(offsets, isSize))
    return std::nullopt;
  if (!shape.is_array() || shape.size() != 1 || !isSize(shape[0])) return std::nullopt;
  const Range range{.begin = offsets[0].get<size_t>(), .end = offsets[1].get<size_t>()};
  if (range.begin > range.end || range.end > dataSize ||
      range.end - range.begin != shape[0].get<size_t>())
    return std::nullopt;
  return range;
}

/// The header's JSON object and where the data begins.
static Result<std::pair<json, size_t>> readHeader(const std::string& path,
                                                  std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderSizeBytes) return damaged(path, "it is shorter than a header");
  uint64_t headerSize = 0;
  std::memcpy(&headerSize, bytes.data(), sizeof(headerSize));
  if (headerSize > bytes.size() - kHeaderSizeBytes || headerSize > kMaxHeaderBytes)
    return damaged(path, "its header has " + std::to_string(headerSize) +
                             " bytes, expected less than the file");
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + kHeaderSizeBytes;
  json header = json::parse(text, text + headerSize, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return damaged(path, "its header is no JSON object");
  return std::pair(std::move(header), kHeaderSizeBytes + headerSize);
}

bool isOurSafetensors(const std::string& path) {
  const auto file = base::MappedFile::open(path);
  if (!file) return false;
  const auto header = readHeader(path, file->bytes());
  if (!header || !header->first.contains(kMetadata)) return false;
  const json& metadata = header->first[kMetadata];
  return metadata.is_object() && metadata.value("format", json()) == json(kOurFormat);
}

/// The bytes where the file has them, or, where another tool left them unaligned, a copy.
static Blob alignedBlob(std::span<const std::byte> bytes,
                        const std::shared_ptr<const base::MappedFile>& file) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % base::kBufferAlignment == 0)
    return {.bytes = bytes, .owner = file};
  const std::shared_ptr<std::byte> copy = base::allocateAligned(bytes.size());
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  return {.bytes = {copy.get(), bytes.size()}, .owner = copy};
}

using Tensors = std::vector<std::pair<std::string, Range>>;

/// The constants among the tensors of a checked header, by place.
static Result<Tensors> readTensors(const std::string& path, const json& header, size_t dataSize) {
  Tensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) continue;
    const auto range = dataRange(entry, dataSize);
    if (!range) return damaged(path, "tensor '" + name + "' is no U8 tensor inside the data");
    if (!name.starts_with(kPaddingPrefix) && !isContentHash(name))
      return damaged(path, "tensor '" + name + "' is not named by a content hash");
    tensors.emplace_back(name, *range);
  }
  std::ranges::sort(tensors, {}, [](const auto& tensor) {
    return std::pair(tensor.second.begin, tensor.second.end);
  });
  size_t end = 0;
  for (const auto& [name, range] : tensors) {
    if (range.begin < end) return damaged(path, "tensor '" + name + "' overlaps another one");
    end = range.end;
  }
  std::erase_if(tensors,
                [](const auto& tensor) { return tensor.first.starts_with(kPaddingPrefix); });
  return tensors;
}

Status readSafetensors(const std::string& path, ConstantStore& store, SafetensorsOptions options) {
  TESSERA_TRY(base::MappedFile mapped, base::MappedFile::open(path));
  const auto file = std::make_shared<const base::MappedFile>(std::move(mapped));
  TESSERA_TRY(const auto header, readHeader(path, file->bytes()));
  const auto data = file->bytes().subspan(header.second);
  TESSERA_TRY(const Tensors tensors, readTensors(path, header.first, data.size()));
  const auto bytesOf = [&](const Range& range) {
    return data.subspan(range.begin, range.end - range.begin);
  };
  for (const auto& [name, range] : tensors) {
    if (options.verifyHashes && base::contentHash(bytesOf(range)) != name)
      return damaged(path, "tensor '" + name + "' has other content than its name says");
  }
  for (const auto& [name, range] : tensors) store.addNamed(name, alignedBlob(bytesOf(range), file));
  return {};
}

}  // namespace tessera::ir
