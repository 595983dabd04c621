#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.h"
#include "inputs.h"
#include "json_file.h"
#include "model.h"
#include "samples.h"
#include "trace.h"

namespace tessera::cli {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Milliseconds of each counted run, in ascending order. `onWarm` is called once before them.
static Result<std::vector<double>> measure(const BenchCommand& command,
                                           const std::function<Status()>& run,
                                           const std::function<Status()>& onWarm) {
  for (int i = 0; i < command.warmup; ++i) TESSERA_TRY_VOID(run());
  TESSERA_TRY_VOID(onWarm());
  std::vector<double> samples;
  const auto start = Clock::now();
  const auto goesOn = [&] {
    if (command.iterations > 0) return samples.size() < static_cast<size_t>(command.iterations);
    return samples.size() < 3 || millisecondsSince(start) < command.durationSeconds * 1e3;
  };
  while (goesOn()) {
    const auto begin = Clock::now();
    TESSERA_TRY_VOID(run());
    samples.push_back(millisecondsSince(begin));
  }
  std::ranges::sort(samples);
  return samples;
}

/// Time of each region with what it computed, slowest first.
static json profileOf(const Executable& executable, const Context& context) {
  json regions = json::array();
  for (const tessera_profile_entry& entry : context.profile()) {
    if (entry.count == 0) continue;
    const tessera_region_info& region = *executable.info().regions[entry.region];
    const double ms = static_cast<double>(entry.time_ns) / 1e6 / static_cast<double>(entry.count);
    json nodes = json::array();
    for (uint32_t i = 0; i < region.num_nodes; ++i) nodes.push_back(region.node_names[i]);
    regions.push_back({{"region", region.name},
                       {"backend", region.backend},
                       {"ops", region.op_kinds},
                       {"bytes", region.bytes},
                       {"nodes", nodes},
                       {"ms", ms},
                       {"gflops", static_cast<double>(region.flops) / 1e6 / ms},
                       {"gbytes_per_s", static_cast<double>(region.bytes) / 1e6 / ms}});
  }
  // NOLINTNEXTLINE(modernize-use-ranges): iterators of JSON are not those of ranges.
  std::stable_sort(regions.begin(), regions.end(),
                   [](const json& a, const json& b) { return a["ms"] > b["ms"]; });
  return regions;
}

static void printProfile(const json& regions, uint32_t threads) {
  double total = 0;
  for (const json& region : regions) total += region["ms"].get<double>();
  std::printf("\n%6s %9s %9s %8s %9s  %-10s %-28s %s\n", "share", "ms", "GFLOP/s", "GB/s", "KB",
              "backend", "operators", "ONNX nodes");
  for (const json& region : regions) {
    std::string nodes;
    for (const json& node : region["nodes"])
      nodes += (nodes.empty() ? "" : " ") + node.get<std::string>();
    constexpr size_t kShown = 60;
    if (nodes.size() > kShown) nodes = nodes.substr(0, kShown) + "...";
    std::string ops = region["ops"];
    if (ops.size() > 28) ops = ops.substr(0, 25) + "...";
    std::printf("%5.1f%% %9.4f %9.1f %8.1f %9.1f  %-10s %-28s %s\n",
                100 * region["ms"].get<double>() / total, region["ms"].get<double>(),
                region["gflops"].get<double>(), region["gbytes_per_s"].get<double>(),
                region["bytes"].get<double>() / 1e3, region["backend"].get<std::string>().c_str(),
                ops.c_str(), nodes.c_str());
  }
  std::printf("each region on %u threads; KB: read and written at least\n", threads);
}

/// The most memory that this process held; what getrusage tells includes the process that started
/// it.
static uint64_t peakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;
       status.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    uint64_t kilobytes = 0;
    if (key == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

/// The figures that every target has.
static json figuresOf(const std::vector<double>& samples, uint32_t threads, double loadSeconds) {
  return {{"median_ms", quantile(samples, 0.5)},
          {"min_ms", samples.front()},
          {"p90_ms", quantile(samples, 0.9)},
          {"iterations", samples.size()},
          {"threads", threads},
          {"peak_bytes", peakBytes()},
          {"load_ms", loadSeconds * 1e3}};
}

static void printFigures(const json& figures) {
  std::printf("median %.4f ms, min %.4f ms, p90 %.4f ms over %zu runs on %u threads\n",
              figures["median_ms"].get<double>(), figures["min_ms"].get<double>(),
              figures["p90_ms"].get<double>(), figures["iterations"].get<size_t>(),
              figures["threads"].get<uint32_t>());
}

/// Open dimensions are bound where inputs are given that decide them.
static Result<PreparedModel> prepare(const BenchCommand& command, bool isInterpreted) {
  const bool hasInputs = !command.inputs.dataFolder.empty() || !command.inputs.inputs.empty();
  return prepareModel(
      command.model, command.inputs,
      {.isInterpreted = isInterpreted, .bindsInputs = hasInputs, .fillMissing = true});
}

/// The interpreter on the simplified module, as `run` evaluates it.
static Result<json> benchInterpreter(const BenchCommand& command) {
  const std::string& target = command.model.targets;
  if (command.showProfile)
    return usageError("--profile times compiled regions, and target '" + target + "' has none");
  if (!command.trace.empty())
    return usageError("--trace shows compiled regions, and target '" + target + "' has none");
  if (command.model.threads != 0)
    return usageError("--threads is for compiled targets; '" + target + "' uses all cores");
  TESSERA_TRY(PreparedModel model, prepare(command, /*isInterpreted=*/true));
  const auto run = [&]() -> Status {
    TESSERA_TRY([[maybe_unused]] const auto outputs, model.module->interpret(model.inputs));
    return {};
  };
  TESSERA_TRY(const std::vector<double> samples, measure(command, run, [] { return Status(); }));
  json result = figuresOf(samples, std::thread::hardware_concurrency(), model.loadSeconds);
  result["target"] = target;
  printFigures(result);
  return result;
}

static Result<json> benchProgram(const BenchCommand& command) {
  TESSERA_TRY(const PreparedModel model, prepare(command, /*isInterpreted=*/false));
  const Executable& executable = *model.executable;
  const tessera_executable_info& info = executable.info();
  const uint32_t threads = command.model.threads;
  TESSERA_TRY(Context context,
              Context::create(executable, {.numThreads = static_cast<int32_t>(threads)}));
  TESSERA_TRY_VOID(bindInputs(context, model.inputs));
  TESSERA_TRY(const std::vector<double> samples,
              measure(
                  command, [&] { return context.run(); },
                  [&] { return context.setProfiling(command.showProfile); }));

  const uint32_t defaultThreads =
      info.default_threads != 0 ? info.default_threads : std::thread::hardware_concurrency();
  json result = figuresOf(samples, threads != 0 ? threads : defaultThreads, model.loadSeconds);
  result["arena_bytes"] = info.arena_bytes;
  result["lower_bound_bytes"] = info.lower_bound_bytes;
  result["weights_bytes"] = info.constant_bytes;
  result["context_bytes"] = context.memoryBytes();
  result["target"] = info.target;
  printFigures(result);
  if (command.showProfile) {
    result["profile"] = profileOf(executable, context);
    printProfile(result["profile"], result["threads"].get<uint32_t>());
  }
  if (!command.trace.empty()) {
    TESSERA_TRY_VOID(recordTrace(executable, context, command.trace));
  }
  return result;
}

/// Before minutes are spent on figures that have no place to go.
static Status checkWritable(const std::string& path, const ModelOptions& model) {
  TESSERA_TRY_VOID(mustNotReplaceInputs(path, model, "the figures"));
  const std::filesystem::path file(path);
  const bool exists = std::filesystem::exists(file);
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  const bool isWritable = !std::filesystem::is_directory(file) &&
                          ::access(exists ? path.c_str() : folder.c_str(), W_OK) == 0;
  if (isWritable) return {};
  return cannotWrite(path);
}

Result<int> runBench(const BenchCommand& command) {
  for (const std::string& path : {command.json, command.trace}) {
    if (!path.empty()) TESSERA_TRY_VOID(checkWritable(path, command.model));
  }
  const uint64_t before = peakBytes();
  TESSERA_TRY(json result, isInterpretedTarget(command.model.targets) ? benchInterpreter(command)
                                                                      : benchProgram(command));
  result["model"] = command.model.model;
  result["added_bytes"] = result["peak_bytes"].get<uint64_t>() - before;
  if (command.json.empty()) return 0;
  TESSERA_TRY_VOID(writeJson(command.json, result));
  return 0;
}

}  // namespace tessera::cli
