// Memory for weights while a model is compiled.
#pragma once

#include <cstddef>

#include "base/alignment.h"

namespace tessera::base {

/// As allocateAligned; where it holds whole pages of 2 MiB the system is asked for such: touching
/// memory for the first time costs more than filling it where pages are small.
AlignedMemory allocateLarge(size_t sizeBytes);

}  // namespace tessera::base
