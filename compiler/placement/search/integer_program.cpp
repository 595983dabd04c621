// x_s for each candidate, exactly one of those of each node. For each value that may be given in
// one state p and needed in another one q: y_pq between 0 and 1, whether it is converted, at the
// conversion's cost, at most given_p, the sum of x of those that give it in p. Whoever needs it in
// q finds it given or converted: for each reader n, the sum of x of those candidates that n is in
// and that read it in q is at most given_q + sum over p of y_pq. With sums over nodes and states in
// place of pairs of candidates the relaxation is tight; where there is only one reader, what is
// converted from q is no longer there for it in q, and the rows are those of a flow, whose corners
// are whole.
#include "compiler/placement/search/integer_program.h"

#include <map>
#include <set>

#include "compiler/placement/search/usable.h"

namespace tessera::placement::search {
namespace {

/// Columns that sum to a share of 1, and a constant.
struct Share {
  std::vector<int32_t> columns = {};
  double constant = 0;

  bool isNothing() const { return columns.empty() && constant == 0; }
  auto operator<=>(const Share&) const = default;
};

/// By state: what somebody needs of a value. Equal needs are one.
using Need = std::map<StateId, Share>;

/// Who gives and needs one value.
struct Traffic {
  std::map<StateId, Share> given;
  std::map<NodeId, Need> readers;  ///< kNoNode: whoever calls the model.
};

/// Builds the rows of one value.
class ValueRows {
 public:
  ValueRows(const Problem& problem, const Value& value, Traffic traffic, double scale,
            Program& program);
  void add();

 private:
  void addConversions(const std::set<StateId>& needed);
  void addShared(const Need& need);
  void addFlow(const Need& need);
  static void append(Program::Row& row, const Share& share, double sign);
  void appendConversions(Program::Row& row, StateId state, bool isInto, double sign) const;

  const Problem& problem_;
  const Value& value_;
  Traffic traffic_;
  const double scale_;
  Program& program_;
  std::map<std::pair<StateId, StateId>, int32_t> conversions_;
};

}  // namespace

ValueRows::ValueRows(const Problem& problem, const Value& value, Traffic traffic, double scale,
                     Program& program)
    : problem_(problem),
      value_(value),
      traffic_(std::move(traffic)),
      scale_(scale),
      program_(program) {}

/// A row has its constants on the other side.
void ValueRows::append(Program::Row& row, const Share& share, double sign) {
  for (const int32_t column : share.columns)
    row.terms.push_back({.column = column, .factor = sign});
  row.most -= sign * share.constant;
}

void ValueRows::appendConversions(Program::Row& row, StateId state, bool isInto,
                                  double sign) const {
  for (const auto& [states, column] : conversions_)
    if ((isInto ? states.second : states.first) == state)
      row.terms.push_back({.column = column, .factor = sign});
}

void ValueRows::addConversions(const std::set<StateId>& needed) {
  for (const auto& [from, share] : traffic_.given)
    for (const StateId to : needed) {
      if (from == to) continue;
      const Ticks ticks = toTicks(problem_.seconds(value_.conversion(from, to)));
      if (ticks >= kNeverTicks) continue;
      const int32_t column = program_.addColumn(static_cast<double>(ticks) * scale_);
      conversions_[{from, to}] = column;
      Program::Row row{.terms = {{.column = column}}, .least = Program::kNoLimit};
      append(row, share, -1);
      program_.rows.push_back(std::move(row));
    }
}

/// need_q - given_q - into_q <= 0.
void ValueRows::addShared(const Need& need) {
  for (const auto& [state, share] : need) {
    Program::Row row{.least = Program::kNoLimit};
    append(row, share, 1);
    append(row, traffic_.given[state], -1);
    appendConversions(row, state, /*isInto=*/true, -1);
    program_.rows.push_back(std::move(row));
  }
}

/// need_q - given_q - into_q + from_q <= 0, and into_q - need_q <= 0.
void ValueRows::addFlow(const Need& need) {
  std::set<StateId> states;
  for (const auto& [state, share] : need) states.insert(state);
  for (const auto& [state, share] : traffic_.given) states.insert(state);
  for (const StateId state : states) {
    const auto found = need.find(state);
    const Share needed = found == need.end() ? Share{} : found->second;
    Program::Row leaves{.least = Program::kNoLimit}, comes{.least = Program::kNoLimit};
    append(leaves, needed, 1);
    append(leaves, traffic_.given[state], -1);
    appendConversions(leaves, state, /*isInto=*/true, -1);
    appendConversions(leaves, state, /*isInto=*/false, 1);
    appendConversions(comes, state, /*isInto=*/true, 1);
    append(comes, needed, -1);
    program_.rows.push_back(std::move(leaves));
    if (!comes.terms.empty()) program_.rows.push_back(std::move(comes));
  }
}

void ValueRows::add() {
  std::set<StateId> needed, states;
  std::set<Need> needs;
  for (const auto& [reader, need] : traffic_.readers) {
    for (const auto& [state, share] : need) needed.insert(state);
    needs.insert(need);
  }
  states = needed;
  for (const auto& [state, share] : traffic_.given) states.insert(state);
  if (states.size() < 2) return;
  addConversions(needed);
  if (needs.size() == 1) return addFlow(*needs.begin());
  for (const Need& need : needs) addShared(need);
}

/// By value, for those with several states.
static std::map<ValueId, Traffic> trafficOf(const Problem& problem,
                                            std::span<const CandidateId> candidates) {
  std::map<ValueId, Traffic> traffic;
  for (ValueId id = 0; id < problem.values.size(); ++id) {
    const Value& value = problem.values[id];
    if (value.numStates == 1) continue;
    if (value.producer == kNoNode) traffic[id].given[0].constant = 1;
    if (value.isResult) traffic[id].readers[kNoNode][0].constant = 1;
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto column = static_cast<int32_t>(i);
    const Candidate& candidate = problem.candidates[candidates[i]];
    for (const Border& border : candidate.gives)
      if (problem.values[border.value].numStates > 1)
        traffic[border.value].given[border.state].columns.push_back(column);
    for (const Border& border : candidate.reads) {
      const Value& value = problem.values[border.value];
      if (value.numStates == 1) continue;
      std::vector<NodeId> readers;
      std::ranges::set_intersection(value.readers, candidate.nodes, std::back_inserter(readers));
      for (const NodeId reader : readers)
        traffic[border.value].readers[reader][border.state].columns.push_back(column);
    }
  }
  return traffic;
}

Result<Program> programOf(const Problem& problem, std::span<const CandidateId> candidates,
                          double scale) {
  TESSERA_TRY_VOID(candidatesByNode(problem, candidates));
  Program program;
  std::vector<Program::Row> covers(problem.numNodes, {.least = 1, .most = 1});
  for (const CandidateId id : candidates) {
    const Candidate& candidate = problem.candidates[id];
    const double cost = static_cast<double>(toTicks(problem.seconds(candidate.cost))) * scale;
    const int32_t column = program.addColumn(cost);
    for (const NodeId node : candidate.nodes) covers[node].terms.push_back({.column = column});
  }
  program.numWhole = program.costs.size();
  program.rows = std::move(covers);
  for (auto& [id, traffic] : trafficOf(problem, candidates))
    ValueRows(problem, problem.values[id], std::move(traffic), scale, program).add();
  return program;
}

}  // namespace tessera::placement::search
