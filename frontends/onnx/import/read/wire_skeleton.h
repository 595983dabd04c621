// The structure of a serialised ONNX message without its tensor bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tessera/status.h"

namespace tessera::onnx {

/// The root message of a file.
enum class RootMessage : uint8_t { kModel, kTensor };

/// What stands in `raw_data` of every TensorProto of a skeleton instead of the bytes: where they
/// are in the source.
struct RawDataReference {
  uint64_t offset = 0;
  uint64_t sizeBytes = 0;
};
constexpr size_t kRawDataReferenceBytes = 16;

/// Reads back a reference; `rawData` has kRawDataReferenceBytes bytes.
RawDataReference readRawDataReference(std::string_view rawData);

/// Copies the message with each `raw_data` replaced by a RawDataReference and training information
/// left out, so that parsing it costs neither time nor memory for weights. Walks the wire format
/// once and refuses what is malformed, truncated, nested deeper than any parser accepts, or would
/// need more than 2 GiB when parsed (a node takes 2 bytes in a file and 184 in memory).
/// O(structure), touches no page that holds only weights.
Result<std::string> makeSkeleton(std::span<const std::byte> bytes, RootMessage root);

}  // namespace tessera::onnx
