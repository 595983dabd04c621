#include "compiler/placement/search/test/random_problem.h"

#include <algorithm>
#include <limits>

#include "compiler/placement/search/quotient.h"
#include "compiler/placement/search/test/problem_builder.h"

namespace tessera::placement::search {
namespace {

class Maker {
 public:
  Maker(std::mt19937& random, const RandomOptions& options)
      : random_(random),
        options_(options),
        numNodes_(2 + below(options.maxNodes - 1)),
        builder_(numNodes_) {}

  Problem make();

 private:
  /// Evenly from 0 to `end` - 1; the standard distributions differ from library to library.
  uint32_t below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }
  bool oneIn(uint32_t count) { return below(count) == 0; }

  void addClasses();
  void addValues();
  void addCandidates();
  ClassId someCost(size_t numNodes);
  std::vector<NodeId> someNodes();
  std::map<ValueId, StateId> someStates(const std::vector<NodeId>& nodes);

  std::mt19937& random_;
  const RandomOptions& options_;
  const uint32_t numNodes_;
  ProblemBuilder builder_;
  uint32_t numClasses_ = 0;
};

constexpr uint32_t kMostMicroseconds = 60;

}  // namespace

void Maker::addClasses() {
  numClasses_ = 20 + below(40);
  for (uint32_t i = 0; i < numClasses_; ++i)
    builder_.addClass(oneIn(15) ? std::numeric_limits<double>::infinity()
                                : below(kMostMicroseconds) * kMicrosecond);
}

void Maker::addValues() {
  const uint32_t numInputs = 1 + below(2);
  for (uint32_t i = 0; i < numNodes_ + numInputs; ++i) {
    const NodeId producer = i < numNodes_ ? i : kNoNode;
    const NodeId first = producer == kNoNode ? 0 : producer + 1;
    const uint32_t numValues = producer != kNoNode && oneIn(6) ? 2 : 1;
    for (uint32_t k = 0; k < numValues; ++k) {
      std::vector<NodeId> readers;
      for (uint32_t j = below(4); j > 0 && first < numNodes_; --j)
        // Mostly near ones, as in networks.
        readers.push_back(std::min(first + below(oneIn(4) ? numNodes_ : 3), numNodes_ - 1));
      std::ranges::sort(readers);
      readers.erase(std::ranges::unique(readers).begin(), readers.end());
      const bool isResult = readers.empty() ? !oneIn(4) : oneIn(8);
      const uint32_t numStates = 1 + below(options_.maxStates);
      const ValueId value = builder_.addValue(producer, readers, isResult, numStates, kNever);
      for (StateId from = 0; from < numStates; ++from)
        for (StateId to = 0; to < numStates; ++to)
          if (from != to && !oneIn(5))
            builder_.setConversion(value, from, to, oneIn(5) ? kFree : below(numClasses_));
    }
  }
}

/// Larger candidates cost more, less than their parts.
ClassId Maker::someCost(size_t numNodes) {
  if (oneIn(40)) return kFree;
  if (oneIn(40)) return kNever;
  if (oneIn(2)) return below(numClasses_);
  return builder_.addClass((1 + below(static_cast<uint32_t>(numNodes) * kMostMicroseconds / 2)) *
                           kMicrosecond);
}

std::vector<NodeId> Maker::someNodes() {
  std::vector<NodeId> nodes;
  const NodeId first = below(numNodes_);
  const uint32_t range = 2 + below(5);
  for (NodeId node = first; node < std::min(first + range, numNodes_); ++node)
    if (!oneIn(3)) nodes.push_back(node);
  if (oneIn(6) && numNodes_ > 3)
    nodes = {below(numNodes_ / 2), numNodes_ / 2 + below(numNodes_ / 2)};
  return nodes;
}

std::map<ValueId, StateId> Maker::someStates(const std::vector<NodeId>& nodes) {
  std::map<ValueId, StateId> states;
  for (const ValueId value : builder_.bordersOf(nodes))
    states[value] = below(builder_.problem().values[value].numStates);
  return states;
}

void Maker::addCandidates() {
  for (NodeId node = 0; node < numNodes_; ++node)
    for (uint32_t i = 1 + below(3); i > 0; --i)
      builder_.addCandidate({node}, someCost(1), below(options_.numOwners), someStates({node}));
  for (uint32_t i = below(3 * numNodes_); i > 0; --i) {
    const std::vector<NodeId> nodes = someNodes();
    if (nodes.size() < 2 || !builder_.mayBeCandidate(nodes)) continue;
    const ClassId cost = someCost(nodes.size());
    ProblemBuilder trial = builder_;
    const uint32_t id =
        trial.addCandidate(nodes, cost, below(options_.numOwners), someStates(nodes));
    const Problem& problem = trial.problem();
    if (options_.hasSeveralEnds ||
        hasOneEnd(problem, ValuesOfNodes(problem), problem.candidates[id]))
      builder_ = std::move(trial);
  }
}

Problem Maker::make() {
  addClasses();
  addValues();
  addCandidates();
  return builder_.problem();
}

Problem randomProblem(std::mt19937& random, const RandomOptions& options) {
  return Maker(random, options).make();
}

}  // namespace tessera::placement::search
