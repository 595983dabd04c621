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
    {"argmax", {lowerArgExtreme}},
    {"argmin", {lowerArgExtreme}},
    {"average_pool", {lowerAveragePool}},
    {"batch_norm", {lowerBatchNorm}},
    {"composite", {lowerComposite, refuseComposite}},
    {"concat", {lowerConcat}},
    {"constant", {lowerConstant}},
    {"constant_of_shape", {lowerConstantOfShape, refuseConstantOfShape}},
    {"conv", {lowerConv, refuseConv}},
    {"conv_transpose", {lowerConvTranspose, refuseConvTranspose}},
    {"cumsum", {lowerCumsum, refuseCumsum}},
    {"depth_to_space", {lowerDepthToSpace}},
    {"dequantize_linear", {lowerDequantizeLinear, refuseQuantize}},
    {"dropout", {lowerDropout}},
    {"dynamic_quantize_linear", {lowerDynamicQuantizeLinear}},
    {"einsum", {lowerEinsum, refuseEinsum}},
    {"expand", {lowerExpand, refuseExpand}},
    {"eye_like", {lowerEyeLike}},
    {"flatten", {lowerReshape, refuseReshape}},
    {"gather", {lowerGather}},
    {"gather_elements", {lowerGatherElements}},
    {"gather_nd", {lowerGatherNd, refuseGatherNd}},
    {"gemm", {lowerGemm}},
    {"global_average_pool", {lowerGlobalPool}},
    {"global_lp_pool", {lowerGlobalPool}},
    {"global_max_pool", {lowerGlobalPool}},
    {"group_norm", {lowerGroupNorm}},
    {"gru", {lowerGru, refuseRecurrent}},
    {"hardmax", {lowerHardmax}},
    {"instance_norm", {lowerInstanceNorm}},
    {"layer_norm", {lowerLayerNorm}},
    {"log_softmax", {lowerLogSoftmax}},
    {"lp_norm", {lowerLpNorm}},
    {"lp_pool", {lowerLpPool}},
    {"lrn", {lowerLrn}},
    {"lstm", {lowerLstm, refuseRecurrent}},
    {"matmul", {lowerMatmul}},
    {"max_pool", {lowerMaxPool}},
    {"mean_variance_norm", {lowerMeanVarianceNorm}},
    {"one_hot", {lowerOneHot}},
    {"pad", {lowerPad, refusePad}},
    {"quantize_linear", {lowerQuantizeLinear, refuseQuantize}},
    {"range", {lowerRange}},
    {"reduce_l1", {lowerReduce, refuseReduce}},
    {"reduce_l2", {lowerReduce, refuseReduce}},
    {"reduce_log_sum", {lowerReduce, refuseReduce}},
    {"reduce_log_sum_exp", {lowerReduce, refuseReduce}},
    {"reduce_max", {lowerReduce, refuseReduce}},
    {"reduce_mean", {lowerReduce, refuseReduce}},
    {"reduce_min", {lowerReduce, refuseReduce}},
    {"reduce_prod", {lowerReduce, refuseReduce}},
    {"reduce_sum", {lowerReduce, refuseReduce}},
    {"reduce_sum_square", {lowerReduce, refuseReduce}},
    {"relayout", {lowerRelayout, refuseRelayout}},
    {"reshape", {lowerReshape, refuseReshape}},
    {"resize", {lowerResize, refuseResize}},
    {"reverse_sequence", {lowerReverseSequence}},
    {"rms_norm", {lowerRmsNorm}},
    {"rnn", {lowerRnn, refuseRecurrent}},
    {"scatter_elements", {lowerScatterElements}},
    {"scatter_nd", {lowerScatterNd, refuseGatherNd}},
    {"shape", {lowerShape}},
    {"size", {lowerSize}},
    {"slice", {lowerSlice, refuseSlice}},
    {"softmax", {lowerSoftmax}},
    {"space_to_depth", {lowerSpaceToDepth}},
    {"split", {lowerSplit, refuseSplit}},
    {"squeeze", {lowerReshape, refuseReshape}},
    {"tile", {lowerTile}},
    {"top_k", {lowerTopK}},
    {"transpose", {lowerTranspose}},
    {"trilu", {lowerTrilu}},
    {"unsqueeze", {lowerReshape, refuseReshape}},
};

const Lowering* findLowering(Operation* op) {
  static const auto* byName = [] {
    auto* map = new llvm::StringMap<const Lowering*>;
    for (const Row& row : kRows)
      map->try_emplace(std::string("tsr.") + row.mnemonic, &row.lowering);
    return map;
  }();
  static constexpr Lowering kElementwise = {lowerElementwise};
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

LogicalResult lowerBlock(KernelBuilder& b, Block& block) {
  for (Operation& op : block.without_terminator()) {
    const Lowering* lowering = findLowering(&op);
    if (!lowering) return op.emitError("the native backend has no code for this operator");
    if (failed(lowering->lower(b, &op))) return failure();
  }
  return success();
}

}  // namespace tessera::backend_native
