// Tensor kernels end to end: MLIR text -> shared object -> call, compared with plain loops.
#include "compiler/lowering/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/lowering/object/emit_object.h"
#include "compiler/lowering/object/link_shared.h"
#include "compiler/lowering/test/kernel_harness.h"
#include "mlir/Parser/Parser.h"

namespace tessera::lowering {
namespace {

/// A compiled kernel module and what must outlive it.
struct Compiled {
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<LoadedKernels> kernels;
};

class TensorKernel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!runsHere(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
  }
  LoadedKernels::Entry compile(const std::string& text, const std::string& name = "k") {
    auto target = makeCpuTarget(GetParam());
    EXPECT_TRUE(target) << (target ? "" : target.error().toString());
    compiled_.context = makeKernelContext();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, compiled_.context.get());
    EXPECT_TRUE(module);
    auto kernels = LoadedKernels::compile(*module, *target, KernelForm::kTensors);
    EXPECT_TRUE(kernels) << (kernels ? "" : kernels.error().toString());
    if (!kernels) return nullptr;
    compiled_.kernels = std::move(*kernels);
    return compiled_.kernels->find(name);
  }

  template <typename... Buffers>
  static int32_t call(LoadedKernels::Entry entry, HarnessHost& host, std::vector<int64_t> sizes,
                      Buffers*... buffers) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(buffers))..., nullptr};
    return entry(host.services(), pointers, sizes.data());
  }

  Compiled compiled_;
};

/// Copies of rows that are no whole vectors: LLVM would write out all 16 * 33 of an image.
TEST(EmitObject, SmallNestsAreNotWrittenOutWhole) {
  const auto context = makeKernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
!part = tensor<3x16x33x33xf32>
!all = tensor<3x32x33x33xf32>
func.func @k(%a: !part, %b: !part) -> !all {
  %e = tensor.empty() : !all
  %0 = tensor.insert_slice %a into %e[0, 0, 0, 0] [3, 16, 33, 33] [1, 1, 1, 1] : !part into !all
  %1 = tensor.insert_slice %b into %0[0, 16, 0, 0] [3, 16, 33, 33] [1, 1, 1, 1] : !part into !all
  return %1 : !all
})mlir",
                                                        context.get());
  ASSERT_TRUE(module);
  mlir::PassManager pm(context.get());
  buildTensorKernelPipeline(pm);
  ASSERT_TRUE(mlir::succeeded(pm.run(*module)));
  for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
    const auto object = emitObject(*module, *makeCpuTarget(cpu));
    ASSERT_TRUE(object);
    EXPECT_LT(object->bytes.size(), 16000) << cpu;
  }
}

std::vector<float> ramp(size_t count, float scale = 0.01f, float start = -1.0f) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = start + scale * static_cast<float>((i * 37) % 201);
  return values;
}

