// include/tessera/explain.h
#include "tessera/explain.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/report/explain/render.h"

namespace tessera {

using report::Explanation;

/// The operators of an ONNX node, or the one with that number.
static std::vector<size_t> nodesNamed(const Explanation& plan, const std::string& name) {
  std::vector<size_t> nodes;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    if (std::ranges::find(plan.nodes[i].sources, name) != plan.nodes[i].sources.end())
      nodes.push_back(i);
  }
  for (size_t i = 0; nodes.empty() && i < plan.nodes.size(); ++i) {
    const std::string& label = plan.nodes[i].label;
    if (label == name || label.substr(0, label.find(' ')) == name) nodes.push_back(i);
  }
  return nodes;
}

static Error noSuchNode(const Explanation& plan, const std::string& name) {
  constexpr size_t kShown = 8;
  std::vector<std::string> names;
  for (const report::Node& node : plan.nodes) {
    for (const std::string& source : node.sources) {
      if (std::ranges::find(names, source) == names.end()) names.push_back(source);
    }
  }
  std::string text = "no operator of the plan comes from a node '" + name + "'";
  if (names.empty()) return usageError(text + "; it names none");
  text += "; there are ";
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i)
    text += (i == 0 ? "'" : ", '") + names[i] + "'";
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return usageError(text);
}

static std::string dumped(const nlohmann::ordered_json& value) {
  return value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<std::string> explainPlan(const std::string& text, const ExplanationOptions& options) {
  TESSERA_TRY(const Explanation plan, report::readExplanation(text));
  using Format = ExplanationFormat;
  if (!options.node.empty()) {
    if (options.format != Format::kText && options.format != Format::kJson)
      return usageError("a page or a graph shows the whole plan, not a node");
    const std::vector<size_t> nodes = nodesNamed(plan, options.node);
    if (nodes.empty()) return noSuchNode(plan, options.node);
    return options.format == Format::kText ? report::nodesText(plan, nodes)
                                           : dumped(report::nodesJson(plan, nodes));
  }
  switch (options.format) {
    case Format::kJson:
      return dumped(report::planJson(plan));
    case Format::kDot:
      return report::planDot(plan);
    case Format::kHtml:
      return report::planHtml(plan, options.title);
    case Format::kText:
      break;
  }
  return report::planText(plan);
}

}  // namespace tessera
