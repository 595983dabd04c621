// (x - mean) / sqrt(variance + epsilon) * scale + bias, and TensorFlow's spelling of it,
// x * factor + (bias - mean * factor) with factor = scale / sqrt(variance + epsilon).
#include "compiler/ir/composites.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/recognize/composites.h"

using namespace mlir;

namespace tessera::transforms {

using namespace pattern;

#define GEN_PASS_DEF_RECOGNIZELAYERNORMPASS
#include "compiler/transforms/passes.h.inc"

/// Scale and bias are optional: a scale of ones and a bias of zeros have been simplified away.
static Pattern layerNormPattern() {
  const Pattern x = capture("x");
  const Pattern scale = constant("scale");
  const Pattern bias = constant("bias");
  const Pattern mean = meanOverAxes(x, "axes");
  const Pattern centered = op<ir::SubOp>(x, mean);
  const Pattern deviations = square(anyOf({centered, op<ir::SubOp>(mean, x)}));
  const Pattern variance = meanOverAxes(deviations, "axes");
  const Pattern deviation = squareRoot(either<ir::AddOp>(variance, scalar("epsilon")));
  const Pattern inverse = op<ir::ReciprocalOp>(deviation);
  const Pattern normalized =
      anyOf({op<ir::DivOp>(centered, deviation), either<ir::MulOp>(centered, inverse)});
  const Pattern factor = anyOf({either<ir::MulOp>(inverse, scale), inverse});
  const Pattern scaled = anyOf(
      {either<ir::MulOp>(normalized, scale), either<ir::MulOp>(centered, factor), normalized});
  const Pattern shift = op<ir::SubOp>(bias, either<ir::MulOp>(mean, factor));
  return anyOf({either<ir::AddOp>(scaled, bias),
                either<ir::AddOp>(either<ir::MulOp>(x, factor), shift), scaled});
}

static std::optional<Recognized> recognizeLayerNorm(const Pattern& pattern, Operation& root) {
  if (isScaledLater(root)) return std::nullopt;
  std::optional<Match> found = matchPlain(pattern, root.getResult(0));
  if (!found) return std::nullopt;
  const Value x = found->value("x");
  const std::optional<int64_t> axis = trailingAxis(x, found->value("axes"));
  const Value scale = axis ? normParameter(root, x, *axis, found->value("scale"), 1) : Value();
  const Value bias = axis ? normParameter(root, x, *axis, found->value("bias"), 0) : Value();
  if (!scale || !bias) return std::nullopt;
  CompositeForm form{
      .name = ir::composite::kLayerNorm, .inputs = {x, scale, bias}, .parameters = {}};
  form.parameters = normParameters(root.getContext(), *axis, found->value("epsilon"));
  return Recognized{.match = std::move(*found), .form = std::move(form)};
}

namespace {

struct RecognizeLayerNorm : impl::RecognizeLayerNormPassBase<RecognizeLayerNorm> {
  void runOnOperation() override {
    const Pattern pattern = layerNormPattern();
    // The spellings that end in Add first: the others are part of them.
    for (const llvm::StringRef root : {ir::AddOp::getOperationName(), ir::MulOp::getOperationName(),
                                       ir::DivOp::getOperationName()}) {
      recognizeComposites(getOperation(), root,
                          [&](Operation& op) { return recognizeLayerNorm(pattern, op); });
    }
  }
};

}  // namespace

}  // namespace tessera::transforms
