// Bundle <-> FlatBuffers header. Internal to artifact/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "artifact/bundle.h"
#include "artifact/format.h"
#include "tessera/status.h"

namespace tessera::artifact {

/// In place of the index of a constant's blob: the file does not hold it.
constexpr uint32_t kExternal = UINT32_MAX;

/// Which stored blob holds each constant and code blob of a bundle.
struct BlobTable {
  std::vector<StoredBlob> blobs;
  std::vector<uint32_t> constantBlobs;  ///< Or kExternal.
  std::vector<uint32_t> codeBlobs;
};

std::vector<std::byte> encodeHeader(const Bundle& bundle, const BlobTable& table);

/// What decodeHeader gives back: the bundle with blobs that borrow from the file.
struct DecodedHeader {
  Bundle bundle;
  std::vector<StoredBlob> blobs;
};

/// Decodes an untrusted header (16-byte aligned) of the artifact `file`, whose blobs must lie in
/// [sizeof(Preamble), blobsEnd). Checks everything that decoding relies on; validate() does the
/// rest.
Result<DecodedHeader> decodeHeader(std::span<const std::byte> header,
                                   std::span<const std::byte> file, uint64_t blobsEnd);

}  // namespace tessera::artifact
