// Benchmarks that look at what they compute: a wrong result is the program's exit status.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

namespace tessera::bench {

/// Ends a benchmark whose result is wrong.
inline void skipWrong(benchmark::State& state) { state.SkipWithError("results differ"); }

/// Shows runs as the command line says and notes errors: the library tells reporters only.
class NotingReporter : public benchmark::BenchmarkReporter {
 public:
  bool hasErrors() const { return hasErrors_; }

  bool ReportContext(const Context& context) override { return shown_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    hasErrors_ |= std::ranges::any_of(runs, isError<Run>);
    shown_->ReportRuns(runs);
  }
  void Finalize() override { shown_->Finalize(); }

 private:
  /// Google Benchmark 1.8 has another name for it.
  template <typename AnyRun>
  static bool isError(const AnyRun& run) {
    if constexpr (requires { run.error_occurred; })
      return run.error_occurred;
    else
      return static_cast<bool>(run.skipped);
  }

  benchmark::BenchmarkReporter* shown_ = benchmark::CreateDefaultDisplayReporter();  ///< Its own.
  bool hasErrors_ = false;
};

/// Runs what is registered, as the command line says; 1 where a result was wrong, else 0.
inline int runChecked(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  NotingReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return reporter.hasErrors() ? 1 : 0;
}

}  // namespace tessera::bench
