// Operators that are one pass over memory, by `native`, beside a copy of as many bytes on as many
// threads: at sizes of a second-level cache, of a last level, and of memory. Counters: GB/s of
// both; share = ours / copy, above 1 where the copy is slower; limit, the share that the family's
// arithmetic allows (1 where it allows a copy's speed); of_limit = share / limit.
//   bench_passes [--benchmark_filter=softmax]         bench/tables.py makes a table of it
#include <cstring>

#include "bench/in_turn.h"
#include "bench/passes/expected.h"
#include "bench/passes/families.h"
#include "bench/peak.h"
#include "bench/run_checked.h"

namespace tessera::bench {
namespace {

/// Each thread copies a part.
struct Copy {
  Floats from, to;
  int threads;

  Copy(int64_t bytes, int numThreads)
      : from(static_cast<size_t>(bytes / 8), 1.0F), to(from.size()), threads(numThreads) {}
  void run() {
    constexpr size_t kPart = 4096;  // Elements.
    tessera_parallel_for(
        static_cast<int64_t>((from.size() + kPart - 1) / kPart), threads,
        [](void* self, int64_t begin, int64_t end) {
          auto& copy = *static_cast<Copy*>(self);
          const size_t first = static_cast<size_t>(begin) * kPart;
          const size_t last = std::min(static_cast<size_t>(end) * kPart, copy.from.size());
          std::memcpy(copy.to.data() + first, copy.from.data() + first,
                      (last - first) * sizeof(float));
        },
        this);
  }
};

/// `cycles` for each line, beside multiply-adds that took so long.
double arithmeticMicroseconds(double cycles, const Body& body, const MultiplyAdds& peak,
                              double peakMicroseconds) {
  constexpr double kFlopsOfCycle = 32;
  return cycles * static_cast<double>(body.lines()) * kFlopsOfCycle / peak.flops() *
         peakMicroseconds;
}

// Read and written; results of more are not compared.
constexpr int64_t kMostCompared = int64_t{2} << 20;

void runBody(benchmark::State& state, const Body& body, double cycles, int threads) {
  const Floats input = randomFloats(static_cast<size_t>(body.input().elements()), 1);
  CompiledModule ours(body.module(), "native", threads, input);
  ours.run();
  if (body.bytes() <= kMostCompared && !isRight(body, input, ours)) {
    skipWrong(state);
    return;
  }
  Copy copy(body.bytes(), threads);
  MultiplyAdds peak(threads);
  const std::vector<double> medians =
      mediansInTurn(state, {[&] { ours.run(); }, [&] { copy.run(); }, [&] { peak.run(); }});
  const double arithmetic = arithmeticMicroseconds(cycles, body, peak, medians[2]);
  state.counters["GB/s"] = static_cast<double>(body.bytes()) * 1e-3 / medians[0];
  state.counters["copy_GB/s"] = static_cast<double>(body.bytes()) * 1e-3 / medians[1];
  state.counters["share"] = medians[1] / medians[0];
  state.counters["limit"] = std::min(1.0, medians[1] / arithmetic);
  state.counters["of_limit"] = std::max(medians[1], arithmetic) / medians[0];
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  struct Size {
    const char* name;
    int64_t channels, size;
  };
  for (const auto& families : {elementFamilies(), reductionFamilies(), windowFamilies(),
                               movementFamilies(), blockFamilies()}) {
    for (const Family& family : families) {
      for (const auto& [level, channels, size] :
           {Size{"L2", 48, 32}, Size{"LLC", 192, 64}, Size{"memory", 384, 192}}) {
        const Body body = family.make(channels, size);
        addForThreads(family.name + "/" + level,
                      [body, cycles = family.cycles.here()](benchmark::State& state, int threads) {
                        runBody(state, body, cycles, threads);
                      });
      }
    }
  }
  return runChecked(argc, argv);
}
