#include "bench/run_checked.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace tessera::bench {

/// Runs the benchmarks of such names; ends the process, since the library does so once only.
[[noreturn]] static void runAndExit(std::string filter) {
  std::string program = "bench";
  filter.insert(0, "--benchmark_filter=");
  char* arguments[] = {program.data(), filter.data(), nullptr};
  std::exit(runChecked(2, arguments));
}

TEST(RunCheckedDeathTest, AWrongResultIsTheExitStatus) {
  const auto run = [](benchmark::State& state) {
    for (auto _ : state) {
    }
  };
  benchmark::RegisterBenchmark("right", run)->Iterations(1);
  benchmark::RegisterBenchmark("wrong", skipWrong);
  EXPECT_EXIT(runAndExit("right"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(runAndExit("right|wrong"), testing::ExitedWithCode(1), "");
}

}  // namespace tessera::bench
