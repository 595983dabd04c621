// A compiled module beside a library called directly: the same work in turn in one process, so that
// both see the same machine.
#pragma once

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "tessera/compile.h"
#include "tessera/runtime.hpp"

namespace tessera::bench {

template <typename T>
T orExit(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().toString().c_str());
    std::exit(1);
  }
  return std::move(*result);
}
inline void orExit(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().toString().c_str());
  std::exit(1);
}

/// Memory that begins with a line of cache, as that between the regions of a network does.
template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, size_t) { ::operator delete(memory, kLine); }
  bool operator==(const LineAllocator&) const = default;
};
using Floats = std::vector<float, LineAllocator<float>>;

/// In [-1, 1), equal for equal seeds.
inline Floats randomFloats(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  Floats values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

inline Module loadText(const std::string& text, const std::string& targets) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("tessera_bench_" + std::to_string(getpid()) + ".mlir");
  std::ofstream(path) << text;
  CompileOptions options;
  options.targets = targets;
  options.isStrict = true;
  Module module = orExit(Module::load(path.string(), options));
  std::filesystem::remove(path);
  return module;
}

/// A module of one input, f32, through artifact and runtime.
class CompiledModule {
 public:
  /// `text` is the module; `input` is bound and lives as long as this.
  CompiledModule(const std::string& text, const std::string& targets, int threads,
                 const Floats& input) {
    Module module = loadText(text, targets);
    const std::vector<int64_t> shape = module.inputs().front().shape;
    // A file, for weights in the pages that they have when a network runs.
    const auto artifact = std::filesystem::temp_directory_path() /
                          ("tessera_bench_" + std::to_string(getpid()) + ".tsr");
    orExit(module.compileToFile(artifact.string()));
    executable_ = std::make_unique<Executable>(orExit(Executable::loadFile(artifact.string())));
    std::filesystem::remove(artifact);
    context_ =
        std::make_unique<Context>(orExit(Context::create(*executable_, {.numThreads = threads})));
    orExit(context_->setInput(0, ElementType::kF32, shape, input.data()));
  }
  void run() { orExit(context_->run()); }
  const void* data(uint32_t output) { return orExit(context_->output(output)).data; }
  /// Of the first one, f32.
  const float* output() { return static_cast<const float*>(data(0)); }

 private:
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<Context> context_;
};

/// Whether two results differ by less than rounding explains.
inline bool areClose(const float* a, const float* b, size_t count) {
  float greatest = 0, difference = 0;
  for (size_t i = 0; i < count; ++i) {
    greatest = std::max(greatest, std::fabs(a[i]));
    difference = std::max(difference, std::fabs(a[i] - b[i]));
    if (std::isnan(a[i]) || std::isnan(b[i])) return false;
  }
  return difference <= 1e-4F * greatest;
}

inline double percentile(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  return values[static_cast<size_t>(fraction * static_cast<double>(values.size() - 1))];
}

/// Medians of each in microseconds. The first is what the benchmark measures; counter: its spread.
inline std::vector<double> mediansInTurn(benchmark::State& state,
                                         const std::vector<std::function<void()>>& runs) {
  const auto microseconds = [](const std::function<void()>& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
  };
  for (int i = 0; i < 5; ++i) std::ranges::for_each(runs, microseconds);
  std::vector<std::vector<double>> times(runs.size());
  for (auto _ : state) {
    for (size_t i = 0; i < runs.size(); ++i) times[i].push_back(microseconds(runs[i]));
    state.SetIterationTime(times[0].back() * 1e-6);
  }
  std::vector<double> medians;
  for (const auto& each : times) medians.push_back(percentile(each, 0.5));
  state.counters["spread"] = percentile(times[0], 0.9) / medians[0];
  return medians;
}

/// Counters: medians of both in microseconds, by how much ours is above the other one in
/// microseconds and per cent, and what is allowed: 3 % and 5 us.
inline void runInTurn(benchmark::State& state, const std::function<void()>& ours,
                      const std::function<void()>& direct) {
  const std::vector<double> medians = mediansInTurn(state, {ours, direct});
  state.counters["ours_us"] = medians[0];
  state.counters["direct_us"] = medians[1];
  state.counters["over_us"] = medians[0] - medians[1];
  state.counters["over_percent"] = 100 * (medians[0] / medians[1] - 1);
  state.counters["allowed_us"] = 0.03 * medians[1] + 5;
}

/// A benchmark for one and for two threads.
inline void addForThreads(const std::string& name,
                          const std::function<void(benchmark::State&, int threads)>& run) {
  for (const int threads : {1, 2}) {
    benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(threads)).c_str(),
                                 [run, threads](benchmark::State& state) { run(state, threads); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.5);
  }
}

}  // namespace tessera::bench
