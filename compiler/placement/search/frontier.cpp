// Nodes are covered in their order: the next candidate is one whose first node is the first that is
// not covered yet. What matters of the candidates so far is the frontier: which later nodes they
// cover already, of values that are still to be given or read the state in which they are given and
// the states that are needed and so paid for, and candidates that rule out later ones. Of the ways
// to one frontier the cheapest stay, as many as choices are wanted. With a lower bound of what is
// left (prices.h), ways that cannot beat the choices known end, and at most `width` of the most
// promising go on from each first node; what the best of those left behind may cost bounds what was
// missed. The width grows until nothing that matters is left behind.
#include "compiler/placement/search/frontier.h"

#include <compare>
#include <functional>
#include <map>
#include <optional>

#include "compiler/placement/search/conflicts.h"
#include "compiler/placement/search/prices.h"
#include "compiler/placement/search/usable.h"

namespace tessera::placement::search {
namespace {

constexpr uint32_t kUnknown = kMaxStates;
constexpr size_t kFirstWidth = 8;
constexpr size_t kWidening = 8;

/// A value that somebody still has to give or may still read.
struct Open {
  ValueId value = 0;
  StateId given = kUnknown;
  uint64_t needed = 0;

  std::strong_ordering operator<=>(const Open&) const = default;
};

struct Frontier {
  std::vector<NodeId> ahead = {};     ///< Covered after the first that is not, ascending.
  std::vector<Open> open = {};        ///< By value; only of values with several states.
  std::vector<uint32_t> shapes = {};  ///< Taken, with conflicts that may still come, ascending.

  std::strong_ordering operator<=>(const Frontier&) const = default;
};

/// The way to a frontier, as an index into the steps made, the last one first.
struct Way {
  Ticks ticks = 0;
  Ticks bound = 0;  ///< With what is left.
  uint32_t numCandidates = 0;
  size_t lastStep = 0;

  bool operator<(const Way& other) const {
    return ticks != other.ticks ? ticks < other.ticks : numCandidates < other.numCandidates;
  }
};

struct Step {
  size_t before = 0;
  CandidateId candidate = 0;
};

/// What all sweeps are about.
struct FrontierSearch {
  const Problem& problem;
  std::vector<std::vector<CandidateId>> byNode;
  std::vector<Ticks> prices;
  Conflicts conflicts;
  size_t count;
};

/// One sweep over the nodes at one width, for choices that cost at most `mostTicks`.
class Sweep {
 public:
  Sweep(const FrontierSearch& search, Ticks mostTicks)
      : search_(search),
        problem_(search.problem),
        mostTicks_(mostTicks),
        layers_(search.problem.numNodes + 1) {}

  std::vector<Solution> run(size_t width, const Deadline& deadline);
  /// What the best of those left behind may cost; never: nothing was left behind.
  Ticks leftBehind() const { return leftBehind_; }

 private:
  using Ways = std::vector<Way>;  // Cheapest first.
  using Layer = std::map<Frontier, Ways>;

  void keepBest(Layer& layer, size_t width);
  void extend(const Frontier& frontier, const Ways& ways, CandidateId id);
  void append(Ways& ways, const Way& longer, CandidateId id);
  std::optional<Ticks> connect(Frontier& frontier, const Candidate& candidate) const;
  bool takeShape(Frontier& frontier, CandidateId id) const;
  Ticks pay(Open& open, StateId given, uint64_t needed) const;
  Open& openOf(Frontier& frontier, ValueId value) const;
  void close(Frontier& frontier, NodeId first) const;

