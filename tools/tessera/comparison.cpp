#include "comparison.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tessera::cli {

using nlohmann::json;

bool OutputDifference::isOk() const { return difference.isWithin; }

bool NodeDifference::isOk() const { return difference.isWithinScaled; }

bool Comparison::isWithin() const {
  return std::ranges::all_of(outputs, &OutputDifference::isOk) &&
         std::ranges::all_of(nodes, &NodeDifference::isOk);
}

std::optional<size_t> Comparison::firstDifference() const {
  const auto it = std::ranges::find_if_not(nodes, &NodeDifference::isOk);
  if (it == nodes.end()) return std::nullopt;
  return static_cast<size_t>(it - nodes.begin());
}

static std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

/// Cut to `width` characters so that columns stay columns.
static std::string cut(const std::string& text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

static void printNodes(const Comparison& comparison) {
  const std::optional<size_t> first = comparison.firstDifference();
  std::printf("  %5s  %14s  %12s  %-24s  %s\n", "", "relative error", "max abs diff", "operators",
              "ONNX nodes");
  for (size_t i = 0; i < comparison.nodes.size(); ++i) {
    const NodeDifference& node = comparison.nodes[i];
    const TensorDifference& difference = node.difference;
    std::printf("%c %5zu  ", first == i ? '>' : ' ', i);
    if (difference.mismatch.empty())
      std::printf("%14.3g  %12.3g  ", difference.relativeError, difference.greatest);
    else
      std::printf("%28s  ", difference.mismatch.c_str());
    const std::string notFinite =
        difference.numNotFinite == 0
            ? ""
            : "  " + std::to_string(difference.numNotFinite) + " by a NaN or an infinity";
    std::printf("%-24s  %s%s%s\n", cut(joined(node.ops), 24).c_str(),
                joined(node.sourceNodes).c_str(), notFinite.c_str(),
                node.isOk() ? "" : "  differs");
  }
  if (comparison.numUnmatched > 0)
    std::printf("%zu values of %s have no counterpart: the targets fuse differently\n",
                comparison.numUnmatched, comparison.target.c_str());
  if (first) {
    const NodeDifference& node = comparison.nodes[*first];
    std::printf("first difference at %zu: %s (%s)\n", *first, joined(node.sourceNodes).c_str(),
                joined(node.ops).c_str());
  } else {
    std::printf("no node differs\n");
  }
}

void printComparison(const Comparison& comparison) {
  std::printf("%s against %s\n", comparison.target.c_str(), comparison.yardstick.c_str());
  if (comparison.hasNodes) printNodes(comparison);
  for (size_t i = 0; i < comparison.outputs.size(); ++i) {
    const OutputDifference& output = comparison.outputs[i];
    printDifference(i, output.name, output.type, output.shape, output.difference);
  }
}

static json toJson(const TensorDifference& difference, bool isOk) {
  json result = {{"within", isOk}};
  if (!difference.mismatch.empty()) {
    result["mismatch"] = difference.mismatch;
  } else {
    result["relative_error"] = difference.relativeError;
    result["max_abs_diff"] = difference.greatest;
    result["not_finite"] = difference.numNotFinite;
  }
  return result;
}

json toJson(const Comparison& comparison) {
  json outputs = json::array();
  for (const OutputDifference& output : comparison.outputs) {
    json entry = toJson(output.difference, output.isOk());
    entry["name"] = output.name;
    entry["type"] = elementTypeName(output.type);
    entry["shape"] = output.shape;
    outputs.push_back(std::move(entry));
  }
  json result = {{"target", comparison.target},
                 {"against", comparison.yardstick},
                 {"within", comparison.isWithin()},
                 {"outputs", std::move(outputs)}};
  if (!comparison.hasNodes) return result;
  json nodes = json::array();
  for (const NodeDifference& node : comparison.nodes) {
    json entry = toJson(node.difference, node.isOk());
    entry["ops"] = node.ops;
    entry["nodes"] = node.sourceNodes;
    nodes.push_back(std::move(entry));
  }
  const std::optional<size_t> first = comparison.firstDifference();
  result["nodes"] = std::move(nodes);
  result["first_difference"] = first ? json(*first) : json();
  result["unmatched"] = comparison.numUnmatched;
  return result;
}

}  // namespace tessera::cli