// Larger than caches: written past them where its vectors are aligned, and as ever elsewhere.
TEST_P(TensorKernel, LargeResultAtAnyAddress) {
  constexpr size_t kRows = 2100, kColumns = 4096;
  auto entry = compile(R"mlir(
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @k(%a: tensor<2100xf32>) -> tensor<2100x4096xf32> {
  %e = tensor.empty() : tensor<2100x4096xf32>
  %r = linalg.generic {indexing_maps = [#row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<2100xf32>) outs(%e : tensor<2100x4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<2100x4096xf32>
  return %r : tensor<2100x4096xf32>
})mlir");
  ASSERT_NE(entry, nullptr);
  const auto a = ramp(kRows);
  std::vector<float> memory(kRows * kColumns + 64);
  for (const size_t offset : {0, 1, 8, 16, 19}) {
    std::ranges::fill(memory, NAN);
    HarnessHost host(2);
    float* out = memory.data() + offset;
    ASSERT_EQ(call(entry, host, {}, a.data(), out), 0);
    size_t wrong = 0;
    for (size_t i = 0; i < kRows * kColumns; ++i) wrong += out[i] == 2 * a[i / kColumns] ? 0 : 1;
    EXPECT_EQ(wrong, 0u) << offset;
    EXPECT_TRUE(std::isnan(out[kRows * kColumns]));
  }
}

TEST_P(TensorKernel, MatmulPlusBias) {
  auto entry = compile(R"mlir(
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @k(%a: tensor<65x70xf32>, %b: tensor<70x33xf32>, %bias: tensor<33xf32>) -> tensor<65x33xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65x33xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<65x33xf32>) -> tensor<65x33xf32>
  %m = linalg.matmul ins(%a, %b : tensor<65x70xf32>, tensor<70x33xf32>) outs(%f : tensor<65x33xf32>) -> tensor<65x33xf32>
  %r = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m, %bias : tensor<65x33xf32>, tensor<33xf32>) outs(%e : tensor<65x33xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<65x33xf32>
  return %r : tensor<65x33xf32>
})mlir");
  ASSERT_NE(entry, nullptr);
  auto a = ramp(size_t{65} * 70), b = ramp(size_t{70} * 33), bias = ramp(33);
  for (const int threads : {1, 3}) {
    HarnessHost host(threads);
    std::vector<float> out(size_t{65} * 33, NAN);
    ASSERT_EQ(call(entry, host, {}, a.data(), b.data(), bias.data(), out.data()), 0);
    EXPECT_EQ(host.workspaceBytes, 0u);  // Computed in the caller's buffer.
    for (int i = 0; i < 65; ++i) {
      for (int j = 0; j < 33; ++j) {
        double sum = bias[j];
        for (int k = 0; k < 70; ++k) sum += static_cast<double>(a[i * 70 + k]) * b[k * 33 + j];
        ASSERT_NEAR(out[i * 33 + j], sum, 1e-4) << i << " " << j;
      }
    }
  }
}

TEST_P(TensorKernel, DynamicAddBroadcastsAndAllocatesItsOutput) {
  auto entry = compile(R"mlir(
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @k(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
})mlir");
  ASSERT_NE(entry, nullptr);
  for (auto [rows, columns] :
       {std::pair<int64_t, int64_t>{3, 5}, {200, 700}, {0, 5}, {1, 1}, {4, 0}}) {
    HarnessHost host(2);
    auto a = ramp(rows * columns), b = ramp(columns);
    ASSERT_EQ(call(entry, host, {rows, columns, columns}, a.data(), b.data(),
                   static_cast<float*>(nullptr)),
              0);
    ASSERT_EQ(host.outputs.size(), 1u);
    EXPECT_EQ(host.outputs[0].dims, (std::vector<int64_t>{rows, columns}));
    const auto* out = reinterpret_cast<const float*>(host.outputs[0].memory.data());
    for (int64_t i = 0; i < rows * columns; ++i)
      ASSERT_NEAR(out[i], std::tanh(a[i] + b[i % columns]), 2e-6);
  }
}

TEST_P(TensorKernel, SoftmaxIsOneLoopOverRows) {
  auto entry = compile(R"mlir(
#full = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
func.func @k(%a: tensor<96x512xf32>) -> tensor<96x512xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty() : tensor<96xf32>
  %e = tensor.empty() : tensor<96x512xf32>
  %il = linalg.fill ins(%low : f32) outs(%er : tensor<96xf32>) -> tensor<96xf32>
  %m = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<96x512xf32>) outs(%il : tensor<96xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.maximumf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<96xf32>
  %x = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : tensor<96x512xf32>, tensor<96xf32>) outs(%e : tensor<96x512xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<96x512xf32>
  %iz = linalg.fill ins(%zero : f32) outs(%er : tensor<96xf32>) -> tensor<96xf32>
  %sum = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<96x512xf32>) outs(%iz : tensor<96xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<96xf32>
  %r = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<96x512xf32>, tensor<96xf32>) outs(%e : tensor<96x512xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.divf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<96x512xf32>
  return %r : tensor<96x512xf32>
})mlir");
  ASSERT_NE(entry, nullptr);
  HarnessHost host(2);
  auto a = ramp(size_t{96} * 512, 0.1f, -10.0f);
  std::vector<float> out(size_t{96} * 512, NAN);
  ASSERT_EQ(call(entry, host, {}, a.data(), out.data()), 0);
  EXPECT_EQ(host.workspaceBytes, 0u);  // Temporaries are rows on the threads' stacks.
  for (int i = 0; i < 96; ++i) {
    double sum = 0;
    for (int j = 0; j < 512; ++j) sum += std::exp(static_cast<double>(a[i * 512 + j]));
    for (int j = 0; j < 512; ++j) {
      const double expected = std::exp(static_cast<double>(a[i * 512 + j])) / sum;
      ASSERT_NEAR(out[i * 512 + j], expected, 1e-6 + 2e-6 * expected);
    }
  }
}

