// Rules become withdrawals and preferences, which all that follows honours.
#include "compiler/ir/host_views.h"
#include "compiler/partition/exclusions.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/owner_index.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/pins.h"

namespace tessera::partition {

#define GEN_PASS_DEF_APPLYPINSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;
using backend_api::Owner;

namespace {

struct Rule {
  Pin pin;
  std::string name;
  const Owner* owner;
};

struct ApplyPins : impl::ApplyPinsPassBase<ApplyPins> {
  void runOnOperation() override {
    const Attribute attribute = getOperation()->getAttr(kPinsAttribute);
    if (!attribute) return;
    const auto owners = OwnerIndex::of(getOperation());
    if (failed(owners)) return signalPassFailure();
    FailureOr<std::vector<Rule>> rules = parse(attribute, *owners);
    if (failed(rules)) return signalPassFailure();
    for (Block* block : hostBlocks(getOperation())) {
      for (Operation& op : *block) {
        if (isPlaced(&op)) apply(*rules, &op, *owners);
      }
    }
  }

 private:
  static bool isPlaced(Operation* op) {
    return !isa<ir::ConstantOp, func::CallOp>(op) && !ir::isRename(op) &&
           !op->hasTrait<OpTrait::IsTerminator>();
  }

  FailureOr<std::vector<Rule>> parse(Attribute attribute, const OwnerIndex& owners) {
    const auto list = dyn_cast<ArrayAttr>(attribute);
    if (!list) {
      getOperation().emitError() << kPinsAttribute << " is no list of rules";
      return failure();
    }
    std::vector<Rule> rules;
    for (const Attribute element : list) {
      const size_t number = rules.size() + 1;
      const auto text = dyn_cast<DictionaryAttr>(element);
      Result<Pin> pin = text ? Pin::parse(text) : Result<Pin>(invalidInput("no dictionary"));
      if (!pin) {
        getOperation().emitError()
            << "rule " << number << " about placing: " << pin.error().message;
        return failure();
      }
      const Owner* owner = owners.findByText(pin->target());
      if (!owner) {
        getOperation().emitError() << pin->describe(number) << " names target '" << pin->target()
                                   << "', which is none of the module's";
        return failure();
      }
      std::string name = pin->describe(number);
      rules.push_back({.pin = std::move(*pin), .name = std::move(name), .owner = owner});
    }
    return rules;
  }

  /// The first rule that fits, for the operators inside of composites too, as they may be all that
  /// is left; what they are kept from, the whole is (whyWithdrawn). A rule is about the composite
  /// itself when it names it, or when nothing inside fits any. Whether a rule fits anything.
  static bool apply(const std::vector<Rule>& rules, Operation* op, const OwnerIndex& owners) {
    const auto rule = llvm::find_if(rules, [&](const Rule& each) { return each.pin.fits(op); });
    auto composite = dyn_cast<ir::CompositeOp>(op);
    bool isHeldInside = false;
    if (composite) {
      for (Operation& part : composite.getBody().front()) {
        if (isPlaced(&part)) isHeldInside |= apply(rules, &part, owners);
      }
    }
    const bool isHeld =
        rule != rules.end() && (!isHeldInside || (composite && rule->pin.namesOperator()));
    if (isHeld) hold(*rule, op, owners);
    return isHeld || isHeldInside;
  }

  static void hold(const Rule& rule, Operation* op, const OwnerIndex& owners) {
    const ir::TargetAttr target = owners.attribute(*rule.owner);
    if (rule.pin.verb() == Pin::Verb::kPrefer) {
      op->setAttr(kPreferAttribute, target);
      return;
    }
    const bool isMust = rule.pin.verb() == Pin::Verb::kMust;
    if (isMust && isControlFlow(op))
      op->setAttr(kMustAttribute, StringAttr::get(op->getContext(), rule.name));
    for (size_t i = 0; i < owners.size(); ++i) {
      const bool isNamed = owners.attribute(owners[i]) == target;
      if (isNamed != isMust) withdraw(op, owners.attribute(owners[i]), rule.name);
    }
  }
};

}  // namespace

}  // namespace tessera::partition
