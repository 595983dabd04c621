#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.h"
#include "inputs.h"
#include "model.h"

namespace tessera::cli {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Milliseconds of each counted run.
static Result<std::vector<double>> measure(Context& context, const BenchCommand& command) {
  for (int i = 0; i < command.warmup; ++i) TESSERA_TRY_VOID(context.run());
  TESSERA_TRY_VOID(context.setProfiling(command.showProfile));
  std::vector<double> samples;
  const auto start = Clock::now();
  const auto goesOn = [&] {
    if (command.iterations > 0) return samples.size() < static_cast<size_t>(command.iterations);
    return samples.size() < 3 || millisecondsSince(start) < command.durationSeconds * 1e3;
  };
  while (goesOn()) {
    const auto begin = Clock::now();
    TESSERA_TRY_VOID(context.run());
    samples.push_back(millisecondsSince(begin));
  }
  return samples;
}

static double quantile(const std::vector<double>& sorted, double q) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<size_t>(q * static_cast<double>(sorted.size())))];
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
                       {"nodes", nodes},
                       {"ms", ms},
                       {"gflops", static_cast<double>(region.flops) / 1e6 / ms},
                       {"gbytes_per_s", static_cast<double>(region.bytes) / 1e6 / ms}});
  }
  std::stable_sort(regions.begin(), regions.end(),
                   [](const json& a, const json& b) { return a["ms"] > b["ms"]; });
  return regions;
}

static void printProfile(const json& regions) {
  double total = 0;
  for (const json& region : regions) total += region["ms"].get<double>();
  std::printf("\n%6s %9s %9s %8s  %-28s %s\n", "share", "ms", "GFLOP/s", "GB/s", "operators",
              "ONNX nodes");
  for (const json& region : regions) {
    std::string nodes;
    for (const json& node : region["nodes"])
      nodes += (nodes.empty() ? "" : " ") + node.get<std::string>();
    constexpr size_t kShown = 60;
    if (nodes.size() > kShown) nodes = nodes.substr(0, kShown) + "...";
    std::string ops = region["ops"];
    if (ops.size() > 28) ops = ops.substr(0, 25) + "...";
    std::printf("%5.1f%% %9.4f %9.1f %8.1f  %-28s %s\n", 100 * region["ms"].get<double>() / total,
                region["ms"].get<double>(), region["gflops"].get<double>(),
                region["gbytes_per_s"].get<double>(), ops.c_str(), nodes.c_str());
  }
}

/// Inputs given on the command line decide open dimensions of an .onnx.
static Result<ModelOptions> bindShapes(const BenchCommand& command) {
  ModelOptions options = command.model;
  const bool hasInputs = !command.inputs.dataFolder.empty() || !command.inputs.inputs.empty();
  if (!options.model.ends_with(".onnx") || !hasInputs) return options;
  TESSERA_TRY(const CompileOptions compile, compileOptions(options));
  TESSERA_TRY(const Module module, Module::load(options.model, compile));
  TESSERA_TRY(const auto inputs,
              gatherInputs(module.inputs(), command.inputs, /*fillMissing=*/true));
  TESSERA_TRY(options.shapes, shapesFromInputs(options, inputs));
  return options;
}

Result<int> runBench(const BenchCommand& command) {
  TESSERA_TRY(const ModelOptions options, bindShapes(command));
  TESSERA_TRY(const Program program, loadProgram(options));
  const Executable& executable = *program.executable;
  const tessera_executable_info& info = executable.info();
  TESSERA_TRY(const auto inputs,
              gatherInputs(inputPorts(info), command.inputs, /*fillMissing=*/true));
  TESSERA_TRY(Context context,
              Context::create(executable, {.numThreads = static_cast<int32_t>(options.threads)}));
  TESSERA_TRY_VOID(bindInputs(context, inputs));
  TESSERA_TRY(std::vector<double> samples, measure(context, command));
  std::ranges::sort(samples);

  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const uint32_t defaultThreads =
      info.default_threads != 0 ? info.default_threads : std::thread::hardware_concurrency();
  json result = {{"median_ms", quantile(samples, 0.5)},
                 {"min_ms", samples.front()},
                 {"p90_ms", quantile(samples, 0.9)},
                 {"iterations", samples.size()},
                 {"threads", options.threads != 0 ? options.threads : defaultThreads},
                 {"peak_bytes", static_cast<uint64_t>(usage.ru_maxrss) * 1024},
                 {"arena_bytes", info.arena_bytes},
                 {"lower_bound_bytes", info.lower_bound_bytes},
                 {"weights_bytes", info.constant_bytes},
                 {"context_bytes", context.memoryBytes()},
                 {"load_ms", program.loadSeconds * 1e3},
                 {"model", options.model},
                 {"target", info.target}};
  std::printf("median %.4f ms, min %.4f ms, p90 %.4f ms over %zu runs on %u threads\n",
              result["median_ms"].get<double>(), samples.front(), result["p90_ms"].get<double>(),
              samples.size(), result["threads"].get<uint32_t>());
  if (command.showProfile) {
    result["profile"] = profileOf(executable, context);
    printProfile(result["profile"]);
  }
  if (command.json.empty()) return 0;
  std::ofstream out(command.json);
  out << result.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  if (!out.good()) return usageError("cannot write '" + command.json + "'");
  return 0;
}

}  // namespace tessera::cli
