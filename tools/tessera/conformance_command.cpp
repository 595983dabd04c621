// tessera conformance: a backend against the kit.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "conformance_report.h"
#include "model.h"
#include "progress.h"

namespace tessera::cli {

/// What runs unless --cases says more.
static constexpr size_t kQuickCases = 150, kCases = 1500;

static Status writeFile(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (out) return {};
  Error error = invalidInput("cannot write the file");
  error.file = path;
  return error;
}

/// --case is a text, a file, or a name.
static Status settleCase(const std::string& only, ConformanceOptions& options) {
  if (only.find('\n') != std::string::npos || only.find("func.func") != std::string::npos) {
    options.module = only;
    return {};
  }
  if (!only.ends_with(".mlir")) {
    options.caseName = only;
    return {};
  }
  TESSERA_TRY_VOID(checkModelFile(only));
  std::ifstream file(only);
  std::stringstream text;
  text << file.rdbuf();
  options.module = text.str();
  if (file && !options.module.empty()) return {};
  Error error = invalidInput("it holds no case, or cannot be read");
  error.file = only;
  return error;
}

Result<int> runConformance(const ConformanceCommand& command) {
  ConformanceOptions options;
  TESSERA_TRY_VOID(settleCase(command.only, options));
  TESSERA_TRY(options.session, Session::create({.plugins = command.plugins}));
  findHalvesBeside(command.plugins);
  options.target = command.backend;
  options.numCases = command.cases != 0 ? command.cases : command.isQuick ? kQuickCases : kCases;
  options.needsAll = command.cases == 0 && !command.isQuick;
  options.seed = command.seed;
  ConformanceReport report;
  {
    const ProgressBar bar;
    options.progress = bar.callback();
    TESSERA_TRY(report, checkConformance(options));
  }
  std::fputs(toText(command, report).c_str(), stdout);
  if (!command.report.empty())
    TESSERA_TRY_VOID(writeFile(command.report, toMarkdown(command, report)));
  if (!command.json.empty()) TESSERA_TRY_VOID(writeFile(command.json, toJson(command, report)));
  if (report.failures.empty()) return 0;
  const auto isAboutResults = [](const ConformanceFailure& failure) {
    return failure.check != "abi" && failure.check != "honesty";
  };
  return static_cast<int>(std::ranges::any_of(report.failures, isAboutResults)
                              ? ErrorCode::kResultsDiffer
                              : ErrorCode::kTargetFailed);
}

}  // namespace tessera::cli
