// Benchmarks that look at what they compute: a wrong result is the program's exit status.
#pragma once

#include <benchmark/benchmark.h>

#include <atomic>

namespace tessera::bench {

/// How many benchmarks of this process found a wrong result: the library tells reporters only.
inline std::atomic<int> numWrong = 0;

/// Ends a benchmark whose result is wrong.
inline void skipWrong(benchmark::State& state) {
  ++numWrong;
  state.SkipWithError("results differ");
}

/// Runs what is registered, as the command line says; 1 where a result was wrong, else 0.
inline int runChecked(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return numWrong == 0 ? 0 : 1;
}

}  // namespace tessera::bench
