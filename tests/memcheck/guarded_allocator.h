// Allocation with an unreadable page behind each piece; see guarded_allocator.cpp. The program for
// valgrind, which replaces malloc itself, links plain_allocator.cpp in its place.
#pragma once

#include <optional>

#include "compiler/lowering/test/guarded_memory.h"

namespace tessera::memcheck {

/// From now on malloc and aligned_alloc give memory guarded at that edge; without one, no longer.
void guardAllocations(std::optional<lowering::Edge> edge);

}  // namespace tessera::memcheck
