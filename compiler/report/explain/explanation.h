// A plan as people look at it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time_text.h"
#include "tessera/status.h"

namespace tessera::report {

/// Seconds, and an interval that holds them.
struct Cost {
  double seconds = 0, low = 0, high = 0;
};

/// A plan that was run as a whole.
struct Contestant {
  std::string name;
  std::optional<double> predicted = {};  ///< Seconds.
  std::optional<Cost> measured = {};
  std::string failure = {};  ///< Why it was not measured.
  /// How many parts each target has, where it was put together.
  std::map<std::string, size_t> numTiles = {};
  /// The winner's time by its own, the median over the turns that both ran in.
  std::optional<double> winnersShare = {};
};

/// What a target says about an operator.
struct Answer {
  std::string target;
  /// "takes", "declined", "not_measured", "failed", "crashed", "timed_out", "wrong".
  std::string kind;
  std::string reason = {};             ///< Of anything but "takes".
  std::vector<size_t> operators = {};  ///< "takes": what it would run as one, this one among it.
  std::string rule = {};
  std::optional<Cost> cost = {};
  std::optional<double> loss = {};  ///< Seconds that the search's plan would get longer by it.
};

/// Operators that one target runs as one.
struct Part {
  std::string target, rule = {};
  std::vector<size_t> operators = {};
  std::optional<Cost> cost = {};
  std::string runnerUp = {};  ///< Target; empty: no other was measured on just these.
  double slack = 0;           ///< Seconds that it takes longer.
};

struct Node {
  std::string label;                 ///< "3 conv 'conv1'"
  std::string op;                    ///< "conv"
  std::vector<std::string> sources;  ///< ONNX nodes.
  std::vector<size_t> reads;         ///< Nodes.
  std::optional<size_t> part = {};   ///< Nothing: the host program's, or not known.
  std::vector<Answer> answers = {};
};

struct Explanation {
  std::string plan;  ///< Name of the winner.
  std::string machine, solver;
  std::vector<std::string> targets;
  std::vector<Contestant> contestants;  ///< The winner is the first.
  std::vector<std::string> remarks;     ///< What was wrong with the machine, in sentences.
  std::vector<Part> parts;              ///< In the order of the model.
  std::vector<Node> nodes;
  size_t numCandidates = 0, numClasses = 0, numMeasured = 0, numRounds = 0;
  std::optional<double> lowerBound = {};  ///< Seconds, of all plans as sums.

  const Contestant& winner() const { return contestants.front(); }
};

/// Errors (kInvalidInput): it is no plan.
Result<Explanation> readExplanation(const std::string& plan);

/// Seconds of all parts; nothing where one has no cost.
std::optional<double> sumOfParts(const Explanation& plan);

/// How far the winner's prediction is off: -0.05 when it says 5 % less than was measured.
std::optional<double> predictionError(const Explanation& plan);

/// What would have to change for the operator to run there, one sentence; empty where it does.
std::string whatWouldChange(const Explanation& plan, const Node& node, const Answer& answer);

/// A target's kind, and its attributes where another target of the plan is of the same kind.
std::string shortName(const Explanation& plan, const std::string& target);

/// "conv relu maxpool", each run of equal ones once: "conv relu x3".
std::string operatorsOf(const Explanation& plan, const std::vector<size_t>& operators);

using base::timeText;

}  // namespace tessera::report
