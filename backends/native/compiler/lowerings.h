// How each tensor operator becomes loops, and what of it is not supported. One function pair for
// each family.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/native/compiler/kernel_builder.h"

namespace tessera::backend_native {

/// Builds what results are from the operands (b.get) and declares them (b.set). Fails after an
/// error on the operator.
using Lower = mlir::LogicalResult (*)(KernelBuilder& b, mlir::Operation* op);
/// Why the operator cannot be lowered; nothing when it can.
using Refuse = std::optional<std::string> (*)(mlir::Operation* op);

struct Lowering {
  Lower lower;
  Refuse refuse = nullptr;  ///< Null: nothing is refused but element types.
};

/// Null for operators that this backend does not know.
const Lowering* findLowering(mlir::Operation* op);

/// Mnemonics of the operators that have one, sorted.
std::vector<std::string> loweredOperators();

/// Why this backend declines the operator: unknown, an element type, or what its family refuses.
std::optional<std::string> whyDeclined(mlir::Operation* op);

mlir::LogicalResult lowerOperation(KernelBuilder& b, mlir::Operation* op);

// elementwise
mlir::LogicalResult lowerElementwise(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerDropout(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerBatchNorm(KernelBuilder& b, mlir::Operation* op);
// quantisation
mlir::LogicalResult lowerQuantizeLinear(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerDequantizeLinear(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerDynamicQuantizeLinear(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseQuantize(mlir::Operation* op);
// structure
mlir::LogicalResult lowerConstant(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerComposite(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerRelayout(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseComposite(mlir::Operation* op);
std::optional<std::string> refuseRelayout(mlir::Operation* op);
// shapes
mlir::LogicalResult lowerReshape(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerShape(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerSize(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseReshape(mlir::Operation* op);
// movement
mlir::LogicalResult lowerTranspose(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerConcat(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerSplit(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerSlice(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerExpand(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerTile(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerPad(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerDepthToSpace(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerSpaceToDepth(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerReverseSequence(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseSlice(mlir::Operation* op);
std::optional<std::string> refuseExpand(mlir::Operation* op);
std::optional<std::string> refusePad(mlir::Operation* op);
// indexing
mlir::LogicalResult lowerGather(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerGatherElements(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerGatherNd(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerScatterElements(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerScatterNd(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseGatherNd(mlir::Operation* op);
// generators
mlir::LogicalResult lowerConstantOfShape(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerRange(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerOneHot(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerEyeLike(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerTrilu(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerCumsum(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseCumsum(mlir::Operation* op);
// reductions
mlir::LogicalResult lowerReduce(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerArgExtreme(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerSoftmax(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerLogSoftmax(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerHardmax(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerTopK(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseReduce(mlir::Operation* op);
// windows
mlir::LogicalResult lowerMaxPool(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerAveragePool(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerLpPool(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerGlobalPool(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerConv(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerConvTranspose(KernelBuilder& b, mlir::Operation* op);
// products
mlir::LogicalResult lowerMatmul(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerGemm(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerEinsum(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseEinsum(mlir::Operation* op);
// normalisation
mlir::LogicalResult lowerLayerNorm(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerRmsNorm(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerInstanceNorm(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerGroupNorm(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerLrn(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerLpNorm(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerMeanVarianceNorm(KernelBuilder& b, mlir::Operation* op);
// sampling
mlir::LogicalResult lowerResize(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseResize(mlir::Operation* op);
// recurrence
mlir::LogicalResult lowerLstm(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerGru(KernelBuilder& b, mlir::Operation* op);
mlir::LogicalResult lowerRnn(KernelBuilder& b, mlir::Operation* op);
std::optional<std::string> refuseRecurrent(mlir::Operation* op);

}  // namespace tessera::backend_native
