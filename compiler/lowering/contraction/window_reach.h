// How far windows reach.
#pragma once

#include <cstdint>

namespace tessera::lowering {

/// Input elements from the first tap of the first one of `count` neighbouring windows to the last
/// tap of the last one, both included. Of a transposed convolution results that inputs reach over.
inline int64_t windowReach(int64_t kernel, int64_t dilation, int64_t stride = 1,
                           int64_t count = 1) {
  return (count - 1) * stride + (kernel - 1) * dilation + 1;
}

}  // namespace tessera::lowering
