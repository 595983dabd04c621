// tessera: the command line. Everything that throws (CLI11) is in this file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "commands.h"
#include "model.h"

namespace tessera::cli {
namespace {

constexpr int kMaxRuns = 1'000'000'000;
constexpr double kMaxSeconds = 86400;

std::string checkNotEmpty(const std::string& text) {
  return text.empty() ? "found an empty text" : "";
}

/// CLI11 wraps what is below 0 or too large.
std::string checkWholeNumber(const std::string& text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const bool isOne = std::from_chars(text.data(), end, number) ==
                     std::from_chars_result{.ptr = end, .ec = std::errc()};
  return isOne ? "" : "found '" + text + "', expected a number from 0 to 2^64 - 1";
}

void addPlugins(CLI::App& app, std::vector<std::string>& plugins) {
  app.add_option("--plugin", plugins,
                 "library with a backend; its runtime half is beside it, "
                 "libtessera_backend_KIND.so")
      ->allow_extra_args(false);
}

void addModel(CLI::App& app, ModelOptions& options, const char* what) {
  app.add_option("model", options.model, what)->required();
}

void addPlacement(CLI::App& app, ModelOptions& options) {
  app.add_option(
         "--placement", options.placement,
         "how owners are chosen: greedy, the first target that takes an operator; measured, "
         "the fastest plan that is found by measuring on this machine, over all backends "
         "unless --targets says which")
      ->capture_default_str();
  CLI::Option* plan = app.add_option(
      "--plan", options.plan, "file that --save-plan wrote: who runs what, without measuring");
  app.add_flag("--plan-partial", options.isPlanPartial,
               "the plan may be for a model that was another: what fits of it counts")
      ->needs(plan);
  app.add_option("--costs", options.costs,
                 "cost store of measured placement; the user's own when left out; mock:FILE: "
                 "what things cost, instead of measuring");
  constexpr double kMostSeconds = 1e6;
  const CLI::AsNumberWithUnit seconds(std::map<std::string, double>{{"s", 1}, {"min", 60}});
  app.add_option("--budget", options.budget,
                 "time that --placement measured may take, e.g. 60s or 5min: seconds unless said "
                 "otherwise; 0: as long as it needs")
      ->transform(seconds)
      ->check(CLI::Range(0.0, kMostSeconds));
  app.add_option("--patience", options.patience,
                 "time of it that is waited while others disturb the machine")
      ->transform(seconds)
      ->check(CLI::Range(0.0, kMostSeconds))
      ->capture_default_str();
  app.add_option("--objective", options.objective,
                 "what --placement measured looks for: latency, or memory, the plan that takes the "
                 "least beside its weights of those that are not much slower than the fastest")
      ->check(CLI::IsMember({"latency", "memory"}))
      ->capture_default_str();
  app.add_option("--latency-bound", options.latencyBound,
                 "how much slower than the fastest plan that may be, as a factor")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str();
  CLI::Option* cold = app.add_flag("--cold", options.isCold,
                                   "--placement measured: parts are timed with weights that are in "
                                   "no cache; else as in the whole model");
  app.add_flag("--warm", options.isWarm, "the same with weights that are in the caches")
      ->excludes(cold);
}

void addCompilation(CLI::App& app, ModelOptions& options) {
  app.add_option(
      "--targets", options.targets,
      "targets, most preferred first, separated by commas: \"NAME -attribute=value\", see "
      "`tessera backends`; or reference, which evaluates the model");
  addPlugins(app, options.plugins);
  app.add_flag("--with-fallback", options.hasFallback,
               "the host target can run what others have, too: where their code fails on some "
               "machine, its answer comes later instead");
  app.add_flag("--isolate", options.isIsolated,
               "compile in processes of their own: a target that crashes is one that refuses, as "
               "plugins always are");
  addPlacement(app, options);
  app.add_option("--shape", options.shapes,
                 "shape of an input: name=1x3x224x224, ? for an open size")
      ->allow_extra_args(false);
  app.add_option("--dim", options.dims, "size of a named dimension: batch=4")
      ->allow_extra_args(false);
  app.add_option("--threads", options.threads, "number of threads; 0: all cores")
      ->check(CLI::Range(0, static_cast<int>(TESSERA_MAX_THREADS)));
  app.add_option("--pins", options.pins,
                 "JSON file of rules about who runs what: node, op, dtype, rank, dims -> must, "
                 "prefer or forbid a target");
  app.add_option("--load-pass-plugin", options.passPlugins, "library with passes to load")
      ->allow_extra_args(false);
  app.add_option("--add-pass", options.addedPasses,
                 "PHASE:NAME, a pass (or textual pipeline) to run behind those of a phase")
      ->allow_extra_args(false);
  app.add_option("--disable-pass", options.disabledPasses, "name of a pass not to run")
      ->allow_extra_args(false);
  app.add_option("--print-after", options.printAfter,
                 "phase or pass after which the module is printed to stderr")
      ->allow_extra_args(false);
}

void addInputs(CLI::App& app, InputOptions& options) {
  app.add_option("--input", options.inputs, "name=FILE.npy|FILE.npz|FILE.pb|random[:seed]|zeros")
      ->allow_extra_args(false);
  app.add_option("--data", options.dataFolder,
                 "folder with input_<i>.pb and, for comparison, output_<i>.pb");
}

void addTolerance(CLI::App& app, double& relative, double& absolute) {
  const auto tolerance = [](const std::string& text) {
    const double value = std::strtod(text.c_str(), nullptr);
    return value >= 0 && std::isfinite(value) ? "" : "found " + text + ", expected a number from 0";
  };
  app.add_option("--rtol", relative, "relative tolerance of each element")
      ->capture_default_str()
      ->check(tolerance);
  app.add_option("--atol", absolute, "absolute tolerance of each element")
      ->capture_default_str()
      ->check(tolerance);
}

int finish(const Result<int>& result) {
  if (result) return *result;
  std::fflush(stdout);
  std::fprintf(stderr, "error: %s\n", result.error().toString().c_str());
  return static_cast<int>(result.error().code);
}

/// All commands, their flags and the call that runs the one chosen.
struct CommandLine {
  CLI::App app{
      "Tessera compiles ONNX models onto a mosaic of code generators and kernel libraries.",
      "tessera"};
  CompileCommand compile;
  PartitionCommand partition;
  RunCommand run;
  BenchCommand bench;
  InspectCommand inspect;
  BackendsCommand backends;
  CompareCommand compare;
  ExplainCommand explain;
  TuneCommand tune;
  ConformanceCommand conformance;
  CostsCommand costs;
  std::function<Result<int>()> chosen;

