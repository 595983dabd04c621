// The order is drawn anew for each round, and times are compared within a round: what makes the
// machine slow for a while makes all of them slow.
#include "tools/tessera/placing/compare_placements.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "tools/tessera/comparison.h"
#include "tools/tessera/inputs.h"
#include "tools/tessera/model.h"
#include "tools/tessera/progress.h"
#include "tools/tessera/samples.h"

namespace tessera::cli {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

namespace {

struct Runner {
  std::string placement;
  Executable executable;
  Context context;
  std::vector<HostTensor> outputs = {};  ///< Borrowed from the context.
  std::vector<double> samples = {};      ///< Seconds, one for each round.
};

}  // namespace

static Result<std::vector<std::string>> splitPlacements(const std::string& text) {
  std::vector<std::string> names;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (const std::string& name : names) {
    const bool isFile = std::filesystem::path(name).extension() == ".json";
    if (!isFile && name != "greedy" && name != "measured")
      return usageError("placement '" + name +
                        "', expected greedy, measured or a plan's file, which ends in .json");
  }
  if (names.size() < 2)
    return usageError("--placement names " + std::to_string(names.size()) +
                      " placement, expected at least two");
  return names;
}

/// The model's inputs are drawn once, for the first placement.
static Result<Runner> makeRunner(const std::string& placement, const CompareCommand& command,
                                 CompileOptions options, std::vector<HostTensor>& inputs) {
  const bool isFile = placement != "greedy" && placement != "measured";
  options.placement = isFile ? "greedy" : placement;
  options.plan = isFile ? placement : "";
  const ProgressBar bar;
  options.progress = bar.callback();
  TESSERA_TRY(Module module, Module::load(command.model.model, options));
  if (inputs.empty()) {
    TESSERA_TRY(inputs, gatherInputs(module.inputs(), command.inputs, /*fillMissing=*/true));
  }
  if (module.phase() == Phase::kImport) TESSERA_TRY_VOID(module.bindInputs(inputs));
  TESSERA_TRY(Executable executable, executableOf(module));
  TESSERA_TRY(
      Context context,
      Context::create(executable, {.numThreads = static_cast<int32_t>(command.model.threads)}));
  Runner runner{
      .placement = placement, .executable = std::move(executable), .context = std::move(context)};
  TESSERA_TRY(runner.outputs, runOnce(runner.executable, runner.context, inputs));
  return runner;
}

static Result<double> secondsOfRun(Runner& runner) {
  const auto start = Clock::now();
  TESSERA_TRY_VOID(runner.context.run());
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static Status runInTurns(std::vector<Runner>& runners, double secondsForAll) {
  constexpr size_t kFewestRounds = 5;
  constexpr int kWarmups = 2;
  for (Runner& runner : runners) {
    for (int i = 0; i < kWarmups; ++i) TESSERA_TRY_VOID(runner.context.run());
  }
  std::vector<size_t> order(runners.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same order each time.
  double spent = 0;
  while (runners.front().samples.size() < kFewestRounds || spent < secondsForAll) {
    std::ranges::shuffle(order, random);
    for (const size_t i : order) {
      TESSERA_TRY(const double seconds, secondsOfRun(runners[i]));
      runners[i].samples.push_back(seconds);
      spent += seconds;
    }
  }
  return {};
}

static json quartilesOf(std::vector<double> samples, const char* median) {
  std::ranges::sort(samples);
  return {{median, quantile(samples, 0.5)},
          {"low", quantile(samples, 0.25)},
          {"high", quantile(samples, 0.75)}};
}

static json resultOf(const Runner& runner, const Runner& yardstick, bool isWithin) {
  std::vector<double> ratios;
  for (size_t i = 0; i < runner.samples.size(); ++i)
    ratios.push_back(runner.samples[i] / yardstick.samples[i]);
  return {{"placement", runner.placement},
          {"rounds", runner.samples.size()},
          {"seconds", quartilesOf(runner.samples, "median")},
          {"ratio", quartilesOf(ratios, "median")},
          {"within_tolerance", isWithin}};
}

static bool isWithin(const Runner& runner, const Runner& yardstick, const Tolerance& tolerance) {
  for (size_t i = 0; i < runner.outputs.size(); ++i) {
    const OutputDifference difference{
        .name = runner.outputs[i].name,
        .type = runner.outputs[i].type,
        .shape = runner.outputs[i].shape,
        .difference = compareTensors(runner.outputs[i], yardstick.outputs[i], tolerance)};
    if (!difference.isOk()) return false;
  }
  return true;
}

static void print(const json& results) {
  std::printf("%-28s %11s %23s  %-24s %s\n", "placement", "median", "quartiles",
              ("by " + results.back()["placement"].get<std::string>()).c_str(), "outputs");
  for (const json& each : results) {
    const json& seconds = each["seconds"];
    const json& ratio = each["ratio"];
    std::printf("%-28s %8.4f ms %9.4f to %8.4f ms  %.3f (%.3f to %.3f)   %s\n",
                each["placement"].get<std::string>().c_str(), 1e3 * seconds["median"].get<double>(),
                1e3 * seconds["low"].get<double>(), 1e3 * seconds["high"].get<double>(),
                ratio["median"].get<double>(), ratio["low"].get<double>(),
                ratio["high"].get<double>(),
                each["within_tolerance"].get<bool>() ? "within the tolerance" : "differ");
  }
}

Result<int> comparePlacements(const CompareCommand& command) {
  if (command.perNode)
    return usageError("--per-node compares targets; --placement compares placements as a whole");
  if (!command.model.plan.empty())
    return usageError("--plan names one plan; --placement takes its file among others");
  TESSERA_TRY(const std::vector<std::string> placements, splitPlacements(command.model.placement));
  TESSERA_TRY(const CompileOptions options, compileOptions(command.model));
  std::vector<HostTensor> inputs;
  std::vector<Runner> runners;
  for (const std::string& placement : placements) {
    TESSERA_TRY(Runner runner, makeRunner(placement, command, options, inputs));
    runners.push_back(std::move(runner));
  }
  const Tolerance tolerance{.relative = command.relativeTolerance,
                            .absolute = command.absoluteTolerance};
  json results = json::array();
  bool areWithin = true;
  std::vector<bool> within;
  for (const Runner& runner : runners)
    within.push_back(isWithin(runner, runners.back(), tolerance));
  TESSERA_TRY_VOID(
      runInTurns(runners, command.durationSeconds * static_cast<double>(runners.size())));
  for (size_t i = 0; i < runners.size(); ++i) {
    areWithin = areWithin && within[i];
    results.push_back(resultOf(runners[i], runners.back(), within[i]));
  }
  if (command.asJson)
    std::printf("%s\n", results.dump(2, ' ', false, json::error_handler_t::replace).c_str());
  else
    print(results);
  return areWithin ? 0 : static_cast<int>(ErrorCode::kResultsDiffer);
}

}  // namespace tessera::cli
