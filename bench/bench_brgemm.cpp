// The batch-reduce GEMM kernels against oneDNN, called in turn in one process on the same threads
// (one libgomp pool). Each case checks both results against plain loops first. Counters: ours and
// onednn in GFLOP/s (medians), ratio = ours / onednn, best_ratio = the same of the fastest runs
// (less disturbed on a busy machine), peak = ours in GFLOP/s at its fastest, spread = 90th
// percentile / median.
//   bench_brgemm [--benchmark_filter=...]      TESSERA_BENCH_MCPU=x86-64-v3 for AVX2 (oneDNN:
//   ONEDNN_MAX_CPU_ISA=AVX2), TESSERA_BENCH_TILE=14x2 for a tile
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "bench/run_checked.h"
#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/matmul.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/test/kernel_harness.h"
#include "compiler/lowering/test/pack_weights.h"
#include "oneapi/dnnl/dnnl.hpp"

extern "C" void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags);

namespace tessera::lowering {
namespace {

using Clock = std::chrono::steady_clock;

/// 64-byte aligned floats with random values.
struct Floats {
  explicit Floats(size_t count, uint32_t seed = 0) : size(count) {
    data.reset(static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64)));
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> distribution(-1, 1);
    for (size_t i = 0; i < count; ++i) data.get()[i] = seed == 0 ? 0.0f : distribution(generator);
  }
  explicit Floats(const std::vector<float>& values) : Floats(values.size()) {
    std::ranges::copy(values, data.get());
  }
  struct Free {
    void operator()(float* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<float, Free> data;
  size_t size;
};

/// Host services on the libgomp pool that oneDNN uses too.
class GompHost {
 public:
  GompHost() {
    services_.size = sizeof(services_);
    services_.host = this;
    services_.parallel_for = parallelFor;
    services_.workspace = [](void* host, size_t bytes) -> void* {
      auto* self = static_cast<GompHost*>(host);
      if (!self->workspace_ || self->workspace_->size * sizeof(float) < bytes)
        self->workspace_ = std::make_unique<Floats>(bytes / sizeof(float) + 16);
      return self->workspace_->data.get();
    };
  }
  const tessera_host_services* services() const { return &services_; }

