#include "backends/onednn/compiler/patterns.h"

#include "backends/onednn/compiler/supports.h"
#include "compiler/ir/composites.h"
#include "mlir/IR/IRMapping.h"

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

/// Operators that post-ops compute on the value before them.
static std::vector<Step> postOps() {
  std::vector<Step> steps;
  for (const StringRef name : {StringRef(ir::composite::kGelu), StringRef(ir::composite::kSilu),
                               StringRef(ir::composite::kHardSwish)})
    steps.emplace_back(
        [name](const Pattern& before) { return pattern::composite(name, {before}); });
  for (const StringRef name :
       namesOf<ir::AbsOp, ir::ClipOp, ir::EluOp, ir::ExpOp, ir::GeluOp, ir::HardSigmoidOp,
               ir::HardSwishOp, ir::LeakyReluOp, ir::MishOp, ir::NegOp, ir::PowOp, ir::ReciprocalOp,
               ir::ReluOp, ir::SigmoidOp, ir::SoftplusOp, ir::SqrtOp, ir::TanhOp>())
    steps.emplace_back([name](const Pattern& before) {
      return pattern::operation(name, {before, pattern::more()});
    });
  for (const StringRef name : namesOf<ir::AddOp, ir::MulOp, ir::MaxOp, ir::MinOp>())
    steps.emplace_back([name](const Pattern& before) {
      return pattern::commutative(name, before, pattern::any());
    });
  for (const StringRef name : namesOf<ir::SubOp, ir::DivOp>())
    steps.emplace_back([name](const Pattern& before) {
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
  const std::vector<Step> steps = postOps();
  backend_api::PatternTable table;
  const auto add = [&](const char* name, std::vector<StringRef> heads) {
    std::vector<Pattern> alternatives;
    for (const StringRef head : heads) alternatives.push_back(pattern::operation(head, {}));
    table.push_back({.name = name,
                     .pattern = pattern::followedBy(pattern::anyOf(std::move(alternatives)), steps,
                                                    1, kMaxSteps),
                     .check = check});
  };
  add("conv", namesOf<ir::ConvOp>());
  add("conv_transpose", namesOf<ir::ConvTransposeOp>());
  add("product", namesOf<ir::GemmOp, ir::MatmulOp>());
  add("binary", namesOf<ir::AddOp, ir::SubOp, ir::MulOp, ir::DivOp, ir::MaxOp, ir::MinOp>());
  return table;
}

const backend_api::PatternTable& patternTable() {
  static const backend_api::PatternTable table = makeTable();
  return table;
}

/// Puts the operators of a composite in its place; they are a chain.
static region_graph::Chain dissolve(ir::CompositeOp composite) {
  OpBuilder builder(composite);
  IRMapping mapping;
  Block& body = composite.getBody().front();
  mapping.map(body.getArguments(), composite.getInputs());
  region_graph::Chain chain;
  for (Operation& op : body.without_terminator()) {
    Operation* copy = builder.clone(op, mapping);
    if (!isa<ir::ConstantOp>(copy)) chain.push_back(copy);
  }
  composite.getResult(0).replaceAllUsesWith(mapping.lookup(body.getTerminator()->getOperand(0)));
  composite.erase();
  return chain;
}

FlatRegion flatten(func::FuncOp region) {
  FlatRegion flat{.function = region.clone(), .chains = {}};
  for (auto composite : llvm::to_vector((*flat.function).getOps<ir::CompositeOp>())) {
    if (ir::composite::isBackends(composite.getName())) flat.chains.push_back(dissolve(composite));
  }
  return flat;
}

}  // namespace tessera::backend_onednn
