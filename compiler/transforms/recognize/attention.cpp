// softmax(scale * q k' [masked]) v. Exporters scale q, k, or the scores, and mask by Add or Where.
#include "compiler/ir/composites.h"
#include "compiler/ir/io/constants.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/recognize/composites.h"
#include "compiler/transforms/rewrite.h"

using namespace mlir;

namespace tessera::transforms {

using namespace pattern;

#define GEN_PASS_DEF_RECOGNIZEATTENTIONPASS
#include "compiler/transforms/passes.h.inc"

/// `pattern`, or its product with a constant captured under one of the two names.
static Pattern scaled(const Pattern& pattern, llvm::StringRef factor, llvm::StringRef divisor) {
  return anyOf({either<ir::MulOp>(pattern, scalar(factor)), op<ir::DivOp>(pattern, scalar(divisor)),
                pattern});
}

static bool swapsLastTwo(Value value) {
  auto transpose = value.getDefiningOp<ir::TransposeOp>();
  if (!transpose || !transpose.getPerm() || !value.hasOneUse()) return false;
  llvm::SmallVector<int64_t> perm(*transpose.getPerm());
  if (perm.size() < 2) return false;
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return llvm::is_sorted(perm);
}

static bool isOverLastDim(Value value) {
  auto softmax = value.getDefiningOp<ir::SoftmaxOp>();
  return softmax && softmax.getAxisNormalized() == tensorType(value).getRank() - 1;
}

static Pattern attentionPattern() {
  const Pattern q = scaled(capture("q"), "q_factor", "q_divisor");
  const Pattern plainK = when(op<ir::TransposeOp>(capture("k")), swapsLastTwo);
  const Pattern k = scaled(anyOf({plainK, capture("k_transposed")}), "k_factor", "k_divisor");
  const Pattern scores = scaled(op<ir::MatmulOp>(q, k), "factor", "divisor");
  const Pattern masked =
      anyOf({either<ir::AddOp>(scores, capture("addend")),
             op<ir::WhereOp>(capture("condition"), scores, scalar("fill")), scores});
  return op<ir::MatmulOp>(when(op<ir::SoftmaxOp>(masked), isOverLastDim), capture("v"));
}

static double scaleOf(const Match& match) {
  double scale = 1;
  for (const llvm::StringRef name : {"q_factor", "k_factor", "factor"}) {
    if (const Value value = match.value(name)) scale *= *ir::constantScalar(value);
  }
  for (const llvm::StringRef name : {"q_divisor", "k_divisor", "divisor"}) {
    if (const Value value = match.value(name)) scale /= *ir::constantScalar(value);
  }
  return scale;
}

static std::optional<Recognized> recognizeAttention(const Pattern& pattern, Operation& root) {
  std::optional<Match> found = matchPlain(pattern, root.getResult(0));
  if (!found) return std::nullopt;
  const Value k = found->value("k");
  const Value q = found->value("q");
  CompositeForm form{.name = ir::composite::kAttention,
                     .inputs = {q, k ? k : found->value("k_transposed"), found->value("v")},
                     .parameters = {}};
  // Broadcast batches are no attention that a kernel would know.
  for (const Value input : form.inputs) {
    if (isConstant(input) || tensorType(input).getRank() != tensorType(q).getRank()) {
      return std::nullopt;
    }
  }
  llvm::StringRef maskKind = "none";
  if (const Value addend = found->value("addend")) {
    maskKind = "add";
    form.inputs.push_back(addend);
  } else if (const Value condition = found->value("condition")) {
    maskKind = "where";
    form.inputs.append({condition, found->value("fill")});
  }
  Builder builder(root.getContext());
  const auto add = [&](llvm::StringRef name, Attribute value) {
    form.parameters.push_back(builder.getNamedAttr(name, value));
  };
  add("k_transposed", builder.getBoolAttr(!k));
  add("mask_kind", builder.getStringAttr(maskKind));
  add("scale", builder.getF64FloatAttr(scaleOf(*found)));
  return Recognized{.match = std::move(*found), .form = std::move(form)};
}

namespace {

struct RecognizeAttention : impl::RecognizeAttentionPassBase<RecognizeAttention> {
  void runOnOperation() override {
    const Pattern pattern = attentionPattern();
    recognizeComposites(getOperation(), ir::MatmulOp::getOperationName(),
                        [&](Operation& root) { return recognizeAttention(pattern, root); });
  }
};

}  // namespace

}  // namespace tessera::transforms
