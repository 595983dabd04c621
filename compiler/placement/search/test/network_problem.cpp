#include "compiler/placement/search/test/network_problem.h"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "compiler/placement/search/test/problem_builder.h"

namespace tessera::placement::search {
namespace {

constexpr uint32_t kBlock = 10;  // Operators: one, two branches of four each, one that joins them.
constexpr uint32_t kBranch = 4;
constexpr uint32_t kNumShapes = 12;  // Of blocks; equal shapes cost the same.

class Network {
 public:
  explicit Network(const NetworkOptions& options)
      : options_(options), random_(options.seed), builder_(options.numNodes) {}

  Problem make();

 private:
  uint32_t below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }
  /// 0 begins a block, 1 to 8 are its branches, 9 joins them.
  static uint32_t placeOf(NodeId node) { return node % kBlock; }
  uint32_t shapeOf(NodeId node) const {
    return node / kBlock * kNumShapes * kBlock / options_.numNodes % kNumShapes;
  }

  void addValues();
  void addRuns();
  void addPairs();
  void add(const std::vector<NodeId>& nodes, uint32_t owner, StateId state);
  double secondsOf(const std::vector<NodeId>& nodes, uint32_t owner, StateId state);

  const NetworkOptions& options_;
  std::mt19937 random_;
  ProblemBuilder builder_;
  /// By shape, first place, number of nodes, owner and state.
  std::map<std::tuple<uint32_t, uint32_t, size_t, uint32_t, StateId>, ClassId> classes_;
};

}  // namespace

void Network::addValues() {
  for (NodeId node = 0; node < options_.numNodes; ++node) {
    std::vector<NodeId> readers;
    const auto readBy = [&](NodeId reader) {
      if (reader < options_.numNodes) readers.push_back(reader);
    };
    const NodeId block = node - placeOf(node);
    if (placeOf(node) == 0) {
      readBy(block + 1);
      readBy(block + 1 + kBranch);
      if (block % (3 * kBlock) == 0) readBy(block + kBlock - 1);
    } else if (placeOf(node) == kBranch || placeOf(node) == 2 * kBranch) {
      readBy(block + kBlock - 1);
    } else {
      readBy(node + 1);
    }
    if (placeOf(node) == kBlock - 1)
      for (uint32_t i = 1; i <= options_.numLater; ++i)
        readBy(block + i * kBlock + kBlock + kBlock - 1);
    const bool isResult = readers.empty();
    const ValueId value =
        builder_.addValue(node, std::move(readers), isResult, options_.numStates, kNever);
    for (StateId from = 0; from < options_.numStates; ++from)
      for (StateId to = 0; to < options_.numStates; ++to)
        if (from != to)
          builder_.setConversion(value, from, to,
                                 builder_.addClass((2 + below(20)) * kMicrosecond));
  }
  builder_.addValue(kNoNode, {0}, /*isResult=*/false, options_.numStates, builder_.addClass(0));
}

double Network::secondsOf(const std::vector<NodeId>& nodes, uint32_t owner, StateId state) {
  double sum = 0;
  for (const NodeId node : nodes)
    sum += (placeOf(node) % 2 == 0 ? 20 : 100) * (0.7 + below(600) / 1000.0);
  const bool isPreferred = owner > 0 && state == owner % options_.numStates;
  const double gain = 1 - 0.04 * static_cast<double>(std::min<size_t>(nodes.size(), 8) - 1);
  return sum * gain * (isPreferred ? 0.85 : 1) * kMicrosecond;
}

void Network::add(const std::vector<NodeId>& nodes, uint32_t owner, StateId state) {
  const std::tuple key(shapeOf(nodes.front()), placeOf(nodes.front()), nodes.size(), owner, state);
  const auto found = classes_.find(key);
  const ClassId cost =
      found != classes_.end() ? found->second : builder_.addClass(secondsOf(nodes, owner, state));
  classes_[key] = cost;
  std::map<ValueId, StateId> states;
  for (const ValueId value : builder_.bordersOf(nodes)) states[value] = state;
  builder_.addCandidate(nodes, cost, owner, states);
}

/// Operators that follow one another, in one layout. Runs in the order of ids lead nowhere twice.
void Network::addRuns() {
  for (NodeId first = 0; first < options_.numNodes; ++first) {
    std::vector<uint32_t> lengths;
    for (uint32_t length = 1; length <= options_.longestChain; ++length)
      // A fused chain stays in its branch.
      if (length == 1 ||
          (placeOf(first) > 0 && placeOf(first) + length - 2 < 2 * kBranch &&
           (placeOf(first) - 1) / kBranch == (placeOf(first) + length - 2) / kBranch))
        lengths.push_back(length);
    if (options_.hasRegions && below(4) == 0) lengths.push_back(5 + below(60));
    for (const uint32_t length : lengths) {
      std::vector<NodeId> nodes;
      for (NodeId node = first; node < std::min(first + length, options_.numNodes); ++node)
        nodes.push_back(node);
      for (uint32_t owner = 0; owner < options_.numOwners; ++owner)
        if (owner == 0)
          for (StateId state = 0; state < options_.numStates; ++state) add(nodes, owner, state);
        else if (length == 1 || below(2) == 0)
          add(nodes, owner, owner % options_.numStates);
    }
  }
}

/// One operator of each branch; two such pairs may wait for each other.
void Network::addPairs() {
  for (NodeId block = 0; block + kBlock <= options_.numNodes; block += kBlock)
    for (uint32_t i = 0; i < 3; ++i)
      add({block + 1 + below(kBranch), block + 1 + kBranch + below(kBranch)}, 1,
          1 % options_.numStates);
}

Problem Network::make() {
  addValues();
  addRuns();
  if (options_.hasRegions) addPairs();
  return builder_.problem();
}

Problem networkProblem(const NetworkOptions& options) { return Network(options).make(); }

}  // namespace tessera::placement::search
