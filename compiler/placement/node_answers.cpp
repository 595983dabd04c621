#include "compiler/placement/node_answers.h"

#include "compiler/partition/answers.h"
#include "compiler/placement/exchange.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::placement {

using namespace mlir;
using backend_api::Owner;

namespace {

/// Of one target, those that are equal joined.
class AnswersOfTarget {
 public:
  explicit AnswersOfTarget(ir::TargetAttr target) : target_(target) {}

  void add(uint32_t node, const Answer& answer) {
    for (Answer& each : answers_) {
      if (each.kind != answer.kind || each.cost.outcome != answer.cost.outcome ||
          each.reason != answer.reason || each.tile != answer.tile)
        continue;
      if (each.operators.back() != node) each.operators.push_back(node);
      return;
    }
    Answer& made = answers_.emplace_back(answer);
    made.target = target_;
    made.operators = {node};
  }
  std::vector<Answer>& all() { return answers_; }

 private:
  ir::TargetAttr target_;
  std::vector<Answer> answers_;
};

class Collector {
 public:
  Collector(const OperatorGraph& graph, const partition::OwnerIndex& owners,
            const Findings* findings)
      : graph_(graph), owners_(owners), findings_(findings) {
    for (uint32_t node = 0; node < graph.size(); ++node)
      blocks_[graph.operation(node)->getBlock()].push_back(node);
    if (findings_) collectOffers();
  }

  std::vector<Answer> run() {
    std::vector<Answer> answers;
    for (size_t i = 0; i < owners_.size(); ++i) {
      AnswersOfTarget ofTarget(owners_.attribute(owners_[i]));
      addAnswers(owners_[i], ofTarget);
      llvm::append_range(answers, ofTarget.all());
    }
    return answers;
  }

 private:
  /// A candidate that was tried; several that differ in the layouts they read are one.
  struct Offer {
    const CandidateTile* candidate;
    const Measurement* cost;
    std::optional<double> loss = {};
  };
  using OffersOfNodes = std::vector<std::vector<Offer>>;

  const Measurement* costOf(const CandidateTile& tile) const {
    const auto it = findings_->costs->find(tile.classNumber);
    return it == findings_->costs->end() ? nullptr : &it->second;
  }

  static bool isOk(const Measurement& cost) { return cost.outcome == costs::Outcome::kOk; }

  void collectOffers() {
    for (const CandidateTile& tile : findings_->candidates->tiles) {
      const Measurement* cost = costOf(tile);
      if (cost && isOk(*cost)) exchange_.offer(tile.tile.nodes, cost->seconds);
    }
    for (const Tile& tile : findings_->chosen) exchange_.choose(tile.nodes);
  }

  /// What was tried of a target's, and which operators have candidates that were not.
  OffersOfNodes offersOf(ir::TargetAttr target, std::vector<bool>& areUntried) const {
    OffersOfNodes offers(graph_.size());
    areUntried.assign(graph_.size(), false);
    for (const CandidateTile& tile : findings_->candidates->tiles) {
      if (tile.tile.target != target) continue;
      Offer offer{.candidate = &tile, .cost = costOf(tile)};
      if (offer.cost && isOk(*offer.cost) && !findings_->chosen.empty())
        offer.loss = exchange_.loss(tile.tile.nodes, offer.cost->seconds);
      for (const uint32_t node : tile.tile.nodes) {
        if (offer.cost)
          offers[node].push_back(offer);
        else
          areUntried[node] = true;
      }
    }
    return offers;
  }

  /// The one that costs the plan least; what is in the plan costs it nothing.
  const Offer* bestOf(ArrayRef<Offer> offers) const {
    const Offer* best = nullptr;
    const auto isBetter = [&](const Offer& a, const Offer& b) {
      if (a.loss.has_value() != b.loss.has_value()) return a.loss.has_value();
      if (a.loss && *a.loss != *b.loss) return *a.loss < *b.loss;
      return a.cost->seconds < b.cost->seconds;
    };
    for (const Offer& offer : offers) {
      if (isOk(*offer.cost) && isChosen(offer.candidate->tile)) return &offer;
      if (isOk(*offer.cost) && (!best || isBetter(offer, *best))) best = &offer;
    }
    return best;
  }

  bool isChosen(const Tile& tile) const { return llvm::is_contained(findings_->chosen, tile); }

  /// About each operator by itself; owners see those of a block together.
  std::vector<backend_api::Support> ask(const Owner& owner) const {
    std::vector<backend_api::Support> said(graph_.size());
    for (const auto& [block, nodes] : blocks_) {
      SmallVector<Operation*> ops;
      for (const uint32_t node : nodes) ops.push_back(graph_.operation(node));
      for (auto [node, answer] : llvm::zip_equal(nodes, partition::askOwner(ops, owner, owners_)))
        said[node] = std::move(answer);
    }
    return said;
  }

  void addAnswers(const Owner& owner, AnswersOfTarget& answers) const {
    const std::vector<backend_api::Support> said = ask(owner);
    std::vector<bool> areUntried(graph_.size(), false);
    OffersOfNodes offers(graph_.size());
    if (findings_) offers = offersOf(owners_.attribute(owner), areUntried);
    for (uint32_t node = 0; node < graph_.size(); ++node) {
      for (const Offer& offer : offers[node]) {
        if (!isOk(*offer.cost)) answers.add(node, failureOf(offer));
      }
      if (const Offer* best = bestOf(offers[node]))
        answers.add(node, takes(*best));
      else if (offers[node].empty())
        answers.add(node, untried(said[node], areUntried[node], owner, node));
    }
  }

  static Answer failureOf(const Offer& offer) {
    return {.kind = Answer::Kind::kFailed, .reason = offer.cost->reason, .cost = *offer.cost};
  }

  static Answer takes(const Offer& offer) {
    return {.kind = Answer::Kind::kTakes,
            .tile = offer.candidate->tile.nodes,
            .rule = offer.candidate->rule,
            .cost = *offer.cost,
            .loss = offer.loss};
  }

  Answer untried(const backend_api::Support& said, bool isUntried, const Owner& owner,
                 uint32_t node) const {
    if (isUntried)
      return {.kind = Answer::Kind::kNotMeasured,
              .reason = "what it takes at least is more than what others do"};
    if (const auto* declined = std::get_if<backend_api::Declined>(&said))
      return {.kind = Answer::Kind::kDeclined, .reason = declined->reason};
    if (!findings_) return {.kind = Answer::Kind::kTakes};
    const ir::TargetAttr target = owners_.attribute(owner);
    for (const DeclinedTile& tile : findings_->candidates->declined) {
      if (tile.tile.target == target && llvm::is_contained(tile.tile.nodes, node))
        return {.kind = Answer::Kind::kDeclined,
                .reason = findings_->candidates->classes[tile.classNumber].reason};
    }
    return {.kind = Answer::Kind::kDeclined,
            .reason = "nothing that it takes as a whole holds this operator"};
  }

  const OperatorGraph& graph_;
  const partition::OwnerIndex& owners_;
  const Findings* findings_;
  llvm::MapVector<Block*, std::vector<uint32_t>> blocks_;
  Exchange exchange_;
};

}  // namespace

std::vector<Answer> collectAnswers(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                                   const Findings& findings) {
  return Collector(graph, owners, &findings).run();
}

std::vector<Answer> collectAnswers(const OperatorGraph& graph,
                                   const partition::OwnerIndex& owners) {
  return Collector(graph, owners, nullptr).run();
}

}  // namespace tessera::placement