 private:
  struct Share {
    int64_t count;
    void (*body)(void*, int64_t, int64_t);
    void* context;
  };
  static int32_t parallelFor(void*, int64_t count, void (*body)(void*, int64_t, int64_t),
                             void* context) {
    if (omp_get_max_threads() == 1 || count == 1) {
      body(context, 0, count);
      return 0;
    }
    Share share{.count = count, .body = body, .context = context};
    GOMP_parallel(
        [](void* data) {
          auto* share = static_cast<Share*>(data);
          const int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
          const int64_t begin = share->count * thread / threads,
                        end = share->count * (thread + 1) / threads;
          if (begin < end) share->body(share->context, begin, end);
        },
        &share, 0, 0);
    return 0;
  }
  tessera_host_services services_{};
  std::unique_ptr<Floats> workspace_;
};

/// Both implementations of one case, ready to run.
struct Case {
  std::function<void()> ours, oneDnn;
  double flops = 0;
  double error =
      0;  ///< Largest difference of either from plain loops, relative to the largest value.
};

double seconds(const std::function<void()>& run) {
  auto start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double percentile(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  return values[static_cast<size_t>(fraction * static_cast<double>(values.size() - 1))];
}

void runCase(benchmark::State& state, const Case& test) {
  if (test.error > 1e-4) {
    bench::skipWrong(state);
    return;
  }
  for (int i = 0; i < 5; ++i) test.ours(), test.oneDnn();
  std::vector<double> ours, oneDnn;
  for (auto _ : state) {
    // In turn, so that both see the same machine.
    ours.push_back(seconds(test.ours));
    oneDnn.push_back(seconds(test.oneDnn));
    state.SetIterationTime(ours.back());
  }
  const double median = percentile(ours, 0.5);
  state.counters["ours"] = test.flops / median * 1e-9;
  state.counters["onednn"] = test.flops / percentile(oneDnn, 0.5) * 1e-9;
  state.counters["ratio"] = percentile(oneDnn, 0.5) / median;
  state.counters["peak"] = test.flops / percentile(ours, 0) * 1e-9;
  state.counters["best_ratio"] = percentile(oneDnn, 0) / percentile(ours, 0);
  state.counters["spread"] = percentile(ours, 0.9) / median;
}

/// A loaded kernel "k" and what it needs.
struct Kernel {
  std::unique_ptr<mlir::MLIRContext> context = makeKernelContext();
  std::unique_ptr<LoadedKernels> library;
  GompHost host;

  mlir::MemRefType f32(llvm::ArrayRef<int64_t> dims) const {
    return mlir::MemRefType::get(dims, mlir::Float32Type::get(context.get()));
  }
  void compile(const CpuTarget& cpu, const KernelSignature& signature,
               const std::function<void(KernelFunction&, mlir::OpBuilder&)>& build) {
    const mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
    KernelFunction kernel = createKernelFunction(*module, "k", signature);
    mlir::OpBuilder b = kernel.bodyBuilder();
    build(kernel, b);
    auto kernels = LoadedKernels::compile(*module, cpu, KernelForm::kMemory);
    if (!kernels) {
      std::fprintf(stderr, "%s\n", kernels.error().toString().c_str());
      std::exit(1);
    }
    library = std::move(*kernels);
  }
  void run(std::initializer_list<float*> buffers) const {
    std::vector<void*> pointers(buffers.begin(), buffers.end());
    library->find("k")(host.services(), pointers.data(), nullptr);
  }
};

CpuTarget benchTarget() {
  const char* name = std::getenv("TESSERA_BENCH_MCPU");
  auto target = makeCpuTarget(name ? name : "native");
  if (!target) {
    std::fprintf(stderr, "%s\n", target.error().toString().c_str());
    std::exit(1);
  }
  return *target;
}

// TESSERA_BENCH_TILE=ROWSxPANELS[xUNROLL] overrides the emitters' choice.
ContractionTuning benchTuning() {
  ContractionTuning tuning;
  if (const char* text = std::getenv("TESSERA_BENCH_TILE"))
    std::sscanf(text, "%ldx%ldx%ld", &tuning.rows, &tuning.panels, &tuning.unroll);
  return tuning;
}

/// A oneDNN primitive with its arguments in the layouts it prefers.
struct OneDnnRun {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive primitive;
  std::unordered_map<int, dnnl::memory> arguments;

  dnnl::memory reorderedTo(const dnnl::memory::desc& to, const dnnl::memory::desc& from,
                           float* data) {
    dnnl::memory source(from, engine, data), target(to, engine);
    dnnl::reorder(source, target).execute(stream, source, target);
    stream.wait();
    return target;
  }
  void run() {
    primitive.execute(stream, arguments);
    stream.wait();
  }
};

using Tag = dnnl::memory::format_tag;

dnnl::memory::desc desc(const dnnl::memory::dims& dims, Tag tag) {
  return {dims, dnnl::memory::data_type::f32, tag};
}

double relativeError(const std::vector<double>& expected, const std::function<float(size_t)>& got) {
  double largest = 1e-30, error = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::fabs(expected[i]));
    const double difference = std::fabs(got(i) - expected[i]);
    error = std::max(error, std::isnan(difference) ? 1e30 : difference);
  }
  return error / largest;
}

Case makeConv(const ConvShape& s) {
  CpuTarget cpu = benchTarget();
  int64_t lanes = cpu.vectorLanes, oh = s.outHeight(), ow = s.outWidth();
  const int64_t inPixels = s.inHeight * s.inWidth, kernelSize = s.kernelHeight * s.kernelWidth,
                icg = s.inChannels / s.groups;
  ConvKind kind = *convKindFor(s, false, lanes);
  auto x = std::make_shared<Floats>(s.inChannels * inPixels, 1),
       w = std::make_shared<Floats>(s.outChannels * icg * kernelSize, 2);
  auto bias = std::make_shared<Floats>(s.outChannels, 3);
  auto input = std::make_shared<Floats>(
      blockChannels({x->data.get(), x->size}, 1, s.inChannels, inPixels, lanes));
  auto weights =
      std::make_shared<Floats>(packConvWeights({w->data.get(), w->size}, s, kind, lanes));
  auto output = std::make_shared<Floats>(s.outChannels * oh * ow);
  auto kernel = std::make_shared<Kernel>();
  const int64_t inBlocks = s.inChannels / lanes, outBlocks = s.outChannels / lanes;
  kernel->compile(
      cpu,
      {{kernel->f32({1, inBlocks, s.inHeight, s.inWidth, lanes}),
        kernel->f32({static_cast<int64_t>(weights->size)}), kernel->f32({s.outChannels})},
       {kernel->f32({1, outBlocks, oh, ow, lanes})}},
      [&](KernelFunction& function, mlir::OpBuilder& b) {
        emitConv(b, b.getUnknownLoc(), s, kind,
                 {function.inputs[0], function.inputs[1], function.inputs[2], function.outputs[0]},
                 cpu, nullptr, benchTuning());
      });

  auto other = std::make_shared<OneDnnRun>();
  const dnnl::memory::dims xDims = {1, s.inChannels, s.inHeight, s.inWidth},
                           yDims = {1, s.outChannels, oh, ow};
  const bool grouped = s.groups > 1;
  const dnnl::memory::dims wDims =
      grouped ? dnnl::memory::dims{s.groups, s.outChannels / s.groups, icg, s.kernelHeight,
                                   s.kernelWidth}
              : dnnl::memory::dims{s.outChannels, s.inChannels, s.kernelHeight, s.kernelWidth};
  auto xDesc = desc(xDims, Tag::nchw), wDesc = desc(wDims, grouped ? Tag::goihw : Tag::oihw);
  const dnnl::convolution_forward::primitive_desc primitive(
      other->engine, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      desc(xDims, Tag::any), desc(wDims, Tag::any), desc({s.outChannels}, Tag::x),
      desc(yDims, Tag::any), {s.strideHeight, s.strideWidth},
      {s.dilationHeight - 1, s.dilationWidth - 1}, {s.padTop, s.padLeft},
      {s.padBottom, s.padRight});
  other->primitive = dnnl::convolution_forward(primitive);
  dnnl::memory result(primitive.dst_desc(), other->engine);
  other->arguments = {
      {DNNL_ARG_SRC, other->reorderedTo(primitive.src_desc(), xDesc, x->data.get())},
      {DNNL_ARG_WEIGHTS, other->reorderedTo(primitive.weights_desc(), wDesc, w->data.get())},
      {DNNL_ARG_BIAS, dnnl::memory(desc({s.outChannels}, Tag::x), other->engine, bias->data.get())},
      {DNNL_ARG_DST, result}};

  Case test;
  test.ours = [=] {
    kernel->run({input->data.get(), weights->data.get(), bias->data.get(), output->data.get()});
  };
  test.oneDnn = [=] { other->run(); };
  test.flops = 2.0 * static_cast<double>(s.outChannels * oh * ow * icg * kernelSize);

  // Plain loops on a sample of the output channels.
  std::vector<double> expected;
  std::vector<std::pair<int64_t, int64_t>> places;  // channel, pixel
  for (int64_t oc = 0; oc < s.outChannels; oc += std::max<int64_t>(s.outChannels / 7, 1)) {
    for (int64_t p = 0; p < oh * ow; ++p) {
      double total = bias->data.get()[oc];
      const int64_t i = p / ow, j = p % ow, firstChannel = oc / (s.outChannels / s.groups) * icg;
      for (int64_t ic = 0; ic < icg; ++ic) {
        for (int64_t k = 0; k < kernelSize; ++k) {
          const int64_t h = i * s.strideHeight - s.padTop + k / s.kernelWidth,
                        v = j * s.strideWidth - s.padLeft + k % s.kernelWidth;
          if (h < 0 || v < 0 || h >= s.inHeight || v >= s.inWidth) continue;
          total += static_cast<double>(
                       x->data.get()[((firstChannel + ic) * s.inHeight + h) * s.inWidth + v]) *
                   w->data.get()[(oc * icg + ic) * kernelSize + k];
        }
      }
      expected.push_back(total);
      places.emplace_back(oc, p);
    }
  }
  test.ours(), test.oneDnn();
  const dnnl::memory plain = other->reorderedTo(desc(yDims, Tag::nchw), primitive.dst_desc(),
                                                static_cast<float*>(result.get_data_handle()));
  auto* theirs = static_cast<float*>(plain.get_data_handle());
  test.error = std::max(
      relativeError(expected,
                    [&](size_t i) {
                      auto [oc, p] = places[i];
                      return output->data.get()[(oc / lanes * oh * ow + p) * lanes + oc % lanes];
                    }),
      relativeError(expected, [&](size_t i) {
        return theirs[places[i].first * oh * ow + places[i].second];
      }));
  return test;
}

Case makeMatmul(int64_t m, int64_t n, int64_t k) {
  CpuTarget cpu = benchTarget();
  const int64_t lanes = cpu.vectorLanes;
  auto a = std::make_shared<Floats>(m * k, 1), w = std::make_shared<Floats>(k * n, 2),
       bias = std::make_shared<Floats>(n, 3);
  auto packed = std::make_shared<Floats>(packMatmulB({w->data.get(), w->size}, k, n, false, lanes));
  auto output = std::make_shared<Floats>(m * n);
  auto kernel = std::make_shared<Kernel>();
  MatmulShape shape{.m = m, .n = n, .k = k, .isBPacked = true};
  kernel->compile(cpu,
                  {{kernel->f32({m, k}), kernel->f32({n / lanes, k, lanes}), kernel->f32({n})},
                   {kernel->f32({m, n})}},
                  [&](KernelFunction& function, mlir::OpBuilder& b) {
                    emitMatmul(b, b.getUnknownLoc(), shape,
                               {function.inputs[0], function.inputs[1], function.inputs[2],
                                function.outputs[0]},
                               cpu, nullptr, benchTuning());
                  });

  auto other = std::make_shared<OneDnnRun>();
  const dnnl::matmul::primitive_desc primitive(other->engine, desc({m, k}, Tag::ab),
                                               desc({k, n}, Tag::any), desc({1, n}, Tag::ab),
                                               desc({m, n}, Tag::ab));
  other->primitive = dnnl::matmul(primitive);
  dnnl::memory result(primitive.dst_desc(), other->engine);
  other->arguments = {
      {DNNL_ARG_SRC, dnnl::memory(desc({m, k}, Tag::ab), other->engine, a->data.get())},
      {DNNL_ARG_WEIGHTS,
       other->reorderedTo(primitive.weights_desc(), desc({k, n}, Tag::ab), w->data.get())},
      {DNNL_ARG_BIAS, dnnl::memory(desc({1, n}, Tag::ab), other->engine, bias->data.get())},
      {DNNL_ARG_DST, result}};
  Case test;
  test.ours = [=] {
    kernel->run({a->data.get(), packed->data.get(), bias->data.get(), output->data.get()});
  };
  test.oneDnn = [=] { other->run(); };
  test.flops = 2.0 * static_cast<double>(m * n * k);
  std::vector<double> expected;
  int64_t step = std::max<int64_t>(m / 8, 1);
  for (int64_t i = 0; i < m; i += step) {
    for (int64_t j = 0; j < n; ++j) {
      double total = bias->data.get()[j];
      for (int64_t l = 0; l < k; ++l)
        total += static_cast<double>(a->data.get()[i * k + l]) * w->data.get()[l * n + j];
      expected.push_back(total);
    }
  }
  test.ours(), test.oneDnn();
  auto* theirs = static_cast<float*>(result.get_data_handle());
  auto at = [&](size_t i) {
    return static_cast<int64_t>(i) / n * step * n + static_cast<int64_t>(i) % n;
  };
  test.error =
      std::max(relativeError(expected, [&](size_t i) { return output->data.get()[at(i)]; }),
               relativeError(expected, [&](size_t i) { return theirs[at(i)]; }));
  return test;
}

ConvShape square(int64_t in, int64_t out, int64_t size, int64_t kernel, int64_t stride = 1,
                 int64_t groups = 1) {
  const int64_t pad = kernel / 2;
  return {.groups = groups,
          .inChannels = in,
          .outChannels = out,
          .inHeight = size,
          .inWidth = size,
          .kernelHeight = kernel,
          .kernelWidth = kernel,
          .strideHeight = stride,
          .strideWidth = stride,
          .padTop = pad,
          .padLeft = pad,
          .padBottom = pad,
          .padRight = pad};
}

void addCase(const std::string& name, const std::function<Case()>& make) {
  for (const int threads : {1, 2}) {
    benchmark::RegisterBenchmark(
        (name + "/threads:" + std::to_string(threads)).c_str(),
        [make, threads](benchmark::State& state) {
          omp_set_num_threads(threads);  // oneDNN bakes the number in when the primitive is made.
          runCase(state, make());
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.5);
  }
}

}  // namespace
}  // namespace tessera::lowering

int main(int argc, char** argv) {
  using namespace tessera::lowering;
  addCase("conv3x3_64_64_56", [] { return makeConv(square(64, 64, 56, 3)); });
  addCase("conv3x3_256_256_14", [] { return makeConv(square(256, 256, 14, 3)); });
  addCase("conv1x1_256_64_56", [] { return makeConv(square(256, 64, 56, 1)); });
  addCase("conv1x1_512_2048_7", [] { return makeConv(square(512, 2048, 7, 1)); });
  addCase("conv3x3s2_128_128_28", [] { return makeConv(square(128, 128, 56, 3, 2)); });
  addCase("conv3x3_512_512_7", [] { return makeConv(square(512, 512, 7, 3)); });
  addCase("matmul_512_512_512", [] { return makeMatmul(512, 512, 512); });
  addCase("matmul_32_3072_768", [] { return makeMatmul(32, 3072, 768); });
  addCase("matmul_197_768_768", [] { return makeMatmul(197, 768, 768); });
  addCase("matvec_3072_768", [] { return makeMatmul(1, 3072, 768); });
  addCase("depthwise3x3_144_56", [] { return makeConv(square(144, 144, 56, 3, 1, 144)); });
  return tessera::bench::runChecked(argc, argv);
}
