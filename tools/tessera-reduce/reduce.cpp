#include "tools/tessera-reduce/reduce.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "compiler/worker/process.h"
#include "tools/command_line/shell_word.h"
#include "tools/command_line/sizes.h"
#include "tools/tessera-reduce/cutter.h"
#include "tools/tessera-reduce/judge.h"

namespace tessera::reduce {

static Result<onnx::ImportOptions> importOptions(const ReduceOptions& options) {
  onnx::ImportOptions result;
  for (const std::string& text : options.shapes) {
    TESSERA_TRY(auto shape, cli::parseShape(text));
    result.shapes.push_back({.input = shape.first, .shape = std::move(shape.second)});
  }
  for (const std::string& text : options.dims) {
    TESSERA_TRY(const auto dim, cli::parseDim(text));
    result.dims.push_back({.symbol = dim.first, .size = dim.second});
  }
  return result;
}

static std::string plural(size_t count) {
  return std::to_string(count) + (count == 1 ? " operator" : " operators");
}

static bool isPlain(const std::string& word) {
  const auto isHarmless = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./,:=").find(static_cast<char>(c)) != std::string_view::npos;
  };
  return !word.empty() && std::ranges::all_of(word, isHarmless);
}

/// What the user types to see it fail.
static std::string inShell(std::vector<std::string> words) {
  words.front() = "tessera";
  std::string command;
  for (const std::string& word : words)
    command += (command.empty() ? "" : " ") + (isPlain(word) ? word : cli::shellWord(word));
  return command;
}

static Status checkOutput(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure && std::filesystem::is_empty(folder, failure) && !failure) return {};
  return usageError("--output " + folder + ", expected a folder that is new or empty");
}

Status reduceModel(const ReduceOptions& options) {
  TESSERA_TRY_VOID(checkOutput(options.output));
  TESSERA_TRY(const onnx::ImportOptions imported, importOptions(options));
  TESSERA_TRY(const auto cutter, Cutter::create(options.model, imported, options.seed));
  TESSERA_TRY(const std::string tool, worker::workerProgram());
  const Judge judge{.tool = tool, .options = options.run, .timeLimit = options.timeLimit};
  Status broken;  // What ends the search.
  const auto outcomeOf = [&](const Parts& parts) -> Result<std::string> {
    TESSERA_TRY_VOID(cutter->write(parts, options.output));
    return judge.judge(options.output);
  };
  const Parts all = cutter->all();
  TESSERA_TRY(const std::string outcome, outcomeOf(all));
  if (outcome.empty()) {
    Error error;
    error.message = "nothing to reduce: it runs and is as on the reference";
    error.file = options.model;
    return error;
  }
  std::fprintf(stderr, "%s: %s\n", plural(all.size()).c_str(), outcome.c_str());
  const Parts least = shrink(all, [&](const Parts& parts) {
    if (!broken) return false;
    const Result<std::string> now = outcomeOf(parts);
    // What ONNX has no form for, or another failure, is not it.
    if (!now) {
      if (now.error().code == ErrorCode::kUsage) broken = now.error();
      return false;
    }
    if (*now != outcome) return false;
    std::fprintf(stderr, "%s: still\n", plural(parts.size()).c_str());
    return true;
  });
  TESSERA_TRY_VOID(std::move(broken));
  TESSERA_TRY_VOID(cutter->write(least, options.output));
  std::printf("%s: %s: %s\n%s\n", plural(least.size()).c_str(), outcome.c_str(),
              cutter->describe(least).c_str(), inShell(runCommand(judge, options.output)).c_str());
  return {};
}

}  // namespace tessera::reduce
