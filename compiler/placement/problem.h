// What a search for the cheapest placement chooses from: operators, candidates that run some of
// them, values that go from one to another. Numbers only, no IR: solvers and their tests know
// nothing else.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tessera/status.h"

namespace tessera::placement::search {

/// What one thing costs: a candidate, or a conversion of a value. Whatever has the same class costs
/// the same: it differs in names only.
struct CostClass {
  double seconds = 0;      ///< What was measured, else a lower bound. Infinite: it cannot be had.
  bool isMeasured = true;  ///< False while `seconds` is no more than a lower bound.
};

using NodeId = uint32_t;   ///< An operator. Ids are a topological order.
using ValueId = uint32_t;  ///< Index into Problem::values.
using StateId = uint32_t;  ///< Of one value: the layout, memory space and so on that it is in.
using ClassId = uint32_t;  ///< Index into Problem::classes.

inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();
inline constexpr ClassId kFree = std::numeric_limits<ClassId>::max();  ///< Costs nothing.
inline constexpr ClassId kNever = kFree - 1;                           ///< Nobody can do it.
inline constexpr uint32_t kMaxStates = 64;                             ///< Of one value.

/// A value that an operator computes or that comes in from outside.
struct Value {
  NodeId producer = kNoNode;         ///< kNoNode: an input of the model, which is in state 0.
  std::vector<NodeId> readers = {};  ///< Sorted, each once.
  bool isResult = false;             ///< The model returns it, in state 0.
  uint32_t numStates = 1;
  /// What it costs to have the value in state `to` when it is made in state `from`, at index
  /// `from * numStates + to`; kFree on the diagonal. Paid once for each state that somebody needs.
  std::vector<ClassId> conversions = {kFree};

  ClassId conversion(StateId from, StateId to) const { return conversions[from * numStates + to]; }
};

/// A value at the border of a candidate, in the state in which the candidate reads or gives it.
struct Border {
  ValueId value = 0;
  StateId state = 0;
};

/// Operators that could run as one. No path of values leaves it and comes back.
struct Candidate {
  std::vector<NodeId> nodes = {};  ///< Sorted, each once, at least one.
  uint32_t owner = 0;              ///< Who would run it; for ties and people.
  ClassId cost = kFree;
  /// Values that come from outside: exactly those that its nodes read and do not compute.
  std::vector<Border> reads = {};
  /// Values that leave: exactly those of its nodes that a node outside reads or the model returns.
  std::vector<Border> gives = {};
};

struct Problem {
  uint32_t numNodes = 0;
  std::vector<Value> values = {};
  std::vector<Candidate> candidates = {};
  std::vector<CostClass> classes = {};

  double seconds(ClassId id) const {
    if (id == kFree) return 0;
    return id == kNever ? std::numeric_limits<double>::infinity() : classes[id].seconds;
  }
};

/// Values by the operators that have to do with them: `computes[node]`, `reads[node]`, ascending.
struct ValuesOfNodes {
  explicit ValuesOfNodes(const Problem& problem);

  std::vector<std::vector<ValueId>> computes;
  std::vector<std::vector<ValueId>> reads;
};

/// Whether it is as the comments above say. Errors (kInvalidInput): what is not, by its index.
/// Linear in the problem, and in each candidate in the operators between its first and its last.
Status validate(const Problem& problem);

}  // namespace tessera::placement::search
