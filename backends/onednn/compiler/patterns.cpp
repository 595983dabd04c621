#include "backends/onednn/compiler/patterns.h"

#include "backends/onednn/compiler/supports.h"
#include "compiler/ir/composites.h"

using namespace mlir;

namespace tessera::backend_onednn {

using backend_api::Declined;
using backend_api::Support;
using backend_api::Supported;
using pattern::Pattern;
using pattern::Step;

/// More post-ops than any network has behind one operator.
static constexpr size_t kMaxSteps = 12;

template <typename... Ops>
static std::vector<StringRef> namesOf() {
  return {Ops::getOperationName()...};
}

const TableParts& tableParts() {
  static const TableParts parts = [] {
    TableParts made = {
        .composites = {ir::composite::kGelu, ir::composite::kSilu, ir::composite::kHardSwish},
        .activations = namesOf<ir::AbsOp, ir::ClipOp, ir::EluOp, ir::ExpOp, ir::GeluOp,
                               ir::HardSigmoidOp, ir::HardSwishOp, ir::LeakyReluOp, ir::MishOp,
                               ir::NegOp, ir::PowOp, ir::ReciprocalOp, ir::ReluOp, ir::SigmoidOp,
                               ir::SoftplusOp, ir::SqrtOp, ir::TanhOp>(),
        .commutative = namesOf<ir::AddOp, ir::MulOp, ir::MaxOp, ir::MinOp>(),
        .ordered = namesOf<ir::SubOp, ir::DivOp>(),
        .losesNan =
            namesOf<ir::ClipOp, ir::ExpOp, ir::HardSigmoidOp, ir::MaxOp, ir::MinOp, ir::ReluOp>(),
        .entries = {}};
    made.entries = {{.name = "conv", .heads = namesOf<ir::ConvOp>()},
                    {.name = "conv_transpose", .heads = namesOf<ir::ConvTransposeOp>()},
                    {.name = "product", .heads = namesOf<ir::GemmOp, ir::MatmulOp>()},
                    {.name = "binary",
                     .heads = namesOf<ir::AddOp, ir::SubOp, ir::MulOp, ir::DivOp>(),
                     .mayLoseNan = false}};
    return made;
  }();
  return parts;
}

/// Operators that post-ops compute on the value before them.
static std::vector<Step> postOps(bool mayLoseNan) {
  const TableParts& parts = tableParts();
  std::vector<Step> steps;
  const auto add = [&](ArrayRef<StringRef> names, auto makePattern) {
    for (const StringRef name : names) {
      if (mayLoseNan || !llvm::is_contained(parts.losesNan, name))
        steps.emplace_back([=](const Pattern& before) { return makePattern(name, before); });
    }
  };
  add(parts.composites,
      [](StringRef name, const Pattern& before) { return pattern::composite(name, {before}); });
  add(parts.activations, [](StringRef name, const Pattern& before) {
    return pattern::operation(name, {before, pattern::more()});
  });
  add(parts.commutative, [](StringRef name, const Pattern& before) {
    return pattern::commutative(name, before, pattern::any());
  });
  add(parts.ordered, [](StringRef name, const Pattern& before) {
    return pattern::operation(name, {before, pattern::any()});
  });
  return steps;
}

/// Each is taken by itself; values between them have the root's type and one reader.
static Support check(const pattern::Match& match, Operation* root) {
  for (Operation* op : match.ops) {
    Support support = supportsOperator(op);
    if (!backend_api::isSupported(support)) return support;
    if (op->getResult(0).getType() != root->getResult(0).getType())
      return Declined{"a post-op keeps the sizes"};
    if (op != root && !op->getResult(0).hasOneUse())
      return Declined{"a post-op is the only reader of what is before it"};
  }
  return Supported{};
}

static backend_api::PatternTable makeTable() {
  backend_api::PatternTable table;
  for (const TableParts::Entry& entry : tableParts().entries) {
    std::vector<Pattern> heads;
    for (const StringRef head : entry.heads) heads.push_back(pattern::operation(head, {}));
    table.push_back({.name = entry.name,
                     .pattern = pattern::followedBy(pattern::anyOf(std::move(heads)),
                                                    postOps(entry.mayLoseNan), 1, kMaxSteps),
                     .check = check});
  }
  return table;
}

const backend_api::PatternTable& patternTable() {
  static const backend_api::PatternTable table = makeTable();
  return table;
}

}  // namespace tessera::backend_onednn
