#include "compiler/partition/answers.h"

#include "compiler/partition/exclusions.h"

namespace tessera::partition {

using namespace mlir;
using backend_api::Declined;
using backend_api::Owner;

std::vector<backend_api::Support> askOwner(ArrayRef<Operation*> ops, const Owner& owner,
                                           const OwnerIndex& owners) {
  std::vector<backend_api::Support> answers(ops.size());
  SmallVector<Operation*> asked;
  SmallVector<size_t> positions;
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (auto reason = whyWithdrawn(op, owners.attribute(owner))) {
      answers[i] = Declined{std::move(*reason)};
    } else {
      asked.push_back(op);
      positions.push_back(i);
    }
  }
  if (asked.empty()) return answers;
  std::vector<backend_api::Support> given = owner.backend->query(asked, owner.target);
  if (given.size() != asked.size())
    given.assign(asked.size(), Declined{"it answered for " + std::to_string(given.size()) + " of " +
                                        std::to_string(asked.size()) + " operators"});
  for (auto [position, answer] : llvm::zip_equal(positions, given))
    answers[position] = std::move(answer);
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
