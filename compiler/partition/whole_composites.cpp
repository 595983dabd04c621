#include "compiler/partition/whole_composites.h"

#include "compiler/partition/exclusions.h"

namespace tessera::partition {

using namespace mlir;
using backend_api::Owner;

static bool isBetterInParts(ir::CompositeOp composite, const Owner& taker,
                            const OwnerIndex& owners) {
  SmallVector<Operation*> parts;
  for (Operation& op : composite.getBody().front().without_terminator()) {
    if (!isa<ir::ConstantOp>(op)) parts.push_back(&op);
  }
  const auto takesAll = [&](size_t i) {
    return !whyWithdrawn(composite, owners.attribute(owners[i])) &&
           llvm::all_of(askOwner(parts, owners[i], owners), backend_api::isSupported);
  };
  const Owner* preferred = owners.find(preferenceOf(composite));
  if (preferred == &taker) return false;
  if (preferred && takesAll(owners.indexOf(*preferred))) return true;
  return llvm::any_of(llvm::seq<size_t>(0, owners.indexOf(taker)), takesAll);
}

bool staysWhole(ir::CompositeOp composite, const Answers& answers, const OwnerIndex& owners) {
  const Owner* taker = preferredTaker(composite, answers, owners);
  return taker && !isBetterInParts(composite, *taker, owners);
}

}  // namespace tessera::partition
