// Products of a few rows with constant weights, by `native`, beside a plain reading of as many
// bytes of a mapped file on as many threads, and the peak of multiply-adds there: what they take at
// least is the longer of both. Counters: GB/s of both, share = ours / reading, GFLOP/s of ours and
// of the peak, of_limit = the longer of both / ours.
//   bench_products [--benchmark_filter=/1x]           bench/tables.py makes a table of it
#include <fcntl.h>
#include <immintrin.h>
#include <sys/mman.h>

#include "bench/in_turn.h"
#include "bench/peak.h"
#include "bench/run_checked.h"
#include "tessera/runtime.h"

namespace tessera::bench {
namespace {

constexpr float kWeight = 0.5F;

struct Product {
  int64_t m, k, n;

  int64_t weightBytes() const { return 4 * k * n; }
  std::string name() const {
    return std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
  }
  std::string module() const {
    const auto type = [](int64_t rows, int64_t columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
    };
    const std::string a = type(m, k), b = type(k, n), c = type(m, n);
    return "module attributes {tessera.phase = \"import\"} {\nfunc.func @main(%x: " + a +
           " {tessera.name = \"x\"}) -> (" + c + " {tessera.name = \"y\"}) {\n%w = tsr.constant " +
           "dense<" + std::to_string(kWeight) + "> : " + b + " -> " + b + "\n%y = tsr.matmul %x, " +
           "%w : (" + a + ", " + b + ") -> " + c + "\nreturn %y : " + c + "\n}\n}\n";
  }
};

/// A file of floats, mapped as an artifact is, which each thread reads a part of.
class Reading {
 public:
  Reading(int64_t bytes, int threads) : count_(bytes / 4), threads_(threads) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("tessera_bench_" + std::to_string(getpid()) + ".bin");
    const std::vector<float> ones(static_cast<size_t>(count_), 1.0F);
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(ones.data()), bytes);
    const int file = open(path.c_str(), O_RDONLY);
    void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) {
      std::perror(path.c_str());
      std::exit(1);
    }
    close(file);
    std::filesystem::remove(path);
    data_ = static_cast<const float*>(data);
  }
  ~Reading() { munmap(const_cast<float*>(data_), static_cast<size_t>(count_) * sizeof(float)); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  void run() {
    tessera_parallel_for(
        count_ / kPart, threads_,
        [](void* self, int64_t begin, int64_t end) {
          readFloats(static_cast<const Reading*>(self)->data_ + begin * kPart,
                     (end - begin) * kPart);
        },
        this);
  }

 private:
  static constexpr int64_t kPart = 4096;

  __attribute__((target("avx2"))) static void readFloats(const float* data, int64_t count) {
    __m256 sums[8] = {};
    for (int64_t i = 0; i < count; i += 64) {
#pragma GCC unroll 8
      for (int j = 0; j < 8; ++j)
        sums[j] = _mm256_add_ps(sums[j], _mm256_loadu_ps(data + i + int64_t{8} * j));
    }
    for (auto& sum : sums) benchmark::DoNotOptimize(sum);
  }

  const float* data_ = nullptr;
  int64_t count_;
  int threads_;
};

/// All weights are one number.
bool isRight(const Product& product, const Floats& a, const float* c) {
  std::vector<float> expected(static_cast<size_t>(product.m * product.n));
  for (int64_t i = 0; i < product.m; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < product.k; ++j) sum += a[static_cast<size_t>(i * product.k + j)];
    std::fill_n(expected.begin() + i * product.n, product.n, static_cast<float>(kWeight * sum));
  }
  return areClose(c, expected.data(), expected.size());
}

void runProduct(benchmark::State& state, const Product& product, int threads) {
  const Floats a = randomFloats(static_cast<size_t>(product.m * product.k), 1);
  CompiledModule ours(product.module(), "native", threads, a);
  Reading reading(product.weightBytes(), threads);
  ours.run();
  if (!isRight(product, a, ours.output())) {
    skipWrong(state);
    return;
  }
  MultiplyAdds peak(threads);
  const std::vector<double> medians =
      mediansInTurn(state, {[&] { ours.run(); }, [&] { reading.run(); }, [&] { peak.run(); }});
  const auto bytes = static_cast<double>(product.weightBytes());
  const double flops = 0.5 * static_cast<double>(product.m) * bytes,
               arithmetic = flops / peak.flops() * medians[2];
  state.counters["GB/s"] = bytes * 1e-3 / medians[0];
  state.counters["read_GB/s"] = bytes * 1e-3 / medians[1];
  state.counters["share"] = medians[1] / medians[0];
  state.counters["GFLOP/s"] = flops * 1e-3 / medians[0];
  state.counters["peak_GFLOP/s"] = flops * 1e-3 / arithmetic;
  state.counters["of_limit"] = std::max(medians[1], arithmetic) / medians[0];
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera::bench;
  for (const auto& [k, n] :
       {std::pair<int64_t, int64_t>{9216, 4096}, {4096, 4096}, {768, 3072}, {25088, 64}}) {
    for (const int64_t m : {1, 2, 4, 8, 16, 32, 64}) {
      const Product product{.m = m, .k = k, .n = n};
      addForThreads("product/" + product.name(), [product](benchmark::State& state, int threads) {
        runProduct(state, product, threads);
      });
    }
  }
  return runChecked(argc, argv);
}
