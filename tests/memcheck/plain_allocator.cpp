// For valgrind: nothing is guarded here. aligned_alloc goes through posix_memalign, because
// valgrind before 3.21 does not see aligned_alloc.
#include <cstdlib>

#include "tests/memcheck/guarded_allocator.h"

namespace tessera::memcheck {

void guardAllocations(std::optional<lowering::Edge> /*edge*/) {}

}  // namespace tessera::memcheck

extern "C" void* aligned_alloc(size_t alignment, size_t size) {
  void* data = nullptr;
  return posix_memalign(&data, alignment, size) == 0 ? data : nullptr;
}