  CommandLine() {
    app.require_subcommand(1);
    app.set_version_flag("--version", "tessera " + version());
    addCompile(
        *app.add_subcommand("compile", "compile a model to an artifact, or stop at a phase"));
    addPartition(
        *app.add_subcommand("partition", "give every operator an owner, and say who and why"));
    addRun(*app.add_subcommand(
        "run", "run a model or an artifact once, and compare with expected outputs"));
    addBench(*app.add_subcommand("bench", "measure the latency of a model or an artifact"));
    addInspect(*app.add_subcommand("inspect", "say what is in an artifact or a model"));
    addBackends(*app.add_subcommand("backends", "list the targets of this compiler"));
    addCompare(*app.add_subcommand(
        "compare", "compare the outputs of several targets with those of the last"));
    addExplain(*app.add_subcommand(
        "explain", "say why every operator runs where it does, and what would have to change"));
    addTune(*app.add_subcommand(
        "tune",
        "measure what --placement measured needs, and learn how regions are compiled best, without "
        "producing an artifact"));
    addConformance(*app.add_subcommand(
        "conformance", "check that a backend computes what it claims, on many small cases"));
    addCosts(*app.add_subcommand("costs", "what was measured: look at it, move it, throw it away"));
    app.add_subcommand("worker", "what other commands start to run a plugin or a target in")
        ->callback([this] { chosen = [] { return Result<int>(serveWorker()); }; });
    refuseEmptyTexts(app);
  }

  /// What is empty was meant to be something: a variable of a script that is not set.
  static void refuseEmptyTexts(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) option->check(checkNotEmpty);
    for (CLI::App* sub : command.get_subcommands({})) refuseEmptyTexts(*sub);
  }

  std::string commandNames() const {
    std::string names;
    for (const CLI::App* sub : app.get_subcommands({}))
      names += (names.empty() ? "" : ", ") + sub->get_name();
    return names;
  }
  bool isCommandOrFlag(const std::string& word) const {
    const auto isNamed = [&](const CLI::App* sub) { return sub->get_name() == word; };
    return word.empty() || word.starts_with("-") ||
           std::ranges::any_of(app.get_subcommands({}), isNamed);
  }

  /// The command runs once all is parsed and its model is a file.
  template <typename Command>
  void choose(CLI::App& sub, Result<int> (*run)(const Command&), const Command& command) {
    sub.callback([this, run, &command] {
      chosen = [run, &command]() -> Result<int> {
        if constexpr (requires { command.model; })
          TESSERA_TRY_VOID(checkModelFile(command.model.model));
        return run(command);
      };
    });
  }

