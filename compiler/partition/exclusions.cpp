#include "compiler/partition/exclusions.h"

#include "base/content_hash.h"
#include "compiler/backend_api/backend.h"
#include "compiler/ir/types.h"
#include "mlir/IR/AsmState.h"

namespace tessera::partition {

using namespace mlir;

/// The operator's attribute that lists, while a module is being placed, {target, reason} of owners
/// that lost it.
static constexpr llvm::StringLiteral kWithdrawn = "tessera.withdrawn";

std::string regionClass(func::FuncOp region) {
  OwningOpRef<func::FuncOp> copy = region.clone();
  erasePlacementNotes(*copy);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << copy->getFunctionType() << copy->getArgAttrsAttr();
  AsmState names(*copy, OpPrintingFlags().printGenericOpForm().useLocalScope());
  for (Operation& op : copy->getBody().front()) {
    op.print(stream, names);
    stream << "\n";
  }
  return base::contentHash(text);
}

static SmallVector<Attribute> listOf(Operation* op, StringRef name) {
  const auto list = op->getAttrOfType<ArrayAttr>(name);
  return list ? SmallVector<Attribute>(list.begin(), list.end()) : SmallVector<Attribute>();
}

static std::string textOf(DictionaryAttr entry, StringRef name) {
  const auto text = entry.getAs<StringAttr>(name);
  return text ? text.str() : "";
}

static std::string reasonOf(DictionaryAttr entry) {
  return entry.getAs<StringAttr>("reason") ? textOf(entry, "reason") : "no reason is given";
}

/// The entry when it has the form of one.
static DictionaryAttr asExclusion(Attribute attribute) {
  const auto entry = dyn_cast<DictionaryAttr>(attribute);
  const bool isOne =
      entry && entry.getAs<StringAttr>("region") && entry.getAs<ir::TargetAttr>("target");
  return isOne ? entry : DictionaryAttr();
}

std::vector<Exclusion> exclusionsOf(ModuleOp module) {
  std::vector<Exclusion> exclusions;
  for (const Attribute attribute : listOf(module, ir::kExclusionsAttribute)) {
    if (const DictionaryAttr entry = asExclusion(attribute))
      exclusions.push_back({.regionClass = textOf(entry, "region"),
                            .target = entry.getAs<ir::TargetAttr>("target"),
                            .reason = reasonOf(entry),
                            .node = textOf(entry, "node"),
                            .isPruned = entry.contains("pruned")});
  }
  return exclusions;
}

std::optional<std::string> whyExcluded(ModuleOp module, StringRef regionClass,
                                       ir::TargetAttr target) {
  const auto list = module->getAttrOfType<ArrayAttr>(ir::kExclusionsAttribute);
  if (!list || regionClass.empty()) return std::nullopt;
  for (const Attribute attribute : list) {
    const DictionaryAttr entry = asExclusion(attribute);
    if (entry && entry.get("target") == target &&
        entry.getAs<StringAttr>("region").getValue() == regionClass)
      return reasonOf(entry);
  }
  return std::nullopt;
}

void addExclusion(ModuleOp module, const Exclusion& exclusion) {
  if (whyExcluded(module, exclusion.regionClass, exclusion.target)) return;
  Builder builder(module.getContext());
  const auto text = [&](StringRef name, StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  SmallVector<NamedAttribute> fields = {text("region", exclusion.regionClass),
                                        builder.getNamedAttr("target", exclusion.target),
                                        text("reason", exclusion.reason)};
  if (!exclusion.node.empty()) fields.push_back(text("node", exclusion.node));
  if (exclusion.isPruned) fields.push_back(builder.getNamedAttr("pruned", builder.getUnitAttr()));
  const Attribute entry = builder.getDictionaryAttr(fields);
  SmallVector<Attribute> exclusions = listOf(module, ir::kExclusionsAttribute);
  if (llvm::is_contained(exclusions, entry)) return;
  exclusions.push_back(entry);
  module->setAttr(ir::kExclusionsAttribute, builder.getArrayAttr(exclusions));
}

std::string firstNodeOf(Operation* op) {
  const SmallVector<std::string> nodes = ir::sourceNames(op->getLoc());
  return nodes.empty() ? "" : nodes.front();
}

void withdraw(Operation* op, ir::TargetAttr target, StringRef reason) {
  if (whyWithdrawn(op, target)) return;
  Builder builder(op->getContext());
  SmallVector<Attribute> owners = listOf(op, kWithdrawn);
  owners.push_back(
      builder.getDictionaryAttr({builder.getNamedAttr("target", target),
                                 builder.getNamedAttr("reason", builder.getStringAttr(reason))}));
  op->setAttr(kWithdrawn, builder.getArrayAttr(owners));
}

std::optional<std::string> whyWithdrawn(Operation* op, ir::TargetAttr target) {
  for (const Attribute attribute : listOf(op, kWithdrawn)) {
    const auto entry = dyn_cast<DictionaryAttr>(attribute);
    if (entry && entry.get("target") == target) return reasonOf(entry);
  }
  auto composite = dyn_cast<ir::CompositeOp>(op);
  if (!composite) return std::nullopt;
  for (Operation& part : composite.getBody().front()) {
    if (auto reason = whyWithdrawn(&part, target)) return reason;
  }
  return std::nullopt;
}

ir::TargetAttr preferenceOf(Operation* op) {
  if (const auto own = op->getAttrOfType<ir::TargetAttr>(kPreferAttribute)) return own;
  auto composite = dyn_cast<ir::CompositeOp>(op);
  if (!composite) return {};
  for (Operation& part : composite.getBody().front()) {
    if (const ir::TargetAttr preferred = preferenceOf(&part)) return preferred;
  }
  return {};
}

void copyRules(Operation* from, Operation* to) {
  if (Attribute preferred = from->getAttr(kPreferAttribute); preferred && !preferenceOf(to))
    to->setAttr(kPreferAttribute, preferred);
  for (const Attribute attribute : listOf(from, kWithdrawn)) {
    const auto entry = cast<DictionaryAttr>(attribute);
    withdraw(to, entry.getAs<ir::TargetAttr>("target"), reasonOf(entry));
  }
}

void erasePlacementNotes(Operation* root) {
  root->walk([](Operation* op) {
    for (const StringRef note :
         {StringRef(kWithdrawn), StringRef(kOperatorNumber), StringRef(kWillingAttribute),
          StringRef(kPreferAttribute), StringRef(kMustAttribute)})
      op->removeAttr(note);
  });
}

}  // namespace tessera::partition
