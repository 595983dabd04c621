// What the tests of convolutions and of products share: one kernel, compiled for a CPU and called.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/test/kernel_harness.h"

namespace tessera::lowering {

inline std::vector<float> randomValues(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

/// The values in memory that ends at an unreadable page.
inline GuardedMemory guarded(const std::vector<float>& values) {
  GuardedMemory memory(values.size() * sizeof(float), sizeof(float));
  if (!values.empty()) std::memcpy(memory.data(), values.data(), memory.sizeBytes());
  return memory;
}

/// The values in such memory.
inline std::vector<float> valuesIn(const GuardedMemory& memory) {
  const auto* values = reinterpret_cast<const float*>(memory.data());
  return {values, values + memory.sizeBytes() / sizeof(float)};
}

/// The parameter is LLVM's name of a CPU.
class Contraction : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!runsHere(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    auto target = makeCpuTarget(GetParam());
    ASSERT_TRUE(target);
    target_ = *target;
    context_ = makeKernelContext();
  }

  mlir::MemRefType f32(llvm::ArrayRef<int64_t> dims) {
    return mlir::MemRefType::get(dims, mlir::Float32Type::get(context_.get()));
  }

  using Fill = std::function<void(KernelFunction&, mlir::OpBuilder&)>;

  // A module with the kernel that `fill` fills.
  mlir::OwningOpRef<mlir::ModuleOp> build(const KernelSignature& signature, const Fill& fill) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(context_.get()));
    KernelFunction kernel = createKernelFunction(*module, "k", signature);
    mlir::OpBuilder b = kernel.bodyBuilder();
    fill(kernel, b);
    int numAllocated = 0, numFreed = 0;
    kernel.function.walk([&](mlir::memref::AllocOp) { ++numAllocated; });
    kernel.function.walk([&](mlir::memref::DeallocOp) { ++numFreed; });
    EXPECT_EQ(numAllocated, numFreed);
    return module;
  }

  std::unique_ptr<LoadedKernels> compile(mlir::ModuleOp module) {
    auto kernels = LoadedKernels::compile(module, target_, KernelForm::kMemory);
    EXPECT_TRUE(kernels) << (kernels ? "" : kernels.error().toString());
    return kernels ? std::move(*kernels) : nullptr;
  }
  std::unique_ptr<LoadedKernels> compile(const KernelSignature& signature, const Fill& fill) {
    return compile(*build(signature, fill));
  }

  CpuTarget target_;
  std::unique_ptr<mlir::MLIRContext> context_;
};

/// Epilogue: relu(accumulator + residual).
inline Epilogue reluOfSum(mlir::Value residual) {
  return [residual](const EpilogueContext& context) {
    mlir::Value value = context.accumulator;
    if (residual)
      value = context.b.create<mlir::arith::AddFOp>(context.loc, value,
                                                    loadSameShape(context, residual));
    auto type = mlir::cast<mlir::VectorType>(value.getType());
    const mlir::Value zero =
        context.b.create<mlir::arith::ConstantOp>(context.loc, context.b.getZeroAttr(type));
    return context.b.create<mlir::arith::MaximumFOp>(context.loc, value, zero).getResult();
  };
}

#define TESSERA_FOR_BOTH_WIDTHS(suite)                        \
  INSTANTIATE_TEST_SUITE_P(                                   \
      Cpus, suite, testing::Values("x86-64-v3", "x86-64-v4"), \
      [](const auto& info) { return std::string(info.param) == "x86-64-v3" ? "Avx2" : "Avx512"; })

}  // namespace tessera::lowering
