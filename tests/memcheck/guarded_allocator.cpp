// Replaces the allocation that the runtime and the kernels use: while a model runs, everything they
// allocate ends, or begins, at an unreadable page. aligned_alloc is the runtime's (arena,
// workspace, buffers sized at run time); malloc is what is left in kernels.
#include "tests/memcheck/guarded_allocator.h"

#include <atomic>
#include <cstdlib>

#include "compiler/lowering/test/guarded_memory.h"

// What glibc's allocation is called when its public names are taken.
void* libcMalloc(size_t size) __asm__("__libc_malloc");
void* libcMemalign(size_t alignment, size_t size) __asm__("__libc_memalign");
void libcFree(void* data) __asm__("__libc_free");

namespace tessera::memcheck {

static std::atomic<bool> isOn = false;
static std::atomic<lowering::Edge> guardedEdge = lowering::Edge::kEnd;

void guardAllocations(std::optional<lowering::Edge> edge) {
  if (edge) guardedEdge = *edge;
  isOn = edge.has_value();
}

static void* allocate(size_t alignment, size_t size) {
  return lowering::allocateGuarded(size, alignment, guardedEdge);
}

}  // namespace tessera::memcheck

extern "C" {

void* malloc(size_t size) {
  constexpr size_t kAlignment = 16;
  return tessera::memcheck::isOn ? tessera::memcheck::allocate(kAlignment, size) : libcMalloc(size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return tessera::memcheck::isOn ? tessera::memcheck::allocate(alignment, size)
                                 : libcMemalign(alignment, size);
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc's is a reserved one
void free(void* data) {
  if (data != nullptr && tessera::lowering::isGuarded(data)) {
    tessera::lowering::releaseGuarded(data);
  } else {
    libcFree(data);
  }
}

}  // extern "C"
