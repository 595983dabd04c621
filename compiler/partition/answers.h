// What owners say about operators.
#pragma once

#include "compiler/partition/owner_index.h"

namespace tessera::partition {

/// What each owner says about one operator, in the order of the owners.
using Answers = std::vector<backend_api::Support>;

/// What one of them says about each of `ops`.
std::vector<backend_api::Support> askOwner(llvm::ArrayRef<mlir::Operation*> ops,
                                           const backend_api::Owner& owner,
                                           const OwnerIndex& owners);
/// Asks every owner about all of `ops` at once; one entry for each. Owners that were withdrawn from
/// an operator decline it, with the reason of then; one that gives more or fewer answers declines
/// all.
std::vector<Answers> askOwners(llvm::ArrayRef<mlir::Operation*> ops, const OwnerIndex& owners);

/// The owner that a rule prefers for `op`, if it takes it; the first that does otherwise; null when
/// none does.
const backend_api::Owner* preferredTaker(mlir::Operation* op, const Answers& answers,
                                         const OwnerIndex& owners);

/// "first: its reason; second: its reason" of those that decline.
std::string reasonsOf(const Answers& answers, const OwnerIndex& owners);

}  // namespace tessera::partition
