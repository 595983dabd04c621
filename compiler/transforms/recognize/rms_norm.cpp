// x / sqrt(mean(x^2) + epsilon) * scale.
#include "compiler/ir/composites.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/recognize/composites.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

using namespace pattern;

#define GEN_PASS_DEF_RECOGNIZERMSNORMPASS
#include "compiler/transforms/passes.h.inc"

/// The scale is optional: one of ones has been simplified away.
static Pattern rmsNormPattern() {
  const Pattern x = capture("x");
  const Pattern scale = constant("scale");
  const Pattern meanSquare = meanOverAxes(square(x), "axes");
  const Pattern root = squareRoot(either<ir::AddOp>(meanSquare, scalar("epsilon")));
  const Pattern inverse = op<ir::ReciprocalOp>(root);
  const Pattern normalized = anyOf({op<ir::DivOp>(x, root), either<ir::MulOp>(x, inverse)});
  return anyOf({either<ir::MulOp>(normalized, scale),
                either<ir::MulOp>(x, either<ir::MulOp>(inverse, scale)), normalized});
}

static std::optional<Recognized> recognizeRmsNorm(const Pattern& pattern, Operation& root) {
  if (isScaledLater(root)) return std::nullopt;
  std::optional<Match> found = matchPlain(pattern, root.getResult(0));
  if (!found) return std::nullopt;
  const Value x = found->value("x");
  const std::optional<int64_t> axis = trailingAxis(x, found->value("axes"));
  const Value scale = axis ? normParameter(root, x, *axis, found->value("scale"), 1) : Value();
  if (!scale) return std::nullopt;
  CompositeForm form{.name = ir::composite::kRmsNorm, .inputs = {x, scale}, .parameters = {}};
  form.parameters = normParameters(root.getContext(), *axis, found->value("epsilon"));
  return Recognized{.match = std::move(*found), .form = std::move(form)};
}

namespace {

struct RecognizeRmsNorm : impl::RecognizeRmsNormPassBase<RecognizeRmsNorm> {
  void runOnOperation() override {
    const Pattern pattern = rmsNormPattern();
    for (const llvm::StringRef root :
         {ir::MulOp::getOperationName(), ir::DivOp::getOperationName()}) {
      recognizeComposites(getOperation(), root,
                          [&](Operation& op) { return recognizeRmsNorm(pattern, op); });
    }
  }
};

}  // namespace

}  // namespace tessera::transforms
