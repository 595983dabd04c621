// What the tests of operators whose sizes are known at run time only share: one kernel, called with
// many sizes.
#pragma once

#include <algorithm>

#include "compiler/lowering/contraction/test/contraction_fixture.h"

namespace tessera::lowering {

/// What a kernel gets for an operand, and those of its sizes that are known at run time only.
struct OpenOperand {
  std::vector<float> values;
  std::vector<int64_t> sizes;
};

/// What plain loops make of the operands, and how far a kernel may be off.
struct OpenResult {
  std::vector<double> wanted;
  std::vector<int64_t> sizes;
  double tolerance = 0;
};

/// What a kernel does in front of the stores.
enum class EpilogueKind : uint8_t { kNone, kRelu, kReluOfSum };

class OpenSizes : public Contraction {
 protected:
  /// Emits the operator at `b`.
  using Emit = std::function<void(mlir::OpBuilder& b, mlir::ValueRange operands, mlir::Value output,
                                  const Epilogue& epilogue)>;

  mlir::OwningOpRef<mlir::ModuleOp> buildOpen(llvm::SmallVector<mlir::MemRefType> operands,
                                              mlir::MemRefType result, const Emit& emit) {
    const size_t residual = operands.size();
    // The result's memory is an input, whose sizes the kernel is told.
    operands.append(2, result);
    return build(
        {.inputs = operands, .outputs = {}}, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
          const mlir::ValueRange inputs = kernel.inputs;
          emit(b, inputs.take_front(residual), inputs.back(), epilogueOf(inputs[residual]));
        });
  }

  /// Calls the kernel of such a module on one and on two threads; `operands` as it was built for.
  void expectResult(const LoadedKernels& kernels, std::vector<OpenOperand> operands,
                    const OpenResult& result) {
    const std::vector<float> residual = randomValues(result.wanted.size(), 3);
    operands.push_back({.values = residual, .sizes = result.sizes});
    operands.push_back({.values = std::vector<float>(residual.size(), NAN), .sizes = result.sizes});
    for (const int threads : {1, 2}) {
      HarnessHost host(threads);
      std::vector<GuardedMemory> memory;
      std::vector<int64_t> sizes;
      for (const OpenOperand& operand : operands) {
        memory.push_back(guarded(operand.values));
        sizes.insert(sizes.end(), operand.sizes.begin(), operand.sizes.end());
      }
      std::vector<void*> buffers;
      buffers.reserve(memory.size());
      for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
      ASSERT_EQ(kernels.find("k")(host.services(), buffers.data(), sizes.data()), 0);
      numTasks_ = host.numIterations;
      const std::vector<float> out = valuesIn(memory.back());
      for (size_t i = 0; i < out.size(); ++i) {
        const double wanted = atEnd(result.wanted[i], residual[i]);
        ASSERT_TRUE(isClose(out[i], wanted, result.tolerance))
            << out[i] << " for " << wanted << ", element " << i << ", threads " << threads;
      }
    }
  }

  EpilogueKind epilogue_ = EpilogueKind::kReluOfSum;
  int64_t numTasks_ = 0;  ///< Iterations of the parallel loop of the last call.

 private:
  Epilogue epilogueOf(mlir::Value residual) const {
    if (epilogue_ == EpilogueKind::kNone) return nullptr;
    if (epilogue_ == EpilogueKind::kReluOfSum) return reluOfSum(residual);
    return {reluOfSum({}), /*isLong=*/false, /*readsMemory=*/false};
  }

  double atEnd(double value, float residual) const {
    if (epilogue_ == EpilogueKind::kNone) return value;
    if (epilogue_ == EpilogueKind::kReluOfSum) value += residual;
    return std::isnan(value) ? value : std::max(0.0, value);
  }

  // Numbers that are not finite are to be the same.
  static bool isClose(double got, double wanted, double tolerance) {
    if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return true;
    return std::isfinite(got) && std::fabs(got - wanted) <= tolerance;
  }
};

}  // namespace tessera::lowering
