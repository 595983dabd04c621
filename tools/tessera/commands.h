// The commands of the tessera program, as plain structs and functions: main.cpp parses, these run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/compile.h"
#include "tessera/costs.h"

namespace tessera::cli {

/// Flags that say how a model is loaded and compiled; shared by all commands that take one.
struct ModelOptions {
  std::string model;
  std::string targets;
  std::string placement = "greedy";
  bool isPlanPartial = false;
  std::string plan;   ///< File of a plan to apply.
  std::string costs;  ///< File of a cost store; empty: the user's own.
  double budget = 0;  ///< Seconds of measuring; 0: without a limit.
  std::string objective = "latency";
  double latencyBound = PlacementSearch{}.latencyBound;
  double patience = PlacementSearch{}.patienceSeconds;  ///< Seconds.
  bool isCold = false, isWarm = false;
  std::vector<std::string> shapes;  ///< "input=1x3x224x224"
  std::vector<std::string> dims;    ///< "batch=4"
  uint32_t threads = 0;
  std::string pins;
  std::vector<std::string> addedPasses;  ///< "pre_partition:name"
  std::vector<std::string> passPlugins;
  std::vector<std::string> plugins;  ///< Libraries of backends.
  bool isIsolated = false;
  bool hasFallback = false;
  std::vector<std::string> disabledPasses;
  std::vector<std::string> printAfter;
};

/// Flags that say which tensors go in.
struct InputOptions {
  std::vector<std::string> inputs;  ///< "name=file.npy", "name=random:7", ...
  std::string dataFolder;           ///< An ONNX test_data_set folder.
};

struct CompileCommand {
  ModelOptions model;
  std::string output;  ///< Empty: named as the model, in the present folder.
  std::string emit = "artifact";
  std::string stopAfter;
  int opset = 23;        ///< Of what --emit onnx writes.
  std::string savePlan;  ///< File for the plan that was found; empty: none.
  bool isStrict = false;
  bool isVerified = false;
  bool showTiming = false;
};

struct PartitionCommand {
  ModelOptions model;
  std::string output;  ///< Empty: nothing is written.
  bool isStrict = false;
  bool showReport = false;
  bool asJson = false;
};

struct RunCommand {
  ModelOptions model;
  InputOptions inputs;
  std::string expectSuffix;
  std::string output;
  std::string executor = "artifact";
  double relativeTolerance = 1e-3;
  double absoluteTolerance = 1e-5;
  bool isDynamic = false;
};

struct BenchCommand {
  ModelOptions model;
  InputOptions inputs;
  int warmup = 3;
  int iterations = 0;  ///< 0: as many as fit into durationSeconds.
  double durationSeconds = 2;
  bool showProfile = false;
  std::string trace;  ///< File for a trace; empty: none.
  std::string json;
};

struct InspectCommand {
  ModelOptions model;
  bool verify = false;
  bool showRegions = false;
  bool asJson = false;
};

struct BackendsCommand {
  bool showOperators = false;
  bool showOnnxOperators = false;
  std::vector<std::string> plugins;
  bool asJson = false;
};

struct CompareCommand {
  ModelOptions model;
  InputOptions inputs;
  double relativeTolerance = 1e-3;
  double absoluteTolerance = 1e-5;
  double durationSeconds = 2;  ///< For each placement.
  bool perNode = false;
  bool asJson = false;
};

struct ExplainCommand {
  ModelOptions model;  ///< Or a plan's file in place of the model.
  std::string node;
  std::string html, dot;  ///< Files; empty: not written.
  bool asJson = false;
};

struct TuneCommand {
  ModelOptions model;
  InputOptions inputs;  ///< For schedules.
  std::string savePlan;
  uint32_t numRandomPlans = 0;
};

struct ConformanceCommand {
  std::string backend;  ///< A target: "native -mcpu=x86-64-v3".
  std::vector<std::string> plugins;
  bool isQuick = false;
  size_t cases = 0;  ///< 0: as many as isQuick says.
  uint64_t seed = 1;
  std::string only;          ///< Name of a case, a file with one, or its text; empty: all.
  std::string report, json;  ///< Files; empty: not written.
};

/// Of all that costs does.
struct CostsCommand {
  std::string store;               ///< Empty: the user's own.
  std::vector<std::string> files;  ///< To write, to read, or stores to merge.
  std::string target, machine, before;
  bool asJson = false;
};

/// Each returns what the program exits with after success (0, or 4 when results differ).
Result<int> runCompile(const CompileCommand& command);
Result<int> runPartition(const PartitionCommand& command);
Result<int> runRun(const RunCommand& command);
Result<int> runBench(const BenchCommand& command);
Result<int> runInspect(const InspectCommand& command);
Result<int> runBackends(const BackendsCommand& command);
Result<int> runCompare(const CompareCommand& command);
Result<int> runExplain(const ExplainCommand& command);
Result<int> runTune(const TuneCommand& command);
Result<int> runConformance(const ConformanceCommand& command);
Result<int> runCostsStat(const CostsCommand& command);
Result<int> runCostsExport(const CostsCommand& command);
Result<int> runCostsImport(const CostsCommand& command);
Result<int> runCostsMerge(const CostsCommand& command);
Result<int> runCostsPrune(const CostsCommand& command);

}  // namespace tessera::cli