TEST_P(TensorKernel, BooleansAreBytes) {
  auto entry = compile(R"mlir(
#map = affine_map<(d0) -> (d0)>
func.func @k(%a: tensor<40xf32>, %b: tensor<40xi1>) -> (tensor<40xi1>, tensor<40xf32>) {
  %zero = arith.constant dense<0.0> : tensor<40xf32>
  %p = arith.cmpf ogt, %a, %zero : tensor<40xf32>
  %q = arith.andi %p, %b : tensor<40xi1>
  %r = arith.select %q, %a, %zero : tensor<40xi1>, tensor<40xf32>
  return %q, %r : tensor<40xi1>, tensor<40xf32>
})mlir");
  ASSERT_NE(entry, nullptr);
  HarnessHost host(1);
  auto a = ramp(40);
  std::vector<uint8_t> b(40), q(41, 77);
  std::vector<float> r(40);
  for (int i = 0; i < 40; ++i) b[i] = i % 3 == 0 ? 1 : 0;
  ASSERT_EQ(call(entry, host, {}, a.data(), b.data(), q.data(), r.data()), 0);
  for (int i = 0; i < 40; ++i) {
    const bool expected = a[i] > 0 && b[i] != 0;
    EXPECT_EQ(q[i], expected ? 1 : 0);
    EXPECT_EQ(r[i], expected ? a[i] : 0.0f);
  }
  EXPECT_EQ(q[40], 77);
}

