// What artifact and runtime add to one matched product: with its bias through them, against the
// same call of OpenBLAS on a copy of the bias.
//   bench_cblas [--benchmark_filter=...]
#include "backends/cblas/runtime/library.h"
#include "bench/in_turn.h"
#include "bench/run_checked.h"

namespace tessera::bench {
namespace {

struct Matmul {
  int m = 0, n = 0, k = 0;
};

constexpr float kWeight = 0.03125F, kBias = -0.5F;

std::string matrix(int rows, int columns) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
}

std::string moduleOf(const Matmul& p) {
  const std::string a = matrix(p.m, p.k), b = matrix(p.k, p.n), y = matrix(p.m, p.n),
                    row = "tensor<" + std::to_string(p.n) + "xf32>";
  return "module attributes {tessera.phase = \"import\"} {\nfunc.func @main(%a: " + a +
         " {tessera.name = \"a\"}) -> (" + y +
         " {tessera.name = \"y\"}) {\n%b = tsr.constant dense<" + std::to_string(kWeight) +
         "> : " + b + " -> " + b + "\n%c = tsr.constant dense<" + std::to_string(kBias) +
         "> : " + row + " -> " + row + "\n%p = tsr.matmul %a, %b : (" + a + ", " + b + ") -> " + y +
         "\n%y = tsr.add %p, %c : (" + y + ", " + row + ") -> " + y + "\nreturn %y : " + y +
         "\n}\n}\n";
}

void runMatmul(benchmark::State& state, const Matmul& p, int threads) {
  const Floats a = randomFloats(static_cast<size_t>(p.m) * p.k, /*seed=*/1);
  const std::vector<float> b(static_cast<size_t>(p.k) * p.n, kWeight);
  std::vector<float> y(static_cast<size_t>(p.m) * p.n);
  CompiledModule ours(moduleOf(p), "cblas", threads, a);
  const auto library = orExit(backend_cblas::loadLibrary(TESSERA_OPENBLAS));
  library->setNumThreads(threads);
  const auto direct = [&] {
    constexpr int kRowMajor = 101, kNoTrans = 111;
    std::ranges::fill(y, kBias);
    library->sgemm(kRowMajor, kNoTrans, kNoTrans, p.m, p.n, p.k, 1, a.data(), p.k, b.data(), p.n, 1,
                   y.data(), p.n);
  };
  ours.run();
  direct();
  if (!areClose(y.data(), ours.output(), y.size())) {
    skipWrong(state);
    return;
  }
  runInTurn(state, [&] { ours.run(); }, direct);
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  const auto add = [](const char* name, const Matmul& product) {
    addForThreads(name, [product](benchmark::State& state, int threads) {
      runMatmul(state, product, threads);
    });
  };
  add("matmul_16_16_16", {.m = 16, .n = 16, .k = 16});
  add("matmul_512_512_512", {.m = 512, .n = 512, .k = 512});
  add("matmul_32_3072_768", {.m = 32, .n = 3072, .k = 768});
  add("matmul_1_3072_768", {.m = 1, .n = 3072, .k = 768});
  return runChecked(argc, argv);
}
