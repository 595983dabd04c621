// Elementwise operators behind a contraction, on vectors of its accumulators, or in front of it.
#pragma once

#include "backends/native/compiler/contraction/plan.h"
#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/lowering/contraction/epilogue.h"

namespace tessera::backend_native {

/// Emits the chain behind the contraction of one region (its tail), or that in front of it (its
/// head). Results of products, and row-major results of convolutions, are matrices here: all
/// dimensions before the columns count as rows.
class ChainEmitter {
 public:
  /// The tail; both outlive this.
  ChainEmitter(const ContractionRegion& region, const ContractionPlan& plan);
  /// Behind a product without a bias, or, as a head, behind nothing (null): without accumulators.
  explicit ChainEmitter(const ElementwiseChain& chain, mlir::Operation* anchor = nullptr)
      : chain_(chain), anchor_(anchor) {}

  /// The memory of an argument.
  void setBuffer(mlir::Value argument, mlir::Value buffer) { buffers_[argument] = buffer; }
  mlir::Value bufferOf(mlir::Value argument) const { return buffers_.lookup(argument); }

  /// Reads sizes at run time and requires that all operands broadcast to the result, which has
  /// `resultSizes`; before the contraction is emitted. `nodes` numbers the operators of the region.
  void prepare(KernelBuilder& b, const Values& resultSizes,
               const llvm::DenseMap<mlir::Operation*, uint32_t>& nodes);

  /// Whether it computes much, or needs many registers.
  bool isLong() const;
  /// Whether it reads operands beside what it is emitted for.
  bool readsMemory() const;

  /// What is stored instead of the accumulator, or multiplied.
  mlir::Value emit(const lowering::EpilogueContext& context);

 private:
  mlir::Value read(const lowering::EpilogueContext& context, mlir::Value value);
  mlir::Value readMemory(const lowering::EpilogueContext& context, mlir::Value value);
  mlir::Value readMatrix(const lowering::EpilogueContext& context, mlir::Value value);
  mlir::Value readChannels(const lowering::EpilogueContext& context, mlir::Value value);
  mlir::Value readPosition(const lowering::EpilogueContext& context, mlir::Value value);
  mlir::Value anchorResult(const lowering::EpilogueContext& context);

  const ElementwiseChain& chain_;
  mlir::Operation* anchor_;
  BiasPlace bias_ = BiasPlace::kNone;
  bool isExact_ = false;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers_;
  llvm::DenseMap<mlir::Value, Values> sizes_;  ///< Of kMatrix operands.
  Values resultSizes_;
  int64_t numColumnDims_ = 1;  ///< Dimensions of the result behind its rows.
};

/// Sizes of a value that lies in `buffer`.
Values bufferSizes(KernelBuilder& b, mlir::RankedTensorType type, mlir::Value buffer);

}  // namespace tessera::backend_native
