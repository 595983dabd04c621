// Opens artifacts. Nothing in an untrusted file can make it crash; code blobs are data here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/bundle.h"
#include "artifact/format.h"
#include "tessera/status.h"

namespace tessera::artifact {

/// A parsed artifact; its bundle is valid and borrows its blobs from the bytes given to parse().
struct Artifact {
  Bundle bundle;
  std::vector<StoredBlob> blobs;
  std::span<const std::byte> bytes;
};

/// Parses an artifact whose first byte is 64-byte aligned and which outlives the result. Reads
/// preamble and header only, no blob. Errors: not an artifact, newer format, truncated, damaged,
/// inconsistent.
Result<Artifact> parse(std::span<const std::byte> bytes);

/// Format version of bytes that begin like an artifact; nullopt for others.
std::optional<uint32_t> formatVersionOf(std::span<const std::byte> bytes);

/// Fills in the external constants of the artifact: `find` gives the bytes of a content hash, which
/// outlive the artifact; empty when there are none. Errors: a constant that nobody has, or in
/// another size.
Status provideConstants(
    Artifact& artifact,
    const std::function<std::span<const std::byte>(const Constant& constant)>& find);

/// Compares every blob with its stored checksum, and constants that were provided with their hash.
Status verifyChecksums(const Artifact& artifact);

/// The same for one code blob or one constant's data of the artifact's bundle; provided ones pass.
Status verifyChecksum(const Artifact& artifact, const Blob& blob);

}  // namespace tessera::artifact
