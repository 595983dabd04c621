#include "compiler/placement/candidates/problem_of.h"

#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/placement/candidates/lower_bound.h"

namespace tessera::placement {

using namespace mlir;

namespace {

class Translation {
 public:
  Translation(const OperatorGraph& graph, const partition::OwnerIndex& owners,
              const CandidateSet& candidates)
      : graph_(graph), owners_(owners), set_(candidates) {}

  SearchProblem run() {
    problem().numNodes = graph_.size();
    for (const CandidateClass& each : set_.classes) {
      const double bound = each.module ? lowerBound(*each.module, owners_) : 0;
      result_.subjects.push_back({.candidateClass = result_.subjects.size()});
      problem().classes.push_back({.seconds = bound, .isMeasured = false});
    }
    for (const CandidateTile& tile : set_.tiles) addCandidate(tile);
    for (const auto& [value, id] : ids_) {
      addConversions(value, id);
      result_.states.emplace_back(value, std::move(states_[id]));
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
    states_.push_back({value.getType()});
    return it->second;
  }

  search::StateId stateOf(search::ValueId value, Type type) {
    std::vector<Type>& states = states_[value];
    const auto it = llvm::find(states, type);
    if (it != states.end()) return static_cast<search::StateId>(it - states.begin());
    states.push_back(type);
    return static_cast<search::StateId>(states.size() - 1);
  }

  void addCandidate(const CandidateTile& from) {
    const CandidateClass& of = set_.classes[from.classNumber];
    search::Candidate candidate{
        .nodes = {from.tile.nodes.begin(), from.tile.nodes.end()},
        .owner = static_cast<uint32_t>(owners_.indexOf(*owners_.find(from.tile.target))),
        .cost = static_cast<search::ClassId>(from.classNumber)};
    for (auto [index, input] : llvm::enumerate(from.inputs)) {
      const Type type = from.tile.reads.empty() ? input.getType() : from.tile.reads[index];
      const search::ValueId value = idOf(input);
      candidate.reads.push_back({.value = value, .state = stateOf(value, type)});
    }
    for (auto [output, type] : llvm::zip_equal(from.outputs, of.gives)) {
      const search::ValueId value = idOf(output);
      candidate.gives.push_back({.value = value, .state = stateOf(value, type)});
    }
    problem().candidates.push_back(std::move(candidate));
  }

  void addConversions(Value value, search::ValueId id) {
    const std::vector<Type>& states = states_[id];
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

  search::ClassId conversionClass(Type from, Type to) {
    const auto [it, isNew] = conversions_.try_emplace({from, to}, problem().classes.size());
    if (isNew) {
      result_.subjects.push_back({.from = from, .to = to});
      problem().classes.push_back(
          {.seconds = conversionBound(cast<RankedTensorType>(from)), .isMeasured = false});
    }
    return it->second;
  }

  const OperatorGraph& graph_;
  const partition::OwnerIndex& owners_;
  const CandidateSet& set_;
  SearchProblem result_;
  llvm::MapVector<Value, search::ValueId> ids_;
  std::vector<std::vector<Type>> states_;  ///< By value.
  llvm::DenseMap<std::pair<Type, Type>, search::ClassId> conversions_;
};

}  // namespace

SearchProblem problemOf(const OperatorGraph& graph, const partition::OwnerIndex& owners,
                        const CandidateSet& candidates) {
  return Translation(graph, owners, candidates).run();
}

}  // namespace tessera::placement