  void addCompile(CLI::App& sub) {
    addModel(sub, compile.model, "model.onnx, or a module saved at any phase");
    addCompilation(sub, compile.model);
    sub.add_option("-o,--output", compile.output,
                   "file to write; the model's name in the present folder when left out");
    sub.add_option("--emit", compile.emit, "what to write")
        ->check(CLI::IsMember({"artifact", "mlir", "mlirbc", "onnx"}))
        ->capture_default_str();
    sub.add_option("--stop-after", compile.stopAfter,
                   "last phase to run, with --emit mlir or mlirbc; PHASE:TARGET stops behind what "
                   "that target's passes do in it; up to post_partition, and partition when left "
                   "out, with onnx");
    sub.add_option("--opset", compile.opset, "opset of the model that --emit onnx writes")
        ->check(CLI::Range(13, 23))
        ->capture_default_str();
    sub.add_flag(
        "--strict", compile.isStrict,
        "fail when a target refuses a region that it took, instead of giving it to others");
    sub.add_flag("--verify", compile.isVerified,
                 "run every region of other targets than the host target on random inputs and give "
                 "those that differ from the reference to others");
    sub.add_option("--save-plan", compile.savePlan,
                   "file for the plan that --placement measured found, JSON");
    sub.add_flag("--timing", compile.showTiming, "print the time of each pass");
    choose(sub, runCompile, compile);
  }
  void addPartition(CLI::App& sub) {
    addModel(sub, partition.model, "model.onnx, or a module saved before phase partition");
    addCompilation(sub, partition.model);
    sub.add_option("-o,--output", partition.output,
                   "where to save the placed module: .mlir or .mlirbc; compiled with no flags it "
                   "gives what the model gives");
    sub.add_flag("--strict", partition.isStrict,
                 "fail when a target refuses a region that it took");
    sub.add_flag(
        "--report", partition.showReport,
        "a line for each ONNX node: its owner, who else would take it, who refused and why");
    sub.add_flag("--json", partition.asJson, "print the report as JSON");
    choose(sub, runPartition, partition);
  }
  void addRun(CLI::App& sub) {
    addModel(sub, run.model, "model.onnx, a saved module, or an artifact");
    addCompilation(sub, run.model);
    addInputs(sub, run.inputs);
    addTolerance(sub, run.relativeTolerance, run.absoluteTolerance);
    sub.add_option("--expect", run.expectSuffix, "compare with output_<i>.SUFFIX.pb");
    sub.add_option("--output", run.output,
                   "write the outputs to out.npz, or to a folder as output_<i>.pb");
    sub.add_option("--executor", run.executor,
                   "who runs it; the interpreter runs regions of other targets than the host "
                   "target as they do")
        ->check(CLI::IsMember({"artifact", "interpreter"}))
        ->capture_default_str();
    sub.add_flag("--dynamic", run.isDynamic,
                 "leave open dimensions open instead of binding them to the inputs");
    choose(sub, runRun, run);
  }
  void addBench(CLI::App& sub) {
    addModel(sub, bench.model, "model.onnx, a saved module, or an artifact");
    addCompilation(sub, bench.model);
    addInputs(sub, bench.inputs);
    sub.add_option("--warmup", bench.warmup, "runs that do not count")
        ->check(CLI::Range(0, kMaxRuns))
        ->capture_default_str();
    sub.add_option("--iterations", bench.iterations, "runs that count; 0: by duration")
        ->check(CLI::Range(0, kMaxRuns));
    sub.add_option("--duration", bench.durationSeconds, "seconds to measure")
        ->check(CLI::Range(0.0, kMaxSeconds))
        ->capture_default_str();
    sub.add_flag("--profile", bench.showProfile, "time, GFLOP/s and GB/s of each region");
    sub.add_option("--trace", bench.trace,
                   "file for a timeline of five more runs, in the format that Perfetto and "
                   "chrome://tracing open");
    sub.add_option(
        "--json", bench.json,
        "file for the figures; peak_bytes is the most memory that this process ever held, "
        "added_bytes what the model raised that by, arena_bytes the memory plan's part of it");
    choose(sub, runBench, bench);
  }
  void addInspect(CLI::App& sub) {
    addModel(sub, inspect.model, "an artifact, model.onnx or a saved module");
    addPlugins(sub, inspect.model.plugins);
    sub.add_flag("--verify", inspect.verify, "read the whole artifact and check every checksum");
    sub.add_flag("--regions", inspect.showRegions, "list the regions");
    sub.add_flag("--json", inspect.asJson, "print JSON");
    choose(sub, runInspect, inspect);
  }
  void addBackends(CLI::App& sub) {
    addPlugins(sub, backends.plugins);
    sub.add_flag("--ops", backends.showOperators, "list the operators each takes");
    sub.add_flag("--onnx-ops", backends.showOnnxOperators,
                 "list the ONNX operators that models may use instead");
    sub.add_flag("--json", backends.asJson, "print JSON");
    choose(sub, runBackends, backends);
  }
  void addCompare(CLI::App& sub) {
    addModel(sub, compare.model, "model.onnx or a saved module");
    compare.model.placement.clear();
    addCompilation(sub, compare.model);
    sub.get_option("--placement")
        ->description(
            "placements to run side by side instead of targets, two or more, separated by commas: "
            "greedy, measured, or a plan's file; the last one is the yardstick");
    sub.add_option("--duration", compare.durationSeconds,
                   "seconds for which each placement runs, in turns")
        ->check(CLI::Range(0.0, kMaxSeconds))
        ->capture_default_str();
    addInputs(sub, compare.inputs);
    addTolerance(sub, compare.relativeTolerance, compare.absoluteTolerance);
    sub.add_flag("--per-node", compare.perNode,
                 "a line for each fused group of ONNX nodes, the first that differs marked with >; "
                 "there --rtol is relative to the greatest value of the tensor");
    sub.add_flag("--json", compare.asJson, "print JSON");
    choose(sub, runCompare, compare);
  }
  void addExplain(CLI::App& sub) {
    addModel(sub, explain.model,
             "model.onnx or a saved module, or plan.json, which --save-plan wrote");
    addCompilation(sub, explain.model);
    sub.add_option(
        "--node", explain.node,
        "an ONNX node, or an operator's number in the plan: what every target says of it");
    sub.add_option("--html", explain.html,
                   "file for a page that needs nothing else: graph, table, timeline, reasons");
    sub.add_option("--dot", explain.dot, "file for the graph of the plan's parts, for Graphviz");
    sub.add_flag("--json", explain.asJson, "print JSON");
    choose(sub, runExplain, explain);
  }
  void addTune(CLI::App& sub) {
    addModel(sub, tune.model, "model.onnx, or a module saved before phase partition");
    tune.model.placement = "measured";
    addCompilation(sub, tune.model);
    addInputs(sub, tune.inputs);
    sub.add_option("--save-plan", tune.savePlan, "file for the plan that was found, JSON");
    sub.add_option(
        "--random-plans", tune.numRandomPlans,
        "number of plans drawn at random that run beside the best, to judge predictions by");
    choose(sub, runTune, tune);
  }
  void addConformance(CLI::App& sub) {
    sub.add_option("--backend", conformance.backend, "target to check, with its attributes")
        ->required();
    addPlugins(sub, conformance.plugins);
    sub.add_flag("--quick", conformance.isQuick, "a few cases of each operator");
    sub.add_option("--cases", conformance.cases, "number of cases; 150 with --quick, else 1500")
        ->check(CLI::Range(1, 1'000'000));
    sub.add_option("--seed", conformance.seed, "of cases and their inputs")
        ->check(checkWholeNumber)
        ->capture_default_str();
    sub.add_option("--case", conformance.only,
                   "one case alone: its name, a file with a function, or the function's text");
    sub.add_option("--report", conformance.report, "file for the report, Markdown");
    sub.add_option("--json", conformance.json, "file for the report, JSON");
    choose(sub, runConformance, conformance);
  }
  void addCosts(CLI::App& sub) {
    sub.require_subcommand(1);
    const auto add = [&](const char* name, const char* what,
                         Result<int> (*run)(const CostsCommand&)) -> CLI::App& {
      CLI::App& action = *sub.add_subcommand(name, what);
      action.add_option("--costs", costs.store,
                        "the store, a file; ~/.cache/tessera/costs.db when left out");
      choose(action, run, costs);
      return action;
    };
    add("stat", "what a store holds", runCostsStat).add_flag("--json", costs.asJson, "print JSON");
    add("export", "write every measurement as a line of JSON", runCostsExport)
        .add_option("file", costs.files, "file to write; standard output when left out")
        ->expected(1);
    add("import", "add the measurements that export wrote", runCostsImport)
        .add_option("file", costs.files, "file to read")
        ->required()
        ->expected(1);
    add("merge", "add the measurements of other stores", runCostsMerge)
        .add_option("stores", costs.files, "stores to read")
        ->required();
    CLI::App& prune =
        add("prune", "remove measurements that agree in all that is given", runCostsPrune);
    prune.add_option("--target", costs.target, "a kind, or a target with its attributes");
    prune.add_option("--machine", costs.machine, "a machine as `tessera costs stat` names it");
    prune.add_option("--before", costs.before, "a day, 2026-11-24: what is older");
  }
};

int mainFunction(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CommandLine line;
  if (const std::string word = argc > 1 ? argv[1] : ""; !line.isCommandOrFlag(word))
    return finish(usageError("unknown command '" + word + "', expected " + line.commandNames()));
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return line.app.exit(error) == 0 ? 0 : static_cast<int>(ErrorCode::kUsage);
  }
  return finish(line.chosen());
}

}  // namespace
}  // namespace tessera::cli

int main(int argc, char** argv) { return tessera::cli::mainFunction(argc, argv); }
