// The artifact reader on arbitrary bytes: as they are, then with the preamble's sizes and checksums
// made right, so that mutations reach the header behind them.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "artifact/format.h"
#include "artifact/reader.h"
#include "base/checksum.h"

using tessera::artifact::Artifact;
using tessera::artifact::kBlobAlignment;
using tessera::artifact::kMagic;
using tessera::artifact::Preamble;
using tessera::base::checksumOf;

/// Parses; a valid artifact's blobs must lie in the file.
static void parse(std::span<const std::byte> bytes) {
  const tessera::Result<Artifact> artifact = tessera::artifact::parse(bytes);
  if (!artifact) {
    if (artifact.error().message.empty()) std::abort();
    return;
  }
  (void)tessera::artifact::verifyChecksums(*artifact);
  for (const auto& constant : artifact->bundle.constants) (void)checksumOf(constant.data.bytes());
}

/// Makes version, file size and checksums right as far as the preamble's header lies in the file.
static void repair(std::span<std::byte> bytes) {
  if (bytes.size() < sizeof(Preamble)) return;
  Preamble preamble;
  std::memcpy(&preamble, bytes.data(), sizeof(preamble));
  preamble.magic = kMagic;
  preamble.version = tessera::artifact::kFormatVersion;
  preamble.fileSize = bytes.size();
  if (preamble.headerOffset <= bytes.size() &&
      preamble.headerSize <= bytes.size() - preamble.headerOffset) {
    preamble.headerChecksum = checksumOf(bytes.subspan(preamble.headerOffset, preamble.headerSize));
  }
  std::memcpy(bytes.data(), &preamble, sizeof(preamble));
  preamble.preambleChecksum = checksumOf(bytes.first(offsetof(Preamble, preambleChecksum)));
  std::memcpy(bytes.data(), &preamble, sizeof(preamble));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  void* memory = nullptr;
  if (posix_memalign(&memory, kBlobAlignment, size == 0 ? 1 : size) != 0) return 0;
  const std::unique_ptr<void, decltype(&std::free)> owner(memory, &std::free);
  if (size != 0) std::memcpy(memory, data, size);
  const std::span<std::byte> bytes(static_cast<std::byte*>(memory), size);
  parse(bytes);
  repair(bytes);
  parse(bytes);
  return 0;
}
