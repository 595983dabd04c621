#include "runtime/backend/parallel_for.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/backend/thread_pool.h"

namespace tessera::runtime {

void limitSpinning() {
  static const bool isDone = [] {
    // libgomp reads its environment once, when it loads. Its default spins idle threads for
    // milliseconds, which slows whatever shares the cores; 10000 turns are as fast back to back and
    // harm nobody.
    if (dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD) == nullptr)
      setenv("GOMP_SPINCOUNT", "10000", /*overwrite=*/0);
    return true;
  }();
  (void)isDone;
}

void parallelFor(int64_t n, int32_t numThreads, ParallelBody body, void* context) {
  if (n <= 0) return;
  if (n == 1 || threadsAtOnce(numThreads) <= 1 || slotOfThread() != 0)
    body(context, 0, n);
  else
    ThreadPool::get().run(n, numThreads, body, context);
}

int32_t threadsAtOnce(int32_t numThreads) {
  return numThreads <= 1 ? numThreads : std::min(numThreads, ThreadPool::get().mostThreads());
}

int32_t slotOfThread() { return ThreadPool::currentSlot(); }

int32_t availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace tessera::runtime
