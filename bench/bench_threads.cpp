// What sharing a loop out costs: an empty parallelFor from call to return, the barrier at its end
// included, on 1, 2, 4 .. threads and on all that there are. Threads are awake, as between the
// kernels of a network.
#include <benchmark/benchmark.h>

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

void addBenchmarks() {
  auto* const benchmark = benchmark::RegisterBenchmark("parallel_for", shareOut);
  benchmark->ArgName("threads")->UseRealTime();
  const int32_t most = runtime::availableCores();
  for (int32_t threads = 1; threads < most; threads *= 2) benchmark->Arg(threads);
  benchmark->Arg(most);
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  tessera::addBenchmarks();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
