#include "compiler/placement/exchange.h"

#include <algorithm>
#include <ranges>

namespace tessera::placement {

static constexpr double kNever = std::numeric_limits<double>::infinity();

void Exchange::offer(const NodeSet& nodes, double seconds) {
  const auto [it, isNew] = offers_.try_emplace(nodes, seconds);
  it->second = std::min(it->second, seconds);
  if (isNew) byFirst_[nodes.front()].push_back(&*it);
}

void Exchange::choose(const NodeSet& nodes) { chosen_.push_back(nodes); }

static Exchange::NodeSet without(const Exchange::NodeSet& all, const Exchange::NodeSet& some) {
  Exchange::NodeSet rest;
  std::ranges::set_difference(all, some, std::back_inserter(rest));
  return rest;
}

/// The cheapest offers that cover a set once. Whatever holds its first operator begins with it.
class Exchange::Cover {
 public:
  explicit Cover(const Exchange& exchange) : exchange_(exchange) {}

  double cheapest(const NodeSet& nodes) {
    if (nodes.empty()) return 0;
    const auto it = known_.find(nodes);
    if (it != known_.end()) return it->second;
    double best = kNever;
    const auto offers = exchange_.byFirst_.find(nodes.front());
    if (offers == exchange_.byFirst_.end()) return kNever;
    for (const auto* offer : offers->second) {
      if (!std::ranges::includes(nodes, offer->first)) continue;
      if (++numTried_ > kMostTried) return kNever;
      best = std::min(best, offer->second + cheapest(without(nodes, offer->first)));
    }
    return known_[nodes] = best;
  }

  bool isCutShort() const { return numTried_ > kMostTried; }

 private:
  static constexpr size_t kMostTried = 10'000;

  const Exchange& exchange_;
  std::map<NodeSet, double> known_;
  size_t numTried_ = 0;
};

std::optional<double> Exchange::loss(const NodeSet& nodes, double seconds) const {
  Cover cover(*this);
  double change = seconds;
  for (const NodeSet& tile : chosen_) {
    const NodeSet rest = without(tile, nodes);
    if (rest.size() == tile.size()) continue;
    const auto present = offers_.find(tile);
    if (present == offers_.end()) return std::nullopt;
    change += cover.cheapest(rest) - present->second;
  }
  if (change == kNever || cover.isCutShort()) return std::nullopt;
  return change;
}

}  // namespace tessera::placement