  const FrontierSearch& search_;
  const Problem& problem_;
  const Ticks mostTicks_;
  std::vector<Layer> layers_;  ///< By the first node that is not covered.
  std::vector<Step> steps_ = {Step{}};
  Ticks leftBehind_ = kNeverTicks;
};

}  // namespace

Open& Sweep::openOf(Frontier& frontier, ValueId value) const {
  const auto found = std::ranges::lower_bound(frontier.open, value, {}, &Open::value);
  if (found != frontier.open.end() && found->value == value) return *found;
  Open open{.value = value};
  if (problem_.values[value].producer == kNoNode) open.given = 0;
  if (problem_.values[value].isResult) open.needed = 1;
  return *frontier.open.insert(found, open);
}

/// Adds to what is known of a value; the conversions that this makes sure are paid here.
Ticks Sweep::pay(Open& open, StateId given, uint64_t needed) const {
  const uint64_t paid = open.given == kUnknown ? 0 : open.needed;
  if (given != kUnknown) open.given = given;
  open.needed |= needed;
  Ticks sum = 0;
  if (open.given == kUnknown) return sum;
  for (StateId state = 0; state < problem_.values[open.value].numStates; ++state)
    if (((open.needed & ~paid) >> state & 1) != 0)
      sum = addTicks(
          sum,
          toTicks(problem_.seconds(problem_.values[open.value].conversion(open.given, state))));
  return sum;
}

/// Puts a candidate's borders into the frontier; gives what they cost.
std::optional<Ticks> Sweep::connect(Frontier& frontier, const Candidate& candidate) const {
  Ticks sum = 0;
  for (const Border& border : candidate.reads)
    if (problem_.values[border.value].numStates > 1)
      sum =
          addTicks(sum, pay(openOf(frontier, border.value), kUnknown, uint64_t{1} << border.state));
  for (const Border& border : candidate.gives)
    if (problem_.values[border.value].numStates > 1)
      sum = addTicks(sum, pay(openOf(frontier, border.value), border.state, 0));
  return sum < kNeverTicks ? std::optional(sum) : std::nullopt;
}

/// Whether nothing that was taken rules it out.
bool Sweep::takeShape(Frontier& frontier, CandidateId id) const {
  const uint32_t shape = search_.conflicts.shapeOf[id];
  if (shape == Conflicts::kNone) return true;
  for (const uint32_t taken : frontier.shapes)
    if (std::ranges::binary_search(search_.conflicts.with[shape], taken)) return false;
  frontier.shapes.insert(std::ranges::upper_bound(frontier.shapes, shape), shape);
  return true;
}

/// Forgets what no longer matters.
void Sweep::close(Frontier& frontier, NodeId first) const {
  const auto isCovered = [&](NodeId node) {
    return node < first || std::ranges::binary_search(frontier.ahead, node);
  };
  std::erase_if(frontier.open, [&](const Open& open) {
    const Value& value = problem_.values[open.value];
    return (value.producer == kNoNode || isCovered(value.producer)) &&
           std::ranges::all_of(value.readers, isCovered);
  });
  std::erase_if(frontier.shapes,
                [&](uint32_t shape) { return search_.conflicts.lastStart[shape] < first; });
}

/// Adds a way to a frontier's unless there are enough that are cheaper.
void Sweep::append(Ways& ways, const Way& longer, CandidateId id) {
  const auto place = std::ranges::upper_bound(ways, longer, std::less<>());
  if (place == ways.end() && ways.size() == search_.count) return;
  const auto added = ways.insert(place, longer);
  steps_.push_back({.before = added->lastStep, .candidate = id});
  added->lastStep = steps_.size() - 1;
  if (ways.size() > search_.count) ways.pop_back();
}

void Sweep::extend(const Frontier& frontier, const Ways& ways, CandidateId id) {
  const Candidate& candidate = problem_.candidates[id];
  Frontier next;
  std::ranges::set_union(frontier.ahead, candidate.nodes, std::back_inserter(next.ahead));
  if (next.ahead.size() != frontier.ahead.size() + candidate.nodes.size()) return;  // Twice.
  next.open = frontier.open;
  next.shapes = frontier.shapes;
  const std::optional<Ticks> borders = connect(next, candidate);
  if (!borders || !takeShape(next, id)) return;
  const Ticks added = addTicks(*borders, toTicks(problem_.seconds(candidate.cost)));
  Ticks priced = 0;
  for (const NodeId node : candidate.nodes) priced += search_.prices[node];
  const auto boundOf = [&](const Way& way) { return addTicks(way.bound - priced, added); };
  if (boundOf(ways.front()) > mostTicks_) return;
  NodeId first = candidate.nodes.front();
  auto covered = next.ahead.begin();
  for (; covered != next.ahead.end() && *covered == first; ++covered) ++first;
  next.ahead.erase(next.ahead.begin(), covered);
  close(next, first);
  Ways& longer = layers_[first][std::move(next)];
  for (const Way& way : ways)
    append(longer,
           {.ticks = addTicks(way.ticks, added),
            .bound = boundOf(way),
            .numCandidates = way.numCandidates + 1,
            .lastStep = way.lastStep},
           id);
}

void Sweep::keepBest(Layer& layer, size_t width) {
  if (layer.size() <= width) return;
  const auto boundOf = [](Layer::iterator entry) { return entry->second.front().bound; };
  std::vector<Layer::iterator> order;
  for (auto entry = layer.begin(); entry != layer.end(); ++entry) order.push_back(entry);
  std::ranges::stable_sort(order, {}, boundOf);
  leftBehind_ = std::min(leftBehind_, boundOf(order[width]));
  for (size_t i = width; i < order.size(); ++i) layer.erase(order[i]);
}

std::vector<Solution> Sweep::run(size_t width, const Deadline& deadline) {
  Ticks least = 0;
  for (const Ticks price : search_.prices) least = addTicks(least, price);
  layers_[0][{}] = {Way{.bound = least}};
  for (NodeId node = 0; node < problem_.numNodes; ++node) {
    // Out of time: to an end, on the most promising way alone.
    keepBest(layers_[node], deadline.isOver() ? 1 : width);
    for (const auto& [frontier, ways] : layers_[node])
      for (const CandidateId id : search_.byNode[node])
        if (problem_.candidates[id].nodes.front() == node) extend(frontier, ways, id);
    layers_[node].clear();
  }
  std::vector<Solution> found;
  for (const auto& [frontier, ways] : layers_.back())
    for (const Way& way : ways) {
      Solution& solution =
          found.emplace_back(Solution{.seconds = toSeconds(way.ticks), .solver = "frontier"});
      for (size_t step = way.lastStep; step != 0; step = steps_[step].before)
        solution.chosen.push_back(steps_[step].candidate);
      std::ranges::reverse(solution.chosen);
    }
  return found;
}

Result<std::vector<Solution>> solveFrontier(const Problem& problem,
                                            std::span<const CandidateId> candidates, size_t count,
                                            const Deadline& deadline, size_t mostFrontiers) {
  TESSERA_TRY(auto byNode, candidatesByNode(problem, candidates));
  std::vector<Ticks> prices = pricesOf(problem, candidates, byNode);
  const FrontierSearch search{.problem = problem,
                              .byNode = std::move(byNode),
                              .prices = std::move(prices),
                              .conflicts = Conflicts(problem, candidates),
                              .count = count};
  std::vector<Solution> found;
  Ticks most = kNeverTicks, bound = 0;
  for (size_t width = kFirstWidth; width <= mostFrontiers; width *= kWidening) {
    Sweep sweep(search, most);
    found = cheapestOf(std::move(found), sweep.run(width, deadline), count);
    if (found.size() == count) most = toTicks(found.back().seconds);
    bound = std::max(bound, std::min(sweep.leftBehind(), most));
    if (bound >= most || deadline.isOver()) break;
  }
  if (found.empty())
    return bound >= kNeverTicks ? noChoice() : targetFailed("no choice of candidates was found");
  for (Solution& solution : found)
    solution.lowerBound = std::min(solution.seconds, toSeconds(bound));
  return found;
}

}  // namespace tessera::placement::search
