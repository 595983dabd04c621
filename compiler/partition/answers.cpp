#include "compiler/partition/answers.h"

#include "compiler/partition/exclusions.h"

namespace tessera::partition {

using namespace mlir;
using backend_api::Declined;
using backend_api::Owner;

std::vector<backend_api::Support> askOwner(ArrayRef<Operation*> ops, const Owner& owner,
                                           const OwnerIndex& owners) {
  std::vector<std::optional<std::string>> withdrawn;
  for (Operation* op : ops) withdrawn.push_back(whyWithdrawn(op, owners.attribute(owner)));
  // An owner that nothing is left for may be one that must not be asked: it crashes. Any other sees
  // all operators, those withdrawn as well: it may take them in groups.
  std::vector<backend_api::Support> answers(ops.size());
  if (!llvm::all_of(withdrawn, [](const auto& reason) { return reason.has_value(); }))
    answers = owner.backend->query(ops, owner.target);
  if (answers.size() != ops.size())
    answers.assign(ops.size(), Declined{"it answered for " + std::to_string(answers.size()) +
                                        " of " + std::to_string(ops.size()) + " operators"});
  for (auto [answer, reason] : llvm::zip_equal(answers, withdrawn)) {
    if (reason) answer = Declined{std::move(*reason)};
  }
  return answers;
}

std::vector<Answers> askOwners(ArrayRef<Operation*> ops, const OwnerIndex& owners) {
  std::vector<Answers> answers(ops.size());
  if (ops.empty()) return answers;
  for (size_t i = 0; i < owners.size(); ++i) {
    std::vector<backend_api::Support> own = askOwner(ops, owners[i], owners);
    for (auto [answer, all] : llvm::zip_equal(own, answers)) all.push_back(std::move(answer));
  }
  return answers;
}

static const Owner* firstTaker(const Answers& answers, const OwnerIndex& owners) {
  for (auto [i, answer] : llvm::enumerate(answers)) {
    if (backend_api::isSupported(answer)) return &owners[i];
  }
  return nullptr;
}

const Owner* preferredTaker(Operation* op, const Answers& answers, const OwnerIndex& owners) {
  const Owner* preferred = owners.find(preferenceOf(op));
  const bool isTaken = preferred && backend_api::isSupported(answers[owners.indexOf(*preferred)]);
  return isTaken ? preferred : firstTaker(answers, owners);
}

std::string reasonsOf(const Answers& answers, const OwnerIndex& owners) {
  std::string text;
  for (auto [i, answer] : llvm::enumerate(answers)) {
    const auto* declined = std::get_if<Declined>(&answer);
    if (!declined) continue;
    text += (text.empty() ? "" : "; ") + owners[i].target.kind + ": " + declined->reason;
  }
  return text;
}

}  // namespace tessera::partition
