// A refusal names operators by their number in the module before the phase. Numbers are given only
// once something was refused: most modules are placed at the first try and never show them.
#include "compiler/partition/refusals.h"

#include "compiler/backend_api/registry.h"

namespace tessera::partition {

using namespace mlir;

/// The module's attribute: {operators, target, reason} of each refusal of this try.
static constexpr llvm::StringLiteral kRefusals = "tessera.refusals";

static void numberOperators(ModuleOp module) {
  int64_t number = 0;
  Builder builder(module.getContext());
  module.walk([&](Operation* op) {
    if (op != module) op->setAttr(kOperatorNumber, builder.getI64IntegerAttr(number++));
  });
}

SmallVector<int64_t> operatorNumbers(Operation* root) {
  SmallVector<int64_t> numbers;
  root->walk([&](Operation* op) {
    if (const auto number = op->getAttrOfType<IntegerAttr>(kOperatorNumber))
      numbers.push_back(number.getInt());
  });
  return numbers;
}

void noteRefusal(ModuleOp module, ArrayRef<int64_t> operators, ir::TargetAttr target,
                 StringRef reason) {
  Builder builder(module.getContext());
  SmallVector<Attribute> refused;
  if (const auto earlier = module->getAttrOfType<ArrayAttr>(kRefusals))
    refused.assign(earlier.begin(), earlier.end());
  refused.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("operators", builder.getDenseI64ArrayAttr(operators)),
       builder.getNamedAttr("target", target),
       builder.getNamedAttr("reason", builder.getStringAttr(reason))}));
  module->setAttr(kRefusals, builder.getArrayAttr(refused));
}

bool hasRefusals(ModuleOp module) { return module->hasAttr(kRefusals); }

/// Takes the refused operators of `tried` from their owners in `original`, which is numbered. False
/// when there is none.
static bool withdrawRefused(ModuleOp tried, ModuleOp original) {
  llvm::DenseMap<int64_t, Operation*> operators;
  original.walk([&](Operation* op) {
    if (const auto number = op->getAttrOfType<IntegerAttr>(kOperatorNumber))
      operators[number.getInt()] = op;
  });
  bool changes = false;
  for (const Attribute attribute : tried->getAttrOfType<ArrayAttr>(kRefusals)) {
    const auto entry = cast<DictionaryAttr>(attribute);
    const auto numbers = entry.getAs<DenseI64ArrayAttr>("operators").asArrayRef();
    for (const int64_t number : numbers) {
      Operation* op = operators.lookup(number);
      const auto target = entry.getAs<ir::TargetAttr>("target");
      if (op == nullptr || whyWithdrawn(op, target)) continue;
      withdraw(op, target, entry.getAs<StringAttr>("reason").getValue());
      changes = true;
    }
  }
  return changes;
}

static Error refusalError(ModuleOp module) {
  const auto entry = cast<DictionaryAttr>(module->getAttrOfType<ArrayAttr>(kRefusals)[0]);
  return targetFailed("target '" + entry.getAs<ir::TargetAttr>("target").getKind().str() +
                      "' refuses a region that no other target is there for: " +
                      entry.getAs<StringAttr>("reason").str());
}

/// Makes `module` what `source` is; the latter is spent.
static void replaceContent(ModuleOp module, ModuleOp source) {
  module.getBodyRegion().takeBody(source.getBodyRegion());
  module->setAttrs(source->getAttrDictionary());
}

Status placeUntilAccepted(ModuleOp module, llvm::function_ref<Status(ModuleOp)> runPasses) {
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module));
  OwningOpRef<ModuleOp> original;
  if (owners.size() > 1) original = module.clone();
  for (bool isNumbered = false;; isNumbered = true) {
    TESSERA_TRY_VOID(runPasses(module));
    if (!hasRefusals(module)) break;
    if (!original) return refusalError(module);
    const Attribute exclusions = module->getAttr(ir::kExclusionsAttribute);
    const bool isExcluded = exclusions != (*original)->getAttr(ir::kExclusionsAttribute);
    if (isExcluded) (*original)->setAttr(ir::kExclusionsAttribute, exclusions);
    if (!isNumbered)
      numberOperators(*original);
    else if (!withdrawRefused(module, *original) && !isExcluded)
      return refusalError(module);
    const OwningOpRef<ModuleOp> next = original->clone();
    replaceContent(module, *next);
  }
  erasePlacementNotes(module);
  return {};
}

}  // namespace tessera::partition
