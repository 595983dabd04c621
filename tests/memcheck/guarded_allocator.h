// Allocation with an unreadable page behind each piece; see guarded_allocator.cpp. The program for
// valgrind, which replaces malloc itself, links plain_allocator.cpp in its place.
#pragma once

namespace tessera::memcheck {

/// From now on (or no longer) malloc and aligned_alloc give guarded memory.
void guardAllocations(bool enabled);

}  // namespace tessera::memcheck
