// The parts of a plan and what flows between them, for Graphviz.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/report/explain/render.h"

namespace tessera::report {

static std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// As on the page (page.css), light; what no target runs is grey.
static std::string colourOf(const Explanation& plan, const std::string& target) {
  static constexpr std::array<const char*, 8> kColours = {
      "#9fcae6", "#f0b48a", "#94d6c2", "#e8c1d7", "#f2d08f", "#c4b5e6", "#c9d98f", "#f2b0b0"};
  const auto it = std::ranges::find(plan.targets, target);
  if (it == plan.targets.end()) return "#dddddd";
  return kColours[static_cast<size_t>(it - plan.targets.begin()) % kColours.size()];
}

namespace {

/// A part, or an operator that is in none.
class Boxes {
 public:
  explicit Boxes(const Explanation& plan) : plan_(plan) {}

  std::string of(size_t node) const {
    const auto part = plan_.nodes[node].part;
    return part ? "p" + std::to_string(*part) : "n" + std::to_string(node);
  }

 private:
  const Explanation& plan_;
};

}  // namespace

static std::string labelOf(const Explanation& plan, const Part& part) {
  std::string label = shortName(plan, part.target);
  if (part.cost) label += "  " + timeText(part.cost->seconds);
  constexpr size_t kShown = 60;
  const std::string operators = operatorsOf(plan, part.operators);
  return label + "\n" +
         (operators.size() > kShown ? operators.substr(0, kShown) + "..." : operators);
}

std::string planDot(const Explanation& plan) {
  const Boxes boxes(plan);
  std::string text =
      "digraph plan {\n  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\"];\n";
  for (size_t i = 0; i < plan.parts.size(); ++i)
    text += "  p" + std::to_string(i) + " [label=" + quoted(labelOf(plan, plan.parts[i])) +
            ", fillcolor=\"" + colourOf(plan, plan.parts[i].target) + "\"];\n";
  std::set<std::pair<std::string, std::string>> edges;
  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    if (!plan.nodes[node].part)
      text += "  " + boxes.of(node) + " [label=" + quoted(plan.nodes[node].op) + ", fillcolor=\"" +
              colourOf(plan, "") + "\"];\n";
    for (const size_t from : plan.nodes[node].reads) {
      const std::pair edge(boxes.of(from), boxes.of(node));
      if (edge.first != edge.second && edges.insert(edge).second)
        text += "  " + edge.first + " -> " + edge.second + ";\n";
    }
  }
  return text + "}\n";
}

}  // namespace tessera::report
