#include "compiler/report/explain/explanation.h"

#include <algorithm>
#include <cstdio>

namespace tessera::report {

std::optional<double> sumOfParts(const Explanation& plan) {
  double sum = 0;
  for (const Part& part : plan.parts) {
    if (!part.cost) return std::nullopt;
    sum += part.cost->seconds;
  }
  return sum;
}

std::optional<double> predictionError(const Explanation& plan) {
  const Contestant& winner = plan.winner();
  std::optional<double> predicted = winner.predicted;
  if (!predicted) predicted = sumOfParts(plan);
  if (!predicted || !winner.measured || winner.measured->seconds <= 0) return std::nullopt;
  return *predicted / winner.measured->seconds - 1;
}

static std::string kindOf(const std::string& target) { return target.substr(0, target.find(' ')); }

std::string shortName(const Explanation& plan, const std::string& target) {
  const auto numAlike = std::ranges::count_if(
      plan.targets, [&](const std::string& each) { return kindOf(each) == kindOf(target); });
  return numAlike > 1 ? target : kindOf(target);
}

static std::string whereRun(const Explanation& plan, const Answer& answer) {
  return answer.operators.size() == 1 ? "this" : "'" + operatorsOf(plan, answer.operators) + "'";
}

/// Of one that was measured.
static std::string whatWouldWin(const Explanation& plan, const Answer& answer) {
  if (!answer.loss) return "the rest of the tiles that it breaks up would have to be measured";
  const double wanted = answer.cost->seconds - *answer.loss;
  const std::string what = whereRun(plan, answer) + " in ";
  if (*answer.loss <= 0)
    return "it is no slower by itself: conversions and calls around it, or the race, decided";
  if (wanted <= 0)
    return "even at no cost " + whereRun(plan, answer) + " there would be slower: what is around " +
           "it gets slower by more";
  return shortName(plan, answer.target) + " would have to run " + what + timeText(wanted) +
         " instead of " + timeText(answer.cost->seconds);
}

std::string whatWouldChange(const Explanation& plan, const Node& node, const Answer& answer) {
  if (node.part && plan.parts[*node.part].target == answer.target) return "";
  if (answer.kind == "takes")
    return answer.cost ? whatWouldWin(plan, answer) : "it would have to be preferred";
  if (answer.kind == "declined") return shortName(plan, answer.target) + " would have to take it";
  if (answer.kind == "not_measured") return "its lower bound would have to be less";
  if (answer.kind == "wrong")
    return shortName(plan, answer.target) + " would have to compute what the reference does";
  return shortName(plan, answer.target) + " would have to run it without failing";
}

std::string operatorsOf(const Explanation& plan, const std::vector<size_t>& operators) {
  std::string text;
  for (size_t i = 0; i < operators.size();) {
    const std::string& op = plan.nodes[operators[i]].op;
    size_t count = 1;
    while (i + count < operators.size() && plan.nodes[operators[i + count]].op == op) ++count;
    text += (text.empty() ? "" : " ") + op + (count > 1 ? " x" + std::to_string(count) : "");
    i += count;
  }
  return text;
}

}  // namespace tessera::report
