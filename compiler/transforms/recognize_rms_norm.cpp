// x / sqrt(mean(x^2) + epsilon) * scale.
#include "compiler/ir/constants.h"
#include "compiler/transforms/composites.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_RECOGNIZERMSNORMPASS
#include "compiler/transforms/passes.h.inc"

static Pattern rmsNormPattern() {
  const Pattern x = capture("x");
  const Pattern scale = constant("scale");
  const Pattern meanSquare = meanOverAxes(square(x), "axes");
  const Pattern root = squareRoot(either<ir::AddOp>(meanSquare, scalar("epsilon")));
  const Pattern inverse = op<ir::ReciprocalOp>(root);
  const Pattern normalized = anyOf({op<ir::DivOp>(x, root), either<ir::MulOp>(x, inverse)});
  return anyOf({either<ir::MulOp>(normalized, scale),
                either<ir::MulOp>(x, either<ir::MulOp>(inverse, scale))});
}

static std::optional<Recognized> recognize(const Pattern& pattern, Operation& root) {
  std::optional<Match> found = match(pattern, root.getResult(0));
  if (!found) return std::nullopt;
  const Value x = found->value("x");
  const Value scale = found->value("scale");
  const std::optional<int64_t> axis = trailingAxis(x, found->value("axes"));
  if (!axis || tensorType(scale).getShape() != tensorType(x).getShape().drop_front(*axis)) {
    return std::nullopt;
  }
  Builder builder(root.getContext());
  const double epsilon = *ir::constantScalar(found->value("epsilon"));
  CompositeForm form{.name = "rms_norm", .inputs = {x, scale}, .parameters = {}};
  form.parameters.push_back(builder.getNamedAttr("axis", builder.getI64IntegerAttr(*axis)));
  form.parameters.push_back(
      builder.getNamedAttr("epsilon", builder.getF32FloatAttr(static_cast<float>(epsilon))));
  return Recognized{.match = std::move(*found), .form = std::move(form)};
}

namespace {

struct RecognizeRmsNorm : impl::RecognizeRmsNormPassBase<RecognizeRmsNorm> {
  void runOnOperation() override {
    const Pattern pattern = rmsNormPattern();
    recognizeComposites(getOperation(), ir::MulOp::getOperationName(),
                        [&](Operation& root) { return recognize(pattern, root); });
  }
};

}  // namespace

}  // namespace tessera::transforms
