#include "conformance_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/command_line/shell_word.h"

namespace tessera::cli {

static std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string reproduction(const ConformanceCommand& command, const ConformanceFailure& failure) {
  if (failure.module.empty()) return {};
  std::string text = "tessera conformance --backend " + shellWord(command.backend);
  for (const std::string& plugin : command.plugins) text += " --plugin " + shellWord(plugin);
  if (command.seed != 1) text += " --seed " + std::to_string(command.seed);
  std::string module = failure.module;
  while (!module.empty() && module.back() == '\n') module.pop_back();
  return text + " --case " + shellWord(module);
}

static size_t numFailures(const ConformanceReport& report, const std::string& check) {
  return static_cast<size_t>(
      std::ranges::count(report.failures, check, &ConformanceFailure::check));
}

static std::string summaryOf(const ConformanceReport& report) {
  return std::to_string(report.numCases) + " cases ran, " + std::to_string(report.numDeclined) +
         " were declined, " + std::to_string(report.numNotEvaluated) + " could not be evaluated, " +
         std::to_string(report.numLayouts) + " regions ran on blocked values; " +
         std::to_string(report.failures.size()) +
         (report.failures.size() == 1 ? " failure" : " failures");
}

static void addFailures(const ConformanceCommand& command, const ConformanceReport& report,
                        std::string& text) {
  text += "\n## Failures\n\n";
  if (report.failures.empty()) text += "None.\n";
  for (const ConformanceFailure& failure : report.failures) {
    text += "- **" + failure.check + "**" +
            (failure.caseName.empty() ? "" : " in `" + failure.caseName + "`") + ": " +
            failure.what + "\n";
    if (const std::string again = reproduction(command, failure); !again.empty())
      text += "\n```\n" + again + "\n```\n\n";
  }
}

std::string toMarkdown(const ConformanceCommand& command, const ConformanceReport& report) {
  std::string text = "# Conformance of " + report.backend + " " + report.version + "\n\nTarget `" +
                     report.target + "`, seed " + std::to_string(report.seed) + ": " +
                     summaryOf(report) + ".\n\n| check | what | failures |\n|---|---|---|\n";
  for (const ConformanceCheck& check : conformanceChecks())
    text += "| " + check.name + " | " + check.what + " | " +
            std::to_string(numFailures(report, check.name)) + " |\n";
  addFailures(command, report, text);
  text +=
      "\n## Operators\n\n| operator | types | ran | declined | failed |\n|---|---|---|---|---|\n";
  for (const ConformanceOperator& op : report.operators) {
    if (op.numCases == 0) continue;
    text += "| " + op.name + " | " + listed(op.types) + " | " + std::to_string(op.numCases) +
            " | " + std::to_string(op.numDeclined) + " | " + std::to_string(op.numFailed) + " |\n";
  }
  if (!report.missedOperators.empty())
    text +=
        "\nListed by the backend and reached by no case: " + listed(report.missedOperators) + ".\n";
  if (!report.memorySpaces.empty())
    text += "\nSide by side on: " + listed(report.memorySpaces) + ".\n";
  if (!report.patterns.empty()) text += "\nPatterns reached: " + listed(report.patterns) + ".\n";
  if (!report.missedPatterns.empty())
    text += "\nPatterns reached by no case: " + listed(report.missedPatterns) + ".\n";
  return text;
}

std::string toJson(const ConformanceCommand& command, const ConformanceReport& report) {
  using nlohmann::json;
  json failures = json::array(), operators = json::array(), checks = json::object();
  for (const ConformanceFailure& failure : report.failures)
    failures.push_back({{"check", failure.check},
                        {"case", failure.caseName},
                        {"what", failure.what},
                        {"module", failure.module},
                        {"command", reproduction(command, failure)}});
  for (const ConformanceOperator& op : report.operators)
    operators.push_back({{"name", op.name},
                         {"types", op.types},
                         {"cases", op.numCases},
                         {"declined", op.numDeclined},
                         {"failed", op.numFailed}});
  for (const ConformanceCheck& check : conformanceChecks())
    checks[check.name] = numFailures(report, check.name);
  const json all = {{"backend", report.backend},
                    {"version", report.version},
                    {"target", report.target},
                    {"seed", report.seed},
                    {"cases", report.numCases},
                    {"declined", report.numDeclined},
                    {"not_evaluated", report.numNotEvaluated},
                    {"blocked_regions", report.numLayouts},
                    {"checks", checks},
                    {"operators", operators},
                    {"missed_operators", report.missedOperators},
                    {"memory_spaces", report.memorySpaces},
                    {"patterns", report.patterns},
                    {"missed_patterns", report.missedPatterns},
                    {"failures", failures}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string toText(const ConformanceCommand& command, const ConformanceReport& report) {
  std::string text;
  for (const ConformanceFailure& failure : report.failures) {
    text += failure.check + (failure.caseName.empty() ? "" : ", " + failure.caseName) + ": " +
            failure.what + "\n";
    if (const std::string again = reproduction(command, failure); !again.empty())
      text += again + "\n";
  }
  if (!report.missedOperators.empty() && command.only.empty())
    text += "no case reached: " + listed(report.missedOperators) + "\n";
  if (!report.missedPatterns.empty() && command.only.empty())
    text += "no case reached the patterns: " + listed(report.missedPatterns) + "\n";
  return text + report.target + ": " + summaryOf(report) + "\n";
}

}  // namespace tessera::cli
