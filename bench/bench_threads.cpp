// What sharing a loop out costs, on 1, 2, 4 .. threads and on all that there are. parallel_for: an
// empty loop from call to return, which the caller may have done before anybody else has begun.
// all_threads: one in which each piece waits for all others, so that the call takes as long as it
// takes to have every thread at work, and its barrier. Threads are awake, as between the kernels of
// a network.
#include <benchmark/benchmark.h>

#include <atomic>

#include "runtime/backend/parallel_for.h"

namespace tessera {
namespace {

void shareOut(benchmark::State& state) {
  const auto threads = static_cast<int32_t>(state.range(0));
  const auto body = [](void* /*context*/, int64_t begin, int64_t end) {
    benchmark::DoNotOptimize(begin);
    benchmark::DoNotOptimize(end);
  };
  // As many pieces as a thread may have.
  for (auto _ : state) runtime::parallelFor(int64_t{4} * threads, threads, body, nullptr);
}

void meet(benchmark::State& state) {
  const auto threads = static_cast<int32_t>(state.range(0));
  std::atomic<int64_t> numMissing = 0;
  const auto body = [](void* context, int64_t begin, int64_t end) {
    auto& missing = *static_cast<std::atomic<int64_t>*>(context);
    missing.fetch_sub(end - begin);
    while (missing.load() > 0) __builtin_ia32_pause();
  };
  for (auto _ : state) {
    numMissing = threads;
    runtime::parallelFor(threads, threads, body, &numMissing);
  }
}

void addBenchmarks() {
  for (const auto& [name, function] :
       {std::pair("parallel_for", &shareOut), std::pair("all_threads", &meet)}) {
    auto* const benchmark = benchmark::RegisterBenchmark(name, function);
    benchmark->ArgName("threads")->UseRealTime();
    const int32_t most = runtime::availableCores();
    for (int32_t threads = 1; threads < most; threads *= 2) benchmark->Arg(threads);
    benchmark->Arg(most);
  }
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  tessera::addBenchmarks();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
