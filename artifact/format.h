// The fixed part of the file format.
//
//   preamble (64 bytes) | blobs, each at a multiple of 64, of 4096 from 4096 bytes on | header
//   (FlatBuffers, artifact.fbs)
//
// The header comes last because a streaming writer knows the checksums of the blobs only after
// them. Little-endian.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/alignment.h"

namespace tessera::artifact {

static_assert(std::endian::native == std::endian::little, "artifacts are read in place");

/// Raised when an older reader would misunderstand a file.
constexpr uint32_t kFormatVersion = 3;
constexpr std::array<char, 8> kMagic = {'\x89', 'T', 'E', 'S', 'S', 'E', 'R', 'A'};
constexpr uint64_t kBlobAlignment = base::kBufferAlignment;
constexpr uint64_t kPageSize = 4096;

/// The first bytes of an artifact.
struct Preamble {
  std::array<char, 8> magic = kMagic;
  uint32_t version = kFormatVersion;
  uint32_t reserved = 0;
  uint64_t fileSize = 0;
  uint64_t headerOffset = 0;
  uint64_t headerSize = 0;
  uint64_t headerChecksum = 0;
  uint64_t reserved2 = 0;
  uint64_t preambleChecksum = 0;  ///< Of all bytes before it.
};
static_assert(sizeof(Preamble) == 64);

/// Blobs of a page or more start at a page, so that constants map and release page by page.
constexpr uint64_t blobAlignment(uint64_t sizeBytes) {
  return sizeBytes >= kPageSize ? kPageSize : kBlobAlignment;
}

/// A blob's place in the file.
struct StoredBlob {
  uint64_t offset = 0;
  uint64_t sizeBytes = 0;
  uint64_t checksum = 0;
};

}  // namespace tessera::artifact
