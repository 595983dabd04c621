// GOMP_parallel is called directly, without pragmas: g++ and clang then share one libgomp with
// kernel libraries, and ThreadSanitizer can be told about the hand-over, which it cannot see
// inside the uninstrumented library.
#include "runtime/backend/parallel_for.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>

#if defined(__SANITIZE_THREAD__)
#define TESSERA_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESSERA_TSAN 1
#endif
#endif

#if defined(TESSERA_TSAN)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace tessera::runtime {
namespace {

void publish([[maybe_unused]] void* address) {
#if defined(TESSERA_TSAN)
  __tsan_release(address);
#endif
}

void observe([[maybe_unused]] void* address) {
#if defined(TESSERA_TSAN)
  __tsan_acquire(address);
#endif
}

/// The functions of libgomp that are used; null without libgomp.
struct Gomp {
  void (*parallel)(void (*)(void*), void*, unsigned threads, unsigned flags) = nullptr;
  int (*threadNum)() = nullptr;
  int (*numThreads)() = nullptr;
};

constexpr const char* kLibrary = "libgomp.so.1";

Gomp loadGomp() {
  limitSpinning();
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  Gomp gomp;
  gomp.parallel = reinterpret_cast<decltype(gomp.parallel)>(dlsym(library, "GOMP_parallel"));
  gomp.threadNum = reinterpret_cast<decltype(gomp.threadNum)>(dlsym(library, "omp_get_thread_num"));
  gomp.numThreads =
      reinterpret_cast<decltype(gomp.numThreads)>(dlsym(library, "omp_get_num_threads"));
  if (gomp.threadNum == nullptr || gomp.numThreads == nullptr) gomp.parallel = nullptr;
  return gomp;
}

const Gomp& gomp() {
  static const Gomp loaded = loadGomp();
  return loaded;
}

thread_local int32_t threadOfBody = 0;

struct Job {
  const Gomp& gomp;
  int64_t n;
  ParallelBody body;
  void* context;
};

/// Runs in every thread of the team: takes its share of the range.
void runShare(void* argument) {
  observe(argument);
  const Job& job = *static_cast<const Job*>(argument);
  // The team may be smaller than asked for, so the split follows the real one.
  const int64_t teamSize = job.gomp.numThreads();
  const int64_t thread = job.gomp.threadNum();
  const int64_t share = job.n / teamSize;
  const int64_t rest = job.n % teamSize;
  const int64_t begin = thread * share + std::min(thread, rest);
  const int64_t end = begin + share + (thread < rest ? 1 : 0);
  threadOfBody = static_cast<int32_t>(thread);
  if (begin < end) job.body(job.context, begin, end);
  threadOfBody = 0;
  publish(argument);
}

}  // namespace

void limitSpinning() {
  static const bool isDone = [] {
    // libgomp reads its environment once, when it loads. Its default spins idle threads for
    // milliseconds, which slows whatever shares the cores; 10000 turns are as fast back to back and
    // harm nobody.
    if (dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD) == nullptr)
      setenv("GOMP_SPINCOUNT", "10000", /*overwrite=*/0);
    return true;
  }();
  (void)isDone;
}

void parallelFor(int64_t n, int32_t numThreads, ParallelBody body, void* context) {
  if (n <= 0) return;
  if (n == 1 || numThreads <= 1 || gomp().parallel == nullptr) {
    body(context, 0, n);
    return;
  }
  Job job = {.gomp = gomp(), .n = n, .body = body, .context = context};
  publish(&job);
  gomp().parallel(runShare, &job, static_cast<unsigned>(std::min<int64_t>(n, numThreads)), 0);
  observe(&job);
}

int32_t threadOfParallelFor() { return threadOfBody; }

int32_t availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace tessera::runtime
