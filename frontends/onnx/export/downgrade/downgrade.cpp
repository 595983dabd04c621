#include "frontends/onnx/export/downgrade/downgrade.h"

#include "compiler/ir/op_info.h"
#include "frontends/onnx/export/downgrade/rules.h"

using namespace mlir;

namespace tessera::onnx {

namespace {

struct DowngradeRule {
  std::string_view opType;
  int below;  ///< The first opset with the present form: older ones need the rule.
  Expand expand = nullptr;
  Spell spell = nullptr;
};

constexpr DowngradeRule kDowngradeRules[] = {
    {.opType = "Add", .below = 14, .expand = expandNarrowArithmetic},
    {.opType = "AveragePool", .below = 19, .spell = spellWithoutDilations},
    {.opType = "Cast", .below = 19, .spell = spellWithoutSaturation},
    {.opType = "DFT", .below = 20, .spell = spellDftAxis},
    {.opType = "DequantizeLinear", .below = 23, .spell = spellDequantizedType},
    {.opType = "Div", .below = 14, .expand = expandNarrowArithmetic},
    {.opType = "GRU", .below = 14, .expand = expandBatchFirst},
    {.opType = "Gelu", .below = 20, .expand = expandGelu},
    {.opType = "GridSample", .below = 20, .spell = spellGridSampleMode},
    {.opType = "GroupNormalization", .below = 21, .expand = expandGroupNorm},
    {.opType = "HardSwish", .below = 14, .expand = expandHardSwish},
    {.opType = "IsInf", .below = 20, .expand = expandHalfIsInf},
    {.opType = "LSTM", .below = 14, .expand = expandBatchFirst},
    {.opType = "LayerNormalization", .below = 17, .expand = expandLayerNorm},
    {.opType = "LpPool", .below = 18, .spell = spellWithoutDilations},
    {.opType = "Mish", .below = 18, .expand = expandMish},
    {.opType = "Mul", .below = 14, .expand = expandNarrowArithmetic},
    {.opType = "Pad", .below = 18, .expand = expandPadAxes},
    {.opType = "Pad", .below = 19, .spell = refuseWrap},
    {.opType = "QuantizeLinear", .below = 19, .spell = spellWithoutSaturation},
    {.opType = "QuantizeLinear", .below = 21, .expand = expandOutputDtype},
    {.opType = "RMSNormalization", .below = 23, .expand = expandRmsNorm},
    {.opType = "RNN", .below = 14, .expand = expandBatchFirst},
    {.opType = "ReduceL1",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "ReduceL2",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "ReduceLogSum",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "ReduceLogSumExp",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "ReduceMax",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "ReduceMax", .below = 20, .expand = expandBoolReduction},
    {.opType = "ReduceMean",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "ReduceMin",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "ReduceMin", .below = 20, .expand = expandBoolReduction},
    {.opType = "ReduceProd",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "ReduceSumSquare",
     .below = 18,
     .expand = expandReductionOfNothing,
     .spell = spellAxesAttribute},
    {.opType = "Relu", .below = 14, .expand = expandIntegerRelu},
    {.opType = "Reshape", .below = 14, .expand = expandAllowZero},
    {.opType = "Resize", .below = 18, .expand = expandResizeAxes},
    {.opType = "Resize", .below = 19, .spell = refuseSymmetricPixels},
    {.opType = "RoiAlign", .below = 16, .spell = spellRoiAlign},
    {.opType = "ScatterElements", .below = 18, .spell = spellReduction},
    {.opType = "ScatterND", .below = 18, .spell = spellReduction},
    {.opType = "Shape", .below = 15, .expand = expandShapeRange},
    {.opType = "Split", .below = 18, .expand = expandNumOutputs, .spell = spellEqualParts},
    {.opType = "Sub", .below = 14, .expand = expandNarrowArithmetic},
    {.opType = "Trilu", .below = 14, .expand = expandTrilu},
};

}  // namespace

/// The name that the table of rules has for the operation; empty for one that no rule writes anew.
static std::string_view onnxNameOf(Operation* op) {
  const ir::OpInfo* info = ir::findByMnemonic(std::string_view(op->getName().stripDialect()));
  return info != nullptr ? info->onnxName : std::string_view();
}

static Result<bool> expandOne(Operation* op, int opset) {
  const std::string_view name = onnxNameOf(op);
  for (const DowngradeRule& rule : kDowngradeRules) {
    if (rule.opType != name || opset >= rule.below || rule.expand == nullptr) continue;
    Expansion expansion(op, opset);
    TESSERA_TRY(const bool isGone, rule.expand(expansion));
    if (isGone) return true;
  }
  return false;
}

Status expandFor(func::FuncOp function, int opset) {
  // What a rule makes may need another one; each makes operators of older opsets, so this ends.
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    SmallVector<Operation*> ops;
    function.walk([&](Operation* op) {
      if (llvm::isa<ir::TsrOpInterface>(op)) ops.push_back(op);
    });
    for (Operation* op : ops) {
      TESSERA_TRY(const bool isGone, expandOne(op, opset));
      hasChanged = hasChanged || isGone;
    }
  }
  return {};
}

Status spellFor(NodeDraft& draft, int opset) {
  if (!draft.domain.empty()) return {};
  for (const DowngradeRule& rule : kDowngradeRules) {
    if (rule.opType == draft.opType && opset < rule.below && rule.spell != nullptr)
      TESSERA_TRY_VOID(rule.spell(draft, opset));
  }
  return {};
}

}  // namespace tessera::onnx