TEST_P(TensorKernel, IntegersDoublesAndRankZero) {
  auto entry = compile(R"mlir(
#v = affine_map<(d0) -> (d0)>
#s = affine_map<(d0) -> ()>
func.func @k(%a: tensor<37xi64>, %b: tensor<37xi8>, %c: tensor<f64>) -> (tensor<i64>, tensor<37xf64>) {
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<i64>
  %f = linalg.fill ins(%z : i64) outs(%e : tensor<i64>) -> tensor<i64>
  %sum = linalg.generic {indexing_maps = [#v, #s], iterator_types = ["reduction"]} ins(%a : tensor<37xi64>) outs(%f : tensor<i64>) {
  ^bb0(%x: i64, %o: i64):
    %t = arith.addi %x, %o : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  %g = tensor.empty() : tensor<37xf64>
  %r = linalg.generic {indexing_maps = [#v, #s, #v], iterator_types = ["parallel"]} ins(%b, %c : tensor<37xi8>, tensor<f64>)
      outs(%g : tensor<37xf64>) {
  ^bb0(%x: i8, %y: f64, %o: f64):
    %t = arith.uitofp %x : i8 to f64
    %u = arith.mulf %t, %y : f64
    %w = math.exp %u : f64
    linalg.yield %w : f64
  } -> tensor<37xf64>
  return %sum, %r : tensor<i64>, tensor<37xf64>
})mlir");
  ASSERT_NE(entry, nullptr);
  HarnessHost host(1);
  std::vector<int64_t> a(37);
  std::vector<uint8_t> b(37);
  for (int i = 0; i < 37; ++i) a[i] = i * 1000000007ll, b[i] = static_cast<uint8_t>(i * 7);
  double c = 0.01;
  int64_t sum = 0;
  std::vector<double> r(37);
  ASSERT_EQ(call(entry, host, {}, a.data(), b.data(), &c, &sum, r.data()), 0);
  EXPECT_EQ(sum, 666 * 1000000007ll);
  for (int i = 0; i < 37; ++i) EXPECT_DOUBLE_EQ(r[i], std::exp(b[i] * c));
}

TEST_P(TensorKernel, TemporariesShareOneWorkspace) {
  auto entry = compile(R"mlir(
func.func @k(%a: tensor<300x200xf32>) -> tensor<300x200xf32> {
  %e = tensor.empty() : tensor<200x300xf32>
  %t = linalg.transpose ins(%a : tensor<300x200xf32>) outs(%e : tensor<200x300xf32>) permutation = [1, 0]
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %t low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<200x300xf32> to tensor<200x301xf32>
  %s = tensor.extract_slice %p[0, 0] [200, 300] [1, 1] : tensor<200x301xf32> to tensor<200x300xf32>
  %f = tensor.empty() : tensor<300x200xf32>
  %u = linalg.transpose ins(%s : tensor<200x300xf32>) outs(%f : tensor<300x200xf32>) permutation = [1, 0]
  return %u : tensor<300x200xf32>
})mlir");
  ASSERT_NE(entry, nullptr);
  HarnessHost host(2);
  auto a = ramp(size_t{300} * 200);
  std::vector<float> out(size_t{300} * 200, NAN);
  ASSERT_EQ(call(entry, host, {}, a.data(), out.data()), 0);
  EXPECT_GT(host.workspaceBytes, 0u);
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 200; ++j) ASSERT_EQ(out[i * 200 + j], i == 0 ? 0.0f : a[(i - 1) * 200 + j]);
  }
}

TEST_P(TensorKernel, TranscendentalsAreAccurate) {
  auto entry = compile(R"mlir(
#map = affine_map<(d0) -> (d0)>
func.func @k(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %e = math.exp %a : tensor<?xf32>
  %t = math.tanh %a : tensor<?xf32>
  %f = math.erf %a : tensor<?xf32>
  %x = math.absf %a : tensor<?xf32>
  %l = math.log %x : tensor<?xf32>
  return %e, %t, %f, %l : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
})mlir");
  ASSERT_NE(entry, nullptr);
  std::vector<float> a;
  for (int i = -6153; i < 6154; ++i) a.push_back(static_cast<float>(0.013 * i));
  for (int i = 0; i < 238; ++i) {
    const auto x = static_cast<float>(1e-7 * std::pow(1.07, i));
    a.push_back(x), a.push_back(-x);
  }
  HarnessHost host(1);
  float* none = nullptr;
  ASSERT_EQ(call(entry, host, {static_cast<int64_t>(a.size())}, a.data(), none, none, none, none),
            0);
  double worst[4] = {};
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    const double expected[4] = {std::exp(x), std::tanh(x), std::erf(x), std::log(std::fabs(x))};
    for (int j = 0; j < 4; ++j) {
      const float got = reinterpret_cast<const float*>(host.outputs[j].memory.data())[i];
      const double error = std::fabs(got - expected[j]) / std::max(std::fabs(expected[j]), 1e-30);
      if (std::fabs(expected[j]) > 1e-30) worst[j] = std::max(worst[j], error);
    }
  }
  for (int j = 0; j < 4; ++j) RecordProperty("worst" + std::to_string(j), std::to_string(worst[j]));
  EXPECT_LT(worst[0], 1e-6) << "exp";
  EXPECT_LT(worst[1], 1e-6) << "tanh";
  EXPECT_LT(worst[2], 1e-6) << "erf";
  EXPECT_LT(worst[3], 1e-6) << "log";
}

// Angles that the series take, and vectors with one among them that only libm does.
TEST_P(TensorKernel, SineAndCosineOfAnyAngle) {
  auto entry = compile(R"mlir(
func.func @k(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %s = math.sin %a : tensor<?xf32>
  %c = math.cos %a : tensor<?xf32>
  return %s, %c : tensor<?xf32>, tensor<?xf32>
})mlir");
  ASSERT_NE(entry, nullptr);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> a = {0.0f, -0.0f, 1e-40f, -1e-40f};
  for (int i = -60000; i <= 60000; ++i) {
    const auto zero = static_cast<float>(M_PI_2 * i);  // Of one of both, almost.
    a.insert(a.end(), {zero, std::nextafter(zero, kInfinity), 1.61803f * static_cast<float>(i)});
  }
  while (a.size() % 16 != 0) a.push_back(1);
  const size_t numNear = a.size();
  for (const float far : {1.001e5f, -3e9f, 3e38f, kInfinity, -kInfinity, NAN})
    a.insert(a.end(), {1, -2, far, 4, 5, -6, 7, 8, 9, 10, 11});
  HarnessHost host(1);
  float* none = nullptr;
  ASSERT_EQ(call(entry, host, {static_cast<int64_t>(a.size())}, a.data(), none, none), 0);
  const auto outputOf = [&](size_t number) {
    return reinterpret_cast<const float*>(host.outputs[number].memory.data());
  };
  const float *sines = outputOf(0), *cosines = outputOf(1);
  const auto relativeError = [](float got, double exact) {
    if (std::isnan(exact)) return std::isnan(got) ? 0.0 : 1.0;
    return std::fabs(got - exact) / std::max(std::fabs(exact), 1e-37);
  };
  double worst = 0, greatest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    worst = std::max(
        {worst, relativeError(sines[i], std::sin(x)), relativeError(cosines[i], std::cos(x))});
    if (i < numNear)
      greatest = std::max<double>({greatest, std::fabs(sines[i]), std::fabs(cosines[i])});
  }
  EXPECT_LT(worst, 2e-7);
  EXPECT_EQ(greatest, 1);
  EXPECT_FALSE(std::signbit(sines[0]));
  EXPECT_TRUE(std::signbit(sines[1]));
  EXPECT_EQ(cosines[0], 1);
}

