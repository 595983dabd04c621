#include "compiler/placement/candidates/problem_of.h"

#include <map>
#include <tuple>

#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/placement/candidates/lower_bound.h"

namespace tessera::placement {

using namespace mlir;

namespace {

/// The group of the host program, which gives the model's inputs, takes its results and moves what
/// needs no code: nobody minds it. Where changes are free, of all.
constexpr uint32_t kNobody = UINT32_MAX;

/// What one value is in.
struct ValueState {
  Type type;
  uint32_t group = kNobody;

  friend bool operator==(const ValueState&, const ValueState&) = default;
};

class Translation {
 public:
  Translation(const OperatorGraph& graph, const partition::OwnerIndex& owners,
              const CandidateSet& candidates, const Changes& changes)
      : graph_(graph), owners_(owners), set_(candidates), changes_(changes) {}

  SearchProblem run() {
    problem().numNodes = graph_.size();
    for (const CandidateClass& each : set_.classes) {
      const double bound = each.module ? lowerBound(*each.module, owners_) : 0;
      result_.subjects.push_back({.candidateClass = result_.subjects.size()});
      problem().classes.push_back({.seconds = bound, .isMeasured = false});
    }
    for (const CandidateTile& tile : set_.tiles) addCandidate(tile);
    for (const auto& [value, id] : ids_) {
      addConversions(id);
      std::vector<Type> types;
      for (const ValueState& state : states_[id]) types.push_back(state.type);
      result_.states.emplace_back(value, std::move(types));
    }
    return std::move(result_);
  }

 private:
  search::Problem& problem() { return result_.problem; }

  search::ValueId idOf(Value value) {
    const auto [it, isNew] = ids_.try_emplace(value, problem().values.size());
    if (!isNew) return it->second;
    search::Value& made = problem().values.emplace_back();
    const uint32_t producer = graph_.producerOf(value);
    made.producer = producer == graph_.size() ? search::kNoNode : producer;
    made.readers = graph_.readersOf(value);
    made.isResult = graph_.isReturned(value);
    states_.push_back({{.type = value.getType()}});
    return it->second;
  }

  search::StateId stateOf(search::ValueId value, Type type, uint32_t group) {
    const bool isComputed = problem().values[value].producer != search::kNoNode;
    const ValueState state{.type = type, .group = isComputed ? group : kNobody};
    std::vector<ValueState>& states = states_[value];
    const auto it = llvm::find(states, state);
    if (it != states.end()) return static_cast<search::StateId>(it - states.begin());
    states.push_back(state);
    return static_cast<search::StateId>(states.size() - 1);
  }

  void addCandidate(const CandidateTile& from) {
    const CandidateClass& of = set_.classes[from.classNumber];
    search::Candidate candidate{
        .nodes = {from.tile.nodes.begin(), from.tile.nodes.end()},
        .owner = static_cast<uint32_t>(owners_.indexOf(*owners_.find(from.tile.target))),
        .cost = static_cast<search::ClassId>(from.classNumber)};
    // What has no region is the host program's.
    const bool isAnyones = changes_.areFree() || of.numRegions == 0;
    const uint32_t group = isAnyones ? kNobody : changes_.groups[candidate.owner];
    for (auto [index, input] : llvm::enumerate(from.inputs)) {
      const Type type = from.tile.reads.empty() ? input.getType() : from.tile.reads[index];
      const search::ValueId value = idOf(input);
      candidate.reads.push_back({.value = value, .state = stateOf(value, type, group)});
    }
    for (auto [output, type] : llvm::zip_equal(from.outputs, of.gives)) {
      const search::ValueId value = idOf(output);
      candidate.gives.push_back({.value = value, .state = stateOf(value, type, group)});
    }
    problem().candidates.push_back(std::move(candidate));
  }

  void addConversions(search::ValueId id) {
    const std::vector<ValueState>& states = states_[id];
    search::Value& made = problem().values[id];
    made.numStates = static_cast<uint32_t>(states.size());
    made.conversions.assign(states.size() * states.size(), search::kFree);
    for (size_t from = 0; from < states.size(); ++from) {
      for (size_t to = 0; to < states.size(); ++to) {
        if (from != to)
          made.conversions[from * states.size() + to] = conversionClass(states[from], states[to]);
      }
    }
  }

  double changeOf(const ValueState& from, const ValueState& to) const {
    const bool isChange = from.group != kNobody && to.group != kNobody;
    return isChange ? changes_.seconds[from.group][to.group] : 0;
  }

  search::ClassId conversionClass(const ValueState& from, const ValueState& to) {
    const double change = changeOf(from, to);
    if (from.type == to.type && change == 0) return search::kFree;
    const auto key =
        std::tuple(from.type.getAsOpaquePointer(), to.type.getAsOpaquePointer(), change);
    const auto [it, isNew] = conversions_.try_emplace(key, problem().classes.size());
    if (isNew) {
      const bool isAlone = from.type == to.type;
      const double bound = isAlone ? 0 : conversionBound(cast<RankedTensorType>(from.type));
      result_.subjects.push_back({.from = from.type, .to = to.type, .change = change});
      problem().classes.push_back({.seconds = bound + change, .isMeasured = isAlone});
    }
    return it->second;
  }

  const OperatorGraph& graph_;
  const partition::OwnerIndex& owners_;
  const CandidateSet& set_;
  const Changes& changes_;
  SearchProblem result_;
  llvm::MapVector<Value, search::ValueId> ids_;
  std::vector<std::vector<ValueState>> states_;  ///< By value.
  std::map<std::tuple<const void*, const void*, double>, search::ClassId> conversions_;
};

}  // namespace

SearchProblem problemOf(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                        const CandidateSet& candidates, const Changes& changes) {
  return Translation(graph, owners, candidates, changes).run();
}

}  // namespace tessera::placement
