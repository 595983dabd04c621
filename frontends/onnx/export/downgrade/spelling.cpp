// Attributes and inputs that an older opset names or gives otherwise.
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/axes.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/export/downgrade/rules.h"

using namespace mlir;

namespace tessera::onnx {

static std::string hasNoForm(int opset) { return " has no form in opset " + std::to_string(opset); }

Status spellAxesAttribute(NodeDraft& draft, int opset) {
  const Value axes = draft.input(1);
  const auto values = ir::constantInts(axes);
  const bool isNoop = draft.intAttribute("noop_with_empty_axes").value_or(0) != 0;
  if (axes && !values)
    return draftError(draft, "operator " + draft.opType +
                                 " with axes that are known at run time only" + hasNoForm(opset));
  // Without axes it is over all of them; over none it is expanded where that is possible.
  if (isNoop && (!axes || values->empty()))
    return draftError(draft, "operator " + draft.opType + " over no axes" + hasNoForm(opset));
  draft.removeAttribute("noop_with_empty_axes");
  if (!axes) return {};
  draft.inputs.resize(1);
  if (!values->empty())
    draft.setAttribute("axes", Builder(draft.op->getContext()).getDenseI64ArrayAttr(*values));
  return {};
}

Status spellWithoutDilations(NodeDraft& draft, int /*opset*/) {
  const auto dilations = dyn_cast_or_null<DenseI64ArrayAttr>(draft.findAttribute("dilations"));
  if (dilations && llvm::all_equal(dilations.asArrayRef()) &&
      (dilations.empty() || dilations[0] == 1))
    draft.removeAttribute("dilations");
  return {};
}

Status spellWithoutSaturation(NodeDraft& draft, int /*opset*/) {
  draft.removeAttribute("saturate");  // It is about conversions to float8, which no tensor here is.
  return {};
}

Status spellEqualParts(NodeDraft& draft, int /*opset*/) {
  draft.removeAttribute("num_outputs");  // Where the last part may be smaller it is expanded.
  return {};
}

Status spellDequantizedType(NodeDraft& draft, int /*opset*/) {
  // Before, the result had the type of the scale.
  const auto scale = cast<RankedTensorType>(draft.input(1).getType());
  if (draft.intAttribute("output_dtype") ==
      static_cast<int64_t>(ir::toElementType(scale.getElementType())))
    draft.removeAttribute("output_dtype");
  return {};
}

Status spellReduction(NodeDraft& draft, int opset) {
  const std::string_view reduction = draft.stringAttribute("reduction");
  if (reduction != "max" && reduction != "min") return {};
  return draftError(draft, "operator " + draft.opType + " with reduction '" +
                               std::string(reduction) + "'" + hasNoForm(opset));
}

Status refuseWrap(NodeDraft& draft, int opset) {
  if (draft.stringAttribute("mode") != "wrap") return {};
  return draftError(draft, "operator Pad with mode 'wrap'" + hasNoForm(opset));
}

Status refuseSymmetricPixels(NodeDraft& draft, int opset) {
  if (draft.stringAttribute("coordinate_transformation_mode") != "half_pixel_symmetric") return {};
  return draftError(draft,
                    "operator Resize with coordinate_transformation_mode 'half_pixel_symmetric'" +
                        hasNoForm(opset));
}

Status spellDftAxis(NodeDraft& draft, int opset) {
  const Value axis = draft.input(2);
  const auto values = ir::constantInts(axis);
  const auto input = dyn_cast<RankedTensorType>(draft.input(0).getType());
  // Without the input it is the last but one; before, without the attribute, dimension 1.
  if ((axis && (!values || values->size() != 1)) || !input)
    return draftError(
        draft, "operator DFT with an axis that is known at run time only" + hasNoForm(opset));
  const int64_t dimension = ir::spec::normalizedAxis(axis ? values->front() : -2, input.getRank());
  if (axis) draft.inputs.resize(2);
  while (!draft.inputs.empty() && !draft.inputs.back()) draft.inputs.pop_back();
  draft.setAttribute("axis", Builder(draft.op->getContext()).getI64IntegerAttr(dimension));
  return {};
}

Status spellGridSampleMode(NodeDraft& draft, int opset) {
  const auto input = dyn_cast<RankedTensorType>(draft.input(0).getType());
  if (!input || input.getRank() != 4)
    return draftError(draft, "operator GridSample of another rank than 4" + hasNoForm(opset));
  Builder builder(draft.op->getContext());
  const std::string_view mode = draft.stringAttribute("mode");
  if (mode == "linear") draft.setAttribute("mode", builder.getStringAttr("bilinear"));
  if (mode == "cubic") draft.setAttribute("mode", builder.getStringAttr("bicubic"));
  return {};
}

Status spellRoiAlign(NodeDraft& draft, int opset) {
  if (draft.stringAttribute("coordinate_transformation_mode") != "output_half_pixel")
    return draftError(draft, "operator RoiAlign with coordinate_transformation_mode 'half_pixel'" +
                                 hasNoForm(opset));
  draft.removeAttribute("coordinate_transformation_mode");
  return {};
}

}  // namespace tessera::onnx
