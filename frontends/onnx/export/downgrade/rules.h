// How an operator of opset 23 is said in older opsets: one small function for each change, listed
// in downgrade.cpp. What each change was is in https://onnx.ai/onnx/operators and in
// frontends/onnx/import/upgrade, whose mirror this is.
#pragma once

#include "frontends/onnx/export/downgrade/expansion.h"
#include "frontends/onnx/export/node_draft.h"

namespace tessera::onnx {

/// Writes `expansion.op` with other operators and returns true, or leaves it: this one can be said.
using Expand = Result<bool> (*)(Expansion& expansion);
/// Changes attributes and inputs of a node.
using Spell = Status (*)(NodeDraft& draft, int opset);

// Activations (expand_activations.cpp).
Result<bool> expandGelu(Expansion& e);
Result<bool> expandHardSwish(Expansion& e);
Result<bool> expandIntegerRelu(Expansion& e);
Result<bool> expandMish(Expansion& e);

// Element types (expand_types.cpp).
Result<bool> expandBoolReduction(Expansion& e);
Result<bool> expandHalfIsInf(Expansion& e);
Result<bool> expandNarrowArithmetic(Expansion& e);
Result<bool> expandOutputDtype(Expansion& e);

// Normalisations (expand_norms.cpp).
Result<bool> expandGroupNorm(Expansion& e);
Result<bool> expandLayerNorm(Expansion& e);
Result<bool> expandRmsNorm(Expansion& e);

// Axes and sizes (expand_shapes.cpp).
Result<bool> expandAllowZero(Expansion& e);
Result<bool> expandBatchFirst(Expansion& e);
Result<bool> expandNumOutputs(Expansion& e);
Result<bool> expandReductionOfNothing(Expansion& e);
Result<bool> expandShapeRange(Expansion& e);
Result<bool> expandTrilu(Expansion& e);

// Pads and sizes of chosen axes (expand_axes.cpp).
Result<bool> expandPadAxes(Expansion& e);
Result<bool> expandResizeAxes(Expansion& e);

// Attributes (spelling.cpp).
Status spellAxesAttribute(NodeDraft& draft, int opset);
Status spellDequantizedType(NodeDraft& draft, int opset);
Status spellDftAxis(NodeDraft& draft, int opset);
Status spellEqualParts(NodeDraft& draft, int opset);
Status spellGridSampleMode(NodeDraft& draft, int opset);
Status spellReduction(NodeDraft& draft, int opset);
Status spellRoiAlign(NodeDraft& draft, int opset);
Status spellWithoutDilations(NodeDraft& draft, int opset);
Status spellWithoutSaturation(NodeDraft& draft, int opset);
Status refuseSymmetricPixels(NodeDraft& draft, int opset);
Status refuseWrap(NodeDraft& draft, int opset);

}  // namespace tessera::onnx
