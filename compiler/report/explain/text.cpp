#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <numeric>

#include "compiler/report/explain/render.h"

namespace tessera::report {

/// What printf would print.
[[gnu::format(printf, 1, 2)]] static std::string format(const char* pattern, ...) {
  va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  std::string text(static_cast<size_t>(std::vsnprintf(nullptr, 0, pattern, arguments)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(arguments);
  va_end(again);
  return text;
}

static std::string shortened(const std::string& text, size_t length) {
  return text.size() <= length ? text : text.substr(0, length - 3) + "...";
}

static std::string costText(const Cost& cost) {
  std::string text = timeText(cost.seconds);
  if (cost.low > 0 && cost.high > cost.low && cost.high < 1e9)
    text += " (" + timeText(cost.low) + " to " + timeText(cost.high) + ")";
  return text;
}

/// How much longer it took than the winner; nothing where that is not known.
static std::optional<double> ratioToWinner(const Explanation& plan, const Contestant& each) {
  if (each.winnersShare && *each.winnersShare > 0) return 1 / *each.winnersShare;
  const Contestant& winner = plan.winner();
  if (!winner.measured || winner.measured->seconds <= 0 || !each.measured) return std::nullopt;
  return each.measured->seconds / winner.measured->seconds;
}

/// "; 3 fast, 2 host"
static std::string tilesText(const Explanation& plan, const Contestant& each) {
  std::string text;
  for (const auto& [target, count] : each.numTiles)
    text += (text.empty() ? "; " : ", ") + std::to_string(count) + " " + shortName(plan, target);
  return text;
}

static std::string raceText(const Explanation& plan) {
  const Contestant& winner = plan.winner();
  std::string text = "winner: " + winner.name + "\n";
  for (const Contestant& each : plan.contestants) {
    if (!each.measured) {
      if (!each.failure.empty()) text += "  " + each.name + ": did not run: " + each.failure + "\n";
      continue;
    }
    text += format("  %-34s %-36s", each.name.c_str(), costText(*each.measured).c_str());
    if (const auto ratio = ratioToWinner(plan, each); ratio && &each != &winner)
      text += format(" %.3f x", *ratio);
    if (each.predicted) text += " predicted " + timeText(*each.predicted);
    text += tilesText(plan, each) + "\n";
  }
  if (const auto error = predictionError(plan))
    text += format("the sum of its parts is %.1f %% %s than its measured time\n",
                   100 * std::abs(*error), *error < 0 ? "less" : "more");
  if (plan.numCandidates > 0)
    text +=
        format("searched: %zu candidates of %zu classes (%.1f each); measured in %zu rounds: %zu\n",
               plan.numCandidates, plan.numClasses,
               static_cast<double>(plan.numCandidates) /
                   static_cast<double>(std::max<size_t>(plan.numClasses, 1)),
               plan.numRounds, plan.numMeasured);
  if (plan.lowerBound)
    text += "no plan of these has parts that sum to less than " + timeText(*plan.lowerBound) + "\n";
  for (const std::string& remark : plan.remarks) text += "while measuring: " + remark + "\n";
  return text;
}

static std::string nextBest(const Explanation& plan, const Part& part) {
  if (part.runnerUp.empty()) return "-";
  return (part.slack < 0 ? "" : "+") + timeText(part.slack) + " " + shortName(plan, part.runnerUp);
}

static std::string partsText(const Explanation& plan) {
  std::vector<size_t> order(plan.parts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto seconds = [&](size_t part) {
    return plan.parts[part].cost ? plan.parts[part].cost->seconds : -1;
  };
  std::ranges::stable_sort(order, std::greater(), seconds);
  double sum = 0;
  for (const Part& part : plan.parts) sum += part.cost ? part.cost->seconds : 0;
  std::string text = format("\n%7s %11s  %-10s %-14s %-34s %s\n", "share", "time", "target", "rule",
                            "operators", "next best");
  for (const size_t i : order) {
    const Part& part = plan.parts[i];
    const std::string share =
        part.cost && sum > 0 ? format("%.1f %%", 100 * part.cost->seconds / sum) : "-";
    text += format("%7s %11s  %-10s %-14s %-34s %s\n", share.c_str(),
                   part.cost ? timeText(part.cost->seconds).c_str() : "-",
                   shortName(plan, part.target).c_str(),
                   part.rule.empty() ? "-" : shortened(part.rule, 14).c_str(),
                   shortened(operatorsOf(plan, part.operators), 34).c_str(),
                   nextBest(plan, part).c_str());
  }
  const std::optional<double> predicted = plan.winner().predicted;
  const std::optional<double> parts = sumOfParts(plan);
  if (predicted && parts && *predicted - *parts > 1e-9)
    text += "conversions between parts: " + timeText(*predicted - *parts) + "\n";
  return text;
}

std::string planText(const Explanation& plan) {
  std::string text = raceText(plan);
  if (!plan.parts.empty()) text += partsText(plan);
  return text;
}

static std::string kindText(const std::string& kind) {
  if (kind == "takes") return "takes it";
  if (kind == "not_measured") return "not measured";
  if (kind == "timed_out") return "ran out of time";
  if (kind == "wrong") return "computes something else";
  return kind;
}

static std::string answerText(const Explanation& plan, const Node& node, const Answer& answer) {
  std::string text = "  " + shortName(plan, answer.target) + ": " + kindText(answer.kind);
  if (!answer.reason.empty()) text += ": " + answer.reason;
  if (answer.cost) {
    text += ": " + costText(*answer.cost);
    if (answer.operators.size() > 1)
      text += format(" for %zu operators: ", answer.operators.size()) +
              shortened(operatorsOf(plan, answer.operators), 48);
    if (answer.loss && *answer.loss > 0)
      text += "; the plan would take " + timeText(*answer.loss) + " more";
  }
  text += "\n";
  const std::string change = whatWouldChange(plan, node, answer);
  if (!change.empty()) text += "    to run here: " + change + "\n";
  return text;
}

std::string nodesText(const Explanation& plan, const std::vector<size_t>& nodes) {
  std::string text;
  for (const size_t i : nodes) {
    const Node& node = plan.nodes[i];
    text += node.label;
    if (node.part) {
      const Part& part = plan.parts[*node.part];
      text += ": run by " + shortName(plan, part.target);
      if (part.operators.size() > 1)
        text += format(" with %zu other%s: ", part.operators.size() - 1,
                       part.operators.size() > 2 ? "s" : "") +
                shortened(operatorsOf(plan, part.operators), 60);
      if (part.cost) text += ", " + costText(*part.cost);
      if (!part.runnerUp.empty())
        text += "; next " + shortName(plan, part.runnerUp) + ", " + (part.slack < 0 ? "" : "+") +
                timeText(part.slack);
    } else if (!plan.parts.empty()) {
      text += ": a view, which costs nothing";
    }
    text += "\n";
    for (const Answer& answer : node.answers) text += answerText(plan, node, answer);
    if (node.answers.empty()) text += "  the plan does not hold what targets said\n";
  }
  return text;
}

}  // namespace tessera::report
