// What models may ask for at most. Each limit is tested where a model enters, so that nothing
// behind it fails on one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::base {

/// Highest rank of a tensor, from the ONNX file to the artifact: the runtime keeps the sizes of a
/// buffer in memory of this length.
inline constexpr size_t kMaxRank = 32;

/// Most elements of a tensor: their bytes are a positive int64_t for every element type.
inline constexpr int64_t kMaxElements = int64_t{1} << 48;

}  // namespace tessera::base
