// (x - mean) / sqrt(variance + epsilon) * scale + bias, and TensorFlow's spelling of it,
// x * factor + (bias - mean * factor) with factor = scale / sqrt(variance + epsilon).
#include "compiler/ir/constants.h"
#include "compiler/transforms/composites.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_RECOGNIZELAYERNORMPASS
#include "compiler/transforms/passes.h.inc"

static Pattern layerNormPattern() {
  const Pattern x = capture("x");
  const Pattern scale = constant("scale");
  const Pattern bias = constant("bias");
  const Pattern mean = meanOverAxes(x, "axes");
  const Pattern centered = op<ir::SubOp>(x, mean);
  const Pattern variance = meanOverAxes(square(centered), "axes");
  const Pattern deviation = squareRoot(either<ir::AddOp>(variance, scalar("epsilon")));
  const Pattern inverse = op<ir::ReciprocalOp>(deviation);
  const Pattern normalized =
      anyOf({op<ir::DivOp>(centered, deviation), either<ir::MulOp>(centered, inverse)});
  const Pattern factor = either<ir::MulOp>(inverse, scale);
  const Pattern shift = op<ir::SubOp>(bias, either<ir::MulOp>(mean, factor));
  return anyOf({either<ir::AddOp>(either<ir::MulOp>(normalized, scale), bias),
                either<ir::AddOp>(either<ir::MulOp>(centered, factor), bias),
                either<ir::AddOp>(either<ir::MulOp>(x, factor), shift)});
}

/// True when the sizes of `parameter` are those of the last dimensions of `input`, from `axis` on.
static bool coversAxes(Value parameter, Value input, int64_t axis) {
  const auto normalized = tensorType(input).getShape().drop_front(axis);
  return tensorType(parameter).getShape() == normalized;
}

static std::optional<Recognized> recognize(const Pattern& pattern, Operation& root) {
  std::optional<Match> found = match(pattern, root.getResult(0));
  if (!found) return std::nullopt;
  const Value x = found->value("x");
  const std::optional<int64_t> axis = trailingAxis(x, found->value("axes"));
  if (!axis || !coversAxes(found->value("scale"), x, *axis) ||
      !coversAxes(found->value("bias"), x, *axis)) {
    return std::nullopt;
  }
  Builder builder(root.getContext());
  const double epsilon = *ir::constantScalar(found->value("epsilon"));
  CompositeForm form{.name = "layer_norm",
                     .inputs = {x, found->value("scale"), found->value("bias")},
                     .parameters = {}};
  form.parameters.push_back(builder.getNamedAttr("axis", builder.getI64IntegerAttr(*axis)));
  form.parameters.push_back(
      builder.getNamedAttr("epsilon", builder.getF32FloatAttr(static_cast<float>(epsilon))));
  return Recognized{.match = std::move(*found), .form = std::move(form)};
}

namespace {

struct RecognizeLayerNorm : impl::RecognizeLayerNormPassBase<RecognizeLayerNorm> {
  void runOnOperation() override {
    const Pattern pattern = layerNormPattern();
    recognizeComposites(getOperation(), ir::AddOp::getOperationName(),
                        [&](Operation& root) { return recognize(pattern, root); });
  }
};

}  // namespace

}  // namespace tessera::transforms
