#include "backends/native/compiler/lowerings.h"

#include "backends/native/compiler/emit_scalar.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

struct Row {
  const char* mnemonic;
  Lowering lowering;
};

}  // namespace

/// Elementwise operators are those of emitScalar; all others are listed here.
static constexpr Row kRows[] = {
    {.mnemonic = "argmax", .lowering = {.lower = lowerArgExtreme}},
    {.mnemonic = "argmin", .lowering = {.lower = lowerArgExtreme}},
    {.mnemonic = "average_pool", .lowering = {.lower = lowerAveragePool}},
    {.mnemonic = "batch_norm", .lowering = {.lower = lowerBatchNorm}},
    {.mnemonic = "composite", .lowering = {.lower = lowerComposite, .refuse = refuseComposite}},
    {.mnemonic = "concat", .lowering = {.lower = lowerConcat}},
    {.mnemonic = "constant", .lowering = {.lower = lowerConstant}},
    {.mnemonic = "constant_of_shape", .lowering = {.lower = lowerConstantOfShape}},
    {.mnemonic = "conv", .lowering = {.lower = lowerConv}},
    {.mnemonic = "conv_transpose", .lowering = {.lower = lowerConvTranspose}},
    {.mnemonic = "cumsum", .lowering = {.lower = lowerCumsum, .refuse = refuseCumsum}},
    {.mnemonic = "depth_to_space", .lowering = {.lower = lowerDepthToSpace}},
    {.mnemonic = "dequantize_linear",
     .lowering = {.lower = lowerDequantizeLinear, .refuse = refuseQuantize}},
    {.mnemonic = "dropout", .lowering = {.lower = lowerDropout}},
    {.mnemonic = "dynamic_quantize_linear", .lowering = {.lower = lowerDynamicQuantizeLinear}},
    {.mnemonic = "einsum", .lowering = {.lower = lowerEinsum, .refuse = refuseEinsum}},
    {.mnemonic = "expand", .lowering = {.lower = lowerExpand, .refuse = refuseExpand}},
    {.mnemonic = "eye_like", .lowering = {.lower = lowerEyeLike}},
    {.mnemonic = "flatten", .lowering = {.lower = lowerReshape, .refuse = refuseReshape}},
    {.mnemonic = "gather", .lowering = {.lower = lowerGather}},
    {.mnemonic = "gather_elements", .lowering = {.lower = lowerGatherElements}},
    {.mnemonic = "gather_nd", .lowering = {.lower = lowerGatherNd, .refuse = refuseGatherNd}},
    {.mnemonic = "gemm", .lowering = {.lower = lowerGemm}},
    {.mnemonic = "global_average_pool", .lowering = {.lower = lowerGlobalPool}},
    {.mnemonic = "global_lp_pool", .lowering = {.lower = lowerGlobalPool}},
    {.mnemonic = "global_max_pool", .lowering = {.lower = lowerGlobalPool}},
    {.mnemonic = "group_norm", .lowering = {.lower = lowerGroupNorm}},
    {.mnemonic = "gru", .lowering = {.lower = lowerGru, .refuse = refuseRecurrent}},
    {.mnemonic = "hardmax", .lowering = {.lower = lowerHardmax}},
    {.mnemonic = "instance_norm", .lowering = {.lower = lowerInstanceNorm}},
    {.mnemonic = "layer_norm", .lowering = {.lower = lowerLayerNorm}},
    {.mnemonic = "log_softmax", .lowering = {.lower = lowerLogSoftmax}},
    {.mnemonic = "lp_norm", .lowering = {.lower = lowerLpNorm}},
    {.mnemonic = "lp_pool", .lowering = {.lower = lowerLpPool}},
    {.mnemonic = "lrn", .lowering = {.lower = lowerLrn}},
    {.mnemonic = "lstm", .lowering = {.lower = lowerLstm, .refuse = refuseRecurrent}},
    {.mnemonic = "matmul", .lowering = {.lower = lowerMatmul}},
    {.mnemonic = "max_pool", .lowering = {.lower = lowerMaxPool}},
    {.mnemonic = "mean_variance_norm", .lowering = {.lower = lowerMeanVarianceNorm}},
    {.mnemonic = "one_hot", .lowering = {.lower = lowerOneHot}},
    {.mnemonic = "pad", .lowering = {.lower = lowerPad, .refuse = refusePad}},
    {.mnemonic = "quantize_linear",
     .lowering = {.lower = lowerQuantizeLinear, .refuse = refuseQuantize}},
    {.mnemonic = "range", .lowering = {.lower = lowerRange}},
    {.mnemonic = "reduce_l1", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_l2", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_log_sum", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_log_sum_exp", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_max", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_mean", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_min", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_prod", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_sum", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "reduce_sum_square", .lowering = {.lower = lowerReduce, .refuse = refuseReduce}},
    {.mnemonic = "relayout", .lowering = {.lower = lowerRelayout, .refuse = refuseRelayout}},
    {.mnemonic = "reshape", .lowering = {.lower = lowerReshape, .refuse = refuseReshape}},
    {.mnemonic = "resize", .lowering = {.lower = lowerResize, .refuse = refuseResize}},
    {.mnemonic = "reverse_sequence", .lowering = {.lower = lowerReverseSequence}},
    {.mnemonic = "rms_norm", .lowering = {.lower = lowerRmsNorm}},
    {.mnemonic = "rnn", .lowering = {.lower = lowerRnn, .refuse = refuseRecurrent}},
    {.mnemonic = "scatter_elements", .lowering = {.lower = lowerScatterElements}},
    {.mnemonic = "scatter_nd", .lowering = {.lower = lowerScatterNd, .refuse = refuseGatherNd}},
    {.mnemonic = "shape", .lowering = {.lower = lowerShape}},
    {.mnemonic = "size", .lowering = {.lower = lowerSize}},
    {.mnemonic = "slice", .lowering = {.lower = lowerSlice, .refuse = refuseSlice}},
    {.mnemonic = "softmax", .lowering = {.lower = lowerSoftmax}},
    {.mnemonic = "space_to_depth", .lowering = {.lower = lowerSpaceToDepth}},
    {.mnemonic = "split", .lowering = {.lower = lowerSplit}},
    {.mnemonic = "squeeze", .lowering = {.lower = lowerReshape, .refuse = refuseReshape}},
    {.mnemonic = "tile", .lowering = {.lower = lowerTile}},
    {.mnemonic = "top_k", .lowering = {.lower = lowerTopK}},
    {.mnemonic = "transpose", .lowering = {.lower = lowerTranspose}},
    {.mnemonic = "trilu", .lowering = {.lower = lowerTrilu}},
    {.mnemonic = "unsqueeze", .lowering = {.lower = lowerReshape, .refuse = refuseReshape}},
};

