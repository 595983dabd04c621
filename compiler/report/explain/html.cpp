// One page: its markup, style and script (page/), and what they show as JSON.
#include <cmath>
#include <nlohmann/json.hpp>

#include "compiler/report/explain/layered_layout.h"
#include "compiler/report/explain/page.h"
#include "compiler/report/explain/render.h"

namespace tessera::report {

using json = nlohmann::ordered_json;

/// Whole pixels: nobody sees more.
static json pointJson(const Point& point) {
  return json::array({std::lround(point.x), std::lround(point.y)});
}

static json layoutJson(const Explanation& plan) {
  std::vector<std::vector<size_t>> reads;
  for (const Node& node : plan.nodes) reads.push_back(node.reads);
  const LayoutOptions options;
  const Layout layout = layOut(reads, options);
  json text = {{"width", std::lround(layout.width)},
               {"height", std::lround(layout.height)},
               {"node_width", options.nodeWidth},
               {"nodes", json::array()},
               {"edges", json::array()}};
  for (const Point& point : layout.nodes) text["nodes"].push_back(pointJson(point));
  for (size_t node = 0; node < reads.size(); ++node) {
    for (size_t i = 0; i < reads[node].size(); ++i) {
      json points = json::array();
      for (const Point& point : layout.edges[node][i]) points.push_back(pointJson(point));
      text["edges"].push_back({{"from", reads[node][i]}, {"to", node}, {"points", points}});
    }
  }
  return text;
}

static void replace(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// Safe between the tags of a script: nothing in it ends them.
static std::string embedded(const json& data) {
  std::string text = data.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1))
    text.replace(at, 1, "\\u003c");
  return text;
}

static std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '{')
      result += "&#123;";  // No place for anything else.
    else
      result += c;
  }
  return result;
}

std::string planHtml(const Explanation& plan, const std::string& title) {
  json data = planJson(plan);
  data["title"] = title;
  data["layout"] = layoutJson(plan);
  // The data come last: whatever they say, nothing in them is replaced.
  std::string page = kPageMarkup;
  replace(page, "{{title}}", escaped(title));
  replace(page, "{{style}}", kPageStyle);
  replace(page, "{{script}}", kPageScript);
  replace(page, "{{data}}", embedded(data));
  return page;
}

}  // namespace tessera::report