INSTANTIATE_TEST_SUITE_P(Cpus, TensorKernel, testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto& info) {
                           return std::string(info.param) == "x86-64-v3" ? "Avx2" : "Avx512";
                         });

TEST(CpuTarget, NamesLevelsAndRejectsUnknown) {
  auto v4 = makeCpuTarget("x86-64-v4");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->vectorLanes, 16);
  auto skylake = makeCpuTarget("skylake");
  ASSERT_TRUE(skylake);
  EXPECT_EQ(skylake->cpu, "x86-64-v3");
  EXPECT_EQ(skylake->vectorLanes, 8);
  auto unknown = makeCpuTarget("pentium-9");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_TRUE(makeCpuTarget("native"));
}

// Every feature that LLVM may use for a level, and that the base level lacks, must be asked of the
// CPU.
TEST(CpuTarget, RequiresEveryFeatureOfItsLevel) {
  auto v3 = makeCpuTarget("x86-64-v3");
  ASSERT_TRUE(v3);
  EXPECT_EQ(v3->features,
            (std::vector<std::string>{"avx", "avx2", "bmi", "bmi2", "crc32", "cx16", "f16c", "fma",
                                      "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1",
                                      "sse4.2", "ssse3", "xsave"}));
  auto v4 = makeCpuTarget("x86-64-v4");
  ASSERT_TRUE(v4);
  for (const std::string& feature : v3->features)
    EXPECT_TRUE(llvm::is_contained(v4->features, feature)) << feature;
  for (const char* feature : {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"})
    EXPECT_TRUE(llvm::is_contained(v4->features, feature)) << feature;
  EXPECT_EQ(v4->features.size(), v3->features.size() + 5);
}

TEST(LinkShared, ReportsBadInputAndUndefinedSymbols) {
  std::vector<std::vector<uint8_t>> garbage = {{'n', 'o', 't', ' ', 'e', 'l', 'f'}};
  auto library = linkShared(garbage);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, ErrorCode::kTargetFailed);
  EXPECT_FALSE(library.error().notes.empty());
}

TEST(EmitObject, SameModuleSameBytesAndQuick) {
  const char* text = R"mlir(
func.func @k(%a: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %r = math.exp %a : tensor<64x100xf32>
  return %r : tensor<64x100xf32>
})mlir";
  auto target = makeCpuTarget("x86-64-v3");
  ASSERT_TRUE(target);
  std::vector<std::vector<uint8_t>> libraries;
  double milliseconds = 0;
  for (int i = 0; i < 3; ++i) {
    auto context = makeKernelContext();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    auto start = std::chrono::steady_clock::now();
    mlir::PassManager pm(context.get());
    buildTensorKernelPipeline(pm);
    ASSERT_TRUE(mlir::succeeded(pm.run(*module)));
    auto object = emitObject(*module, *target);
    ASSERT_TRUE(object);
    std::vector<std::vector<uint8_t>> objects = {object->bytes};
    auto library = linkShared(objects);
    ASSERT_TRUE(library);
    milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    libraries.push_back(*library);
  }
  EXPECT_EQ(libraries[0], libraries[1]);
  EXPECT_EQ(libraries[0], libraries[2]);
  RecordProperty("milliseconds", std::to_string(milliseconds));
  printf("one small kernel: %.1f ms\n", milliseconds);
}

}  // namespace
}  // namespace tessera::lowering
