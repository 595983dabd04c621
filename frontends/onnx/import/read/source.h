// Where a model's bytes come from: a file, mapped, or memory of the caller.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tessera/status.h"

namespace tessera::onnx {

/// Immutable bytes and what keeps them alive.
struct SourceBytes {
  std::span<const std::byte> bytes;
  /// Shared by everybody who holds a view into `bytes` (tensors, constants of the module).
  std::shared_ptr<const void> owner;
  /// As given by the user, for messages; empty for memory.
  std::string file;
  /// True when the bytes are a private file mapping, whose pages may be given back after use.
  bool isMapped = false;
};

/// A protobuf message ends at 2 GiB - 1.
constexpr uint64_t kMaxMessageBytes = (uint64_t{1} << 31) - 1;

/// Maps a regular file for reading. Touches no page of it. Errors: missing, unreadable, not a
/// regular file. An empty file gives empty bytes.
Result<SourceBytes> mapFile(const std::string& path);

/// Bytes of the caller; `owner` keeps them alive for as long as anything made from them. With a
/// null owner the bytes are copied.
SourceBytes sourceFromMemory(std::span<const std::byte> bytes,
                             std::shared_ptr<const void> owner = nullptr);

/// Tells the kernel that a part of a mapped source will not be read again soon: its pages leave the
/// process's resident set. No effect on sources in memory; reading them later is still correct.
void releasePages(const SourceBytes& source, std::span<const std::byte> part);

}  // namespace tessera::onnx
