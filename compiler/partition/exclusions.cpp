#include "compiler/partition/exclusions.h"

#include "base/content_hash.h"
#include "compiler/backend_api/backend.h"
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

static std::string reasonOf(DictionaryAttr entry) {
  const auto reason = entry.getAs<StringAttr>("reason");
  return reason ? reason.str() : "no reason is given";
}

std::vector<Exclusion> exclusionsOf(ModuleOp module) {
  std::vector<Exclusion> exclusions;
  for (const Attribute attribute : listOf(module, ir::kExclusionsAttribute)) {
    const auto entry = dyn_cast<DictionaryAttr>(attribute);
    const auto name = entry ? entry.getAs<StringAttr>("region") : StringAttr();
    const auto target = entry ? entry.getAs<ir::TargetAttr>("target") : ir::TargetAttr();
    if (name && target)
      exclusions.push_back(
          {.regionClass = name.str(), .target = target, .reason = reasonOf(entry)});
  }
  return exclusions;
}

std::optional<std::string> whyExcluded(ModuleOp module, StringRef regionClass,
                                       ir::TargetAttr target) {
  for (const Exclusion& exclusion : exclusionsOf(module)) {
    if (exclusion.target == target && regionClass == exclusion.regionClass) return exclusion.reason;
  }
  return std::nullopt;
}

void addExclusion(ModuleOp module, StringRef regionClass, ir::TargetAttr target, StringRef reason) {
  if (whyExcluded(module, regionClass, target)) return;
  Builder builder(module.getContext());
  SmallVector<Attribute> exclusions = listOf(module, ir::kExclusionsAttribute);
  exclusions.push_back(
      builder.getDictionaryAttr({builder.getNamedAttr("region", builder.getStringAttr(regionClass)),
                                 builder.getNamedAttr("target", target),
                                 builder.getNamedAttr("reason", builder.getStringAttr(reason))}));
  module->setAttr(ir::kExclusionsAttribute, builder.getArrayAttr(exclusions));
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
  return std::nullopt;
}

void copyWithdrawals(Operation* from, Operation* to) {
  for (const Attribute attribute : listOf(from, kWithdrawn)) {
    const auto entry = cast<DictionaryAttr>(attribute);
    withdraw(to, entry.getAs<ir::TargetAttr>("target"), reasonOf(entry));
  }
}

void erasePlacementNotes(Operation* root) {
  root->walk([](Operation* op) {
    op->removeAttr(kWithdrawn);
    op->removeAttr(kOperatorNumber);
  });
}

}  // namespace tessera::partition
