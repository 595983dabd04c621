// Writing goes front to back: space for the preamble, blobs with a checksum each, header, then the
// preamble in its place.
#include "artifact/writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "artifact/header_codec.h"
#include "artifact/validate.h"
#include "base/alignment.h"
#include "base/atomic_file.h"
#include "base/checksum.h"

namespace tessera::artifact {
namespace {

/// Where the bytes go; append in order, then overwrite the first ones once.
class Output {
 public:
  virtual ~Output() = default;
  virtual Status append(std::span<const std::byte> bytes) = 0;
  virtual Status overwriteFront(std::span<const std::byte> bytes) = 0;
};

class MemoryOutput final : public Output {
 public:
  Status append(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  Status overwriteFront(std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, bytes_.begin());
    return {};
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class FileOutput final : public Output {
 public:
  explicit FileOutput(base::AtomicFile& file) : file_(file) {}
  Status append(std::span<const std::byte> bytes) override { return file_.append(bytes); }
  Status overwriteFront(std::span<const std::byte> bytes) override {
    return file_.overwriteFront(bytes);
  }

 private:
  base::AtomicFile& file_;
};

/// Appends blobs and remembers where equal ones lie.
class BlobWriter {
 public:
  explicit BlobWriter(Output& output) : output_(output) {}

  Status padTo(uint64_t alignment) {
    static constexpr std::array<std::byte, kPageSize> kZeros = {};
    const uint64_t padding = base::alignUp(position_, alignment) - position_;
    position_ += padding;
    return output_.append(std::span(kZeros).first(padding));
  }

  Status raw(std::span<const std::byte> bytes) {
    position_ += bytes.size();
    return output_.append(bytes);
  }

  Result<uint32_t> add(const Blob& blob) {
    TESSERA_TRY_VOID(padTo(blobAlignment(blob.sizeBytes())));
    const uint64_t offset = position_;
    base::Checksum checksum;
    TESSERA_TRY_VOID(blob.forEachChunk([&](std::span<const std::byte> bytes) -> Status {
      if (bytes.size() > blob.sizeBytes() - (position_ - offset)) {
        return targetFailed("a constant produced more than its " +
                            std::to_string(blob.sizeBytes()) + " bytes");
      }
      checksum.update(bytes);
      return raw(bytes);
    }));
    if (position_ - offset != blob.sizeBytes()) {
      return targetFailed("a constant produced " + std::to_string(position_ - offset) +
                          " bytes, expected " + std::to_string(blob.sizeBytes()));
    }
    blobs_.push_back(
        {.offset = offset, .sizeBytes = blob.sizeBytes(), .checksum = checksum.value()});
    return static_cast<uint32_t>(blobs_.size() - 1);
  }

  uint64_t position() const { return position_; }
  std::vector<StoredBlob> takeBlobs() { return std::move(blobs_); }

 private:
  Output& output_;
  uint64_t position_ = 0;
  std::vector<StoredBlob> blobs_;
};

bool equalBytes(const Blob& a, const Blob& b) {
  return !a.isStreamed() && !b.isStreamed() && std::ranges::equal(a.bytes(), b.bytes());
}

Result<std::vector<uint32_t>> writeConstants(const Bundle& bundle, const WriteOptions& options,
                                             BlobWriter& writer) {
  std::vector<uint32_t> indices;
  std::map<std::string, uint32_t> byHash;
  for (const Constant& constant : bundle.constants) {
    const bool isReferred =
        options.referenceConstants && constant.data.isBorrowed() && !constant.contentHash.empty();
    if (isReferred || constant.data.isExternal()) {
      indices.push_back(kExternal);
      continue;
    }
    const auto known =
        constant.contentHash.empty() ? byHash.end() : byHash.find(constant.contentHash);
    if (known != byHash.end()) {
      indices.push_back(known->second);
      continue;
    }
    TESSERA_TRY(const uint32_t index, writer.add(constant.data));
    if (!constant.contentHash.empty()) byHash.emplace(constant.contentHash, index);
    indices.push_back(index);
  }
  return indices;
}

Result<std::vector<uint32_t>> writeCode(const Bundle& bundle, BlobWriter& writer) {
  std::vector<uint32_t> indices;
  for (size_t i = 0; i < bundle.codeBlobs.size(); ++i) {
    size_t same = 0;
    while (same < i && !equalBytes(bundle.codeBlobs[same], bundle.codeBlobs[i])) ++same;
    if (same < i) {
      indices.push_back(indices[same]);
      continue;
    }
    TESSERA_TRY(const uint32_t index, writer.add(bundle.codeBlobs[i]));
    indices.push_back(index);
  }
  return indices;
}

Status write(const Bundle& bundle, const WriteOptions& options, Output& output) {
  TESSERA_TRY_VOID(validate(bundle));
  BlobWriter writer(output);
  Preamble preamble;
  TESSERA_TRY_VOID(writer.raw(std::as_bytes(std::span(&preamble, 1))));

  BlobTable table;
  // Code first: it is read at every load, and so close to the first page.
  TESSERA_TRY(table.codeBlobs, writeCode(bundle, writer));
  TESSERA_TRY(table.constantBlobs, writeConstants(bundle, options, writer));
  table.blobs = writer.takeBlobs();

  TESSERA_TRY_VOID(writer.padTo(kBlobAlignment));
  const std::vector<std::byte> header = encodeHeader(bundle, table);
  preamble.headerOffset = writer.position();
  preamble.headerSize = header.size();
  preamble.headerChecksum = base::checksumOf(header);
  TESSERA_TRY_VOID(writer.raw(header));
  preamble.fileSize = writer.position();
  const auto preambleBytes = std::as_bytes(std::span(&preamble, 1));
  preamble.preambleChecksum =
      base::checksumOf(preambleBytes.first(offsetof(Preamble, preambleChecksum)));
  return output.overwriteFront(preambleBytes);
}

}  // namespace

Status writeFile(const Bundle& bundle, const std::string& path, const WriteOptions& options) {
  TESSERA_TRY(base::AtomicFile file, base::AtomicFile::create(path));
  FileOutput output(file);
  TESSERA_TRY_VOID(write(bundle, options, output));
  return file.commit();
}

Result<std::vector<std::byte>> writeMemory(const Bundle& bundle, const WriteOptions& options) {
  MemoryOutput output;
  TESSERA_TRY_VOID(write(bundle, options, output));
  return output.take();
}

}  // namespace tessera::artifact