const Lowering* findLowering(Operation* op) {
  static const auto* byName = [] {
    auto* map = new llvm::StringMap<const Lowering*>;
    for (const Row& row : kRows)
      map->try_emplace(std::string("tsr.") + row.mnemonic, &row.lowering);
    return map;
  }();
  static constexpr Lowering kElementwise = {.lower = lowerElementwise};
  if (isScalarOp(op)) return &kElementwise;
  return byName->lookup(op->getName().getStringRef());
}

std::vector<std::string> loweredOperators() {
  std::vector<std::string> mnemonics;
  for (const Row& row : kRows) mnemonics.emplace_back(row.mnemonic);
  for (StringRef name : scalarOpNames()) {
    name.consume_front("tsr.");
    mnemonics.push_back(name.str());
  }
  llvm::sort(mnemonics);
  return mnemonics;
}

static std::optional<std::string> refuseType(Type type) {
  const auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return "a value is no tensor of known rank";
  switch (ir::toElementType(tensor.getElementType())) {
    case ElementType::kF32:
    case ElementType::kF64:
    case ElementType::kI8:
    case ElementType::kU8:
    case ElementType::kI32:
    case ElementType::kI64:
    case ElementType::kBool:
      return std::nullopt;
    default:
      break;
  }
  return std::string("element type ") +
         elementTypeName(ir::toElementType(tensor.getElementType())) + " is not supported";
}

std::optional<std::string> whyDeclined(Operation* op) {
  const Lowering* lowering = findLowering(op);
  if (!lowering) return "operator " + op->getName().stripDialect().str() + " is not supported";
  for (const Type type : op->getOperandTypes()) {
    if (auto reason = refuseType(type)) return reason;
  }
  for (const Type type : op->getResultTypes()) {
    if (auto reason = refuseType(type)) return reason;
  }
  return lowering->refuse ? lowering->refuse(op) : std::nullopt;
}

LogicalResult lowerOperation(KernelBuilder& b, Operation* op) {
  const Lowering* lowering = findLowering(op);
  if (!lowering) return op->emitError("the native backend has no code for this operator");
  return lowering->lower(b, op);
}

}  // namespace tessera::backend_native
