#include "artifact/reader.h"

#include <cstring>
#include <utility>

#include "artifact/header_codec.h"
#include "artifact/validate.h"
#include "base/checksum.h"
#include "base/content_hash.h"

namespace tessera::artifact {

/// The preamble's checks, in the order in which they explain a wrong file best.
static Result<Preamble> readPreamble(std::span<const std::byte> bytes) {
  const std::optional<uint32_t> version = formatVersionOf(bytes);
  if (!version) return invalidInput("this is not a Tessera artifact");
  if (*version != kFormatVersion) {
    return invalidInput("the artifact has format version " + std::to_string(*version) +
                        ", this library reads version " + std::to_string(kFormatVersion));
  }
  if (bytes.size() < sizeof(Preamble))
    return invalidInput("the artifact is truncated in its preamble");
  Preamble preamble;
  std::memcpy(&preamble, bytes.data(), sizeof(preamble));
  if (preamble.preambleChecksum !=
      base::checksumOf(bytes.first(offsetof(Preamble, preambleChecksum)))) {
    return invalidInput("the artifact's preamble is damaged");
  }
  if (preamble.fileSize != bytes.size()) {
    return invalidInput("the artifact is truncated or extended: it has " +
                        std::to_string(bytes.size()) + " bytes, its preamble says " +
                        std::to_string(preamble.fileSize));
  }
  constexpr uint64_t kMaxHeader = uint64_t{1} << 30;
  if (preamble.headerOffset < sizeof(Preamble) || preamble.headerOffset % kBlobAlignment != 0 ||
      preamble.headerOffset > preamble.fileSize ||
      preamble.headerSize > preamble.fileSize - preamble.headerOffset || preamble.headerSize < 8 ||
      preamble.headerSize > kMaxHeader) {
    return invalidInput("the artifact's preamble places the header outside the file");
  }
  return preamble;
}

std::optional<uint32_t> formatVersionOf(std::span<const std::byte> bytes) {
  uint32_t version = 0;
  if (bytes.size() < kMagic.size() + sizeof(version)) return std::nullopt;
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) return std::nullopt;
  std::memcpy(&version, bytes.data() + kMagic.size(), sizeof(version));
  return version;
}

Result<Artifact> parse(std::span<const std::byte> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kBlobAlignment != 0) {
    return usageError("an artifact in memory must be aligned to " + std::to_string(kBlobAlignment) +
                      " bytes");
  }
  TESSERA_TRY(const Preamble preamble, readPreamble(bytes));
  const auto header = bytes.subspan(preamble.headerOffset, preamble.headerSize);
  if (base::checksumOf(header) != preamble.headerChecksum)
    return invalidInput("the artifact's header is damaged");
  TESSERA_TRY(DecodedHeader decoded, decodeHeader(header, bytes, preamble.headerOffset));
  TESSERA_TRY_VOID(validate(decoded.bundle));
  return Artifact{
      .bundle = std::move(decoded.bundle), .blobs = std::move(decoded.blobs), .bytes = bytes};
}

static Status verifyStored(const Artifact& artifact, size_t index) {
  const StoredBlob& blob = artifact.blobs[index];
  if (base::checksumOf(artifact.bytes.subspan(blob.offset, blob.sizeBytes)) == blob.checksum)
    return {};
  return invalidInput(
      "blob " + std::to_string(index) + " of the artifact differs from its checksum (offset " +
      std::to_string(blob.offset) + ", size " + std::to_string(blob.sizeBytes) + ")");
}

static bool isStored(const Artifact& artifact, const Blob& blob) {
  const std::byte* data = blob.bytes().data();
  return data >= artifact.bytes.data() && data < artifact.bytes.data() + artifact.bytes.size();
}

Status provideConstants(
    Artifact& artifact,
    const std::function<std::span<const std::byte>(const Constant& constant)>& find) {
  for (Constant& constant : artifact.bundle.constants) {
    if (!constant.data.isExternal()) continue;
    if (constant.data.sizeBytes() == 0) {  // Nobody has to provide nothing.
      constant.data = Blob::borrowed({});
      continue;
    }
    const std::span<const std::byte> bytes = find(constant);
    if (bytes.size() != constant.data.sizeBytes() || bytes.data() == nullptr) {
      return invalidInput("nobody provides constant " + constant.contentHash + " of " +
                          std::to_string(constant.data.sizeBytes()) +
                          " bytes, to which the artifact refers");
    }
    if (reinterpret_cast<uintptr_t>(bytes.data()) % kBlobAlignment != 0) {
      return invalidInput("constant " + constant.contentHash + " is not aligned to " +
                          std::to_string(kBlobAlignment) + " bytes");
    }
    constant.data = Blob::borrowed(bytes);
  }
  return {};
}

Status verifyChecksums(const Artifact& artifact) {
  for (size_t i = 0; i < artifact.blobs.size(); ++i) TESSERA_TRY_VOID(verifyStored(artifact, i));
  for (const Constant& constant : artifact.bundle.constants) {
    if (constant.data.isExternal() || isStored(artifact, constant.data)) continue;
    const std::string hash = base::contentHash(constant.data.bytes());
    if (constant.data.sizeBytes() > 0 && hash != constant.contentHash)
      return invalidInput("constant " + constant.contentHash +
                          " was provided with bytes whose hash is " + hash);
  }
  return {};
}

Status verifyChecksum(const Artifact& artifact, const Blob& blob) {
  if (!isStored(artifact, blob)) return {};
  const auto offset = static_cast<uint64_t>(blob.bytes().data() - artifact.bytes.data());
  for (size_t i = 0; i < artifact.blobs.size(); ++i) {
    const StoredBlob& stored = artifact.blobs[i];
    if (stored.offset == offset && stored.sizeBytes == blob.sizeBytes())
      TESSERA_TRY_VOID(verifyStored(artifact, i));
  }
  return {};
}

}  // namespace tessera::artifact
