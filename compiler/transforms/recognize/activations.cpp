#include <numbers>

#include "compiler/ir/composites.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/recognize/composites.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

using namespace pattern;

#define GEN_PASS_DEF_RECOGNIZEACTIVATIONSPASS
#include "compiler/transforms/passes.h.inc"

/// x / divisor, also spelled as a product.
static Pattern quotient(const Pattern& x, double divisor) {
  return anyOf({op<ir::DivOp>(x, scalar(divisor)), either<ir::MulOp>(x, scalar(1 / divisor))});
}

/// a * b * factor in every association.
static Pattern product(const Pattern& a, const Pattern& b, double factor) {
  return anyOf({either<ir::MulOp>(either<ir::MulOp>(a, scalar(factor)), b),
                either<ir::MulOp>(a, either<ir::MulOp>(b, scalar(factor))),
                either<ir::MulOp>(either<ir::MulOp>(a, b), scalar(factor))});
}

/// x / 2 * (1 + erf(x / sqrt(2))).
static Pattern geluPattern() {
  const Pattern x = capture("x");
  const Pattern erf = op<ir::ErfOp>(quotient(x, std::numbers::sqrt2));
  const Pattern gate = either<ir::AddOp>(erf, scalar(1));
  return anyOf({product(x, gate, 0.5), either<ir::MulOp>(op<ir::DivOp>(x, scalar(2)), gate)});
}

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
static Pattern geluTanhPattern() {
  const Pattern x = capture("x");
  const double factor = std::sqrt(2 * std::numbers::inv_pi);
  const Pattern xx = square(x);
  const Pattern cube = anyOf({op<ir::PowOp>(x, scalar(3)), either<ir::MulOp>(xx, x)});
  const Pattern polynomial = either<ir::AddOp>(x, either<ir::MulOp>(cube, scalar(0.044715)));
  const Pattern outer = either<ir::AddOp>(either<ir::MulOp>(xx, scalar(0.044715)), scalar(1));
  const Pattern argument =
      anyOf({either<ir::MulOp>(polynomial, scalar(factor)), product(x, outer, factor)});
  const Pattern gate = either<ir::AddOp>(op<ir::TanhOp>(argument), scalar(1));
  return product(x, gate, 0.5);
}

static Pattern siluPattern() {
  const Pattern x = capture("x");
  return either<ir::MulOp>(x, op<ir::SigmoidOp>(x));
}

static bool isSixthHardSigmoid(Value value) {
  auto sigmoid = value.getDefiningOp<ir::HardSigmoidOp>();
  if (!sigmoid) return false;
  return std::abs(sigmoid.getAlpha().convertToFloat() - 1.0f / 6) < 1e-5f &&
         sigmoid.getBeta().convertToFloat() == 0.5f;
}

/// x * clip(x + 3, 0, 6) / 6.
static Pattern hardSwishPattern() {
  const Pattern x = capture("x");
  const Pattern sigmoid = when(op<ir::HardSigmoidOp>(x), isSixthHardSigmoid);
  const Pattern clip = op<ir::ClipOp>(either<ir::AddOp>(x, scalar(3)), scalar(0), scalar(6));
  return anyOf({either<ir::MulOp>(x, sigmoid), product(x, clip, 1.0 / 6),
                op<ir::DivOp>(either<ir::MulOp>(x, clip), scalar(6)),
                either<ir::MulOp>(x, op<ir::DivOp>(clip, scalar(6)))});
}

namespace {

struct Activation {
  Pattern pattern;
  llvm::StringRef name;
  llvm::StringRef approximate;  ///< A parameter of gelu, empty for others.
};

struct RecognizeActivations : impl::RecognizeActivationsPassBase<RecognizeActivations> {
  void runOnOperation() override {
    const std::vector<Activation> activations = {
        {.pattern = geluPattern(), .name = ir::composite::kGelu, .approximate = "none"},
        {.pattern = geluTanhPattern(), .name = ir::composite::kGelu, .approximate = "tanh"},
        {.pattern = siluPattern(), .name = ir::composite::kSilu, .approximate = ""},
        {.pattern = hardSwishPattern(), .name = ir::composite::kHardSwish, .approximate = ""},
    };
    const auto recognize = [&](Operation& root) -> std::optional<Recognized> {
      for (const Activation& activation : activations) {
        std::optional<Match> found = matchPlain(activation.pattern, root.getResult(0));
        if (!found) continue;
        if (found->value("x").getType() != root.getResult(0).getType()) continue;
        CompositeForm form{
            .name = activation.name, .inputs = {found->value("x")}, .parameters = {}};
        if (!activation.approximate.empty()) {
          Builder builder(root.getContext());
          form.parameters.push_back(
              builder.getNamedAttr("approximate", builder.getStringAttr(activation.approximate)));
        }
        return Recognized{.match = std::move(*found), .form = std::move(form)};
      }
      return std::nullopt;
    };
    recognizeComposites(getOperation(), ir::MulOp::getOperationName(), recognize);
    recognizeComposites(getOperation(), ir::DivOp::getOperationName(), recognize);
  }
};

}  // namespace

}  // namespace tessera::transforms
