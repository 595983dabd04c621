// The same model and inputs on several targets; the last one named is the yardstick.
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "comparison.h"
#include "inputs.h"
#include "model.h"
#include "placing/compare_placements.h"

namespace tessera::cli {

/// Outputs that own their memory.
static Result<std::vector<HostTensor>> copyOutputs(std::span<const HostTensor> outputs) {
  std::vector<HostTensor> copies;
  for (const HostTensor& output : outputs) {
    TESSERA_TRY(WritableTensor copy, allocateTensor(output.name, output.type, output.shape));
    if (!output.bytes.empty()) std::memcpy(copy.data, output.bytes.data(), output.bytes.size());
    copies.push_back(std::move(copy.tensor));
  }
  return copies;
}

static Result<std::vector<HostTensor>> compileAndRun(Module& module, uint32_t threads,
                                                     std::span<const HostTensor> inputs) {
  TESSERA_TRY(const Executable executable, executableOf(module));
  TESSERA_TRY(Context context,
              Context::create(executable, {.numThreads = static_cast<int32_t>(threads)}));
  TESSERA_TRY(const auto outputs, runOnce(executable, context, inputs));
  return copyOutputs(outputs);
}

/// The model as imported, with its inputs: what every target gets a copy of.
struct Subject {
  Module module;
  std::vector<HostTensor> inputs;
  uint32_t threads;
};

static Result<std::vector<HostTensor>> outputsOn(const std::string& target,
                                                 const Subject& subject) {
  TESSERA_TRY(Module module, subject.module.clone(target));
  if (isInterpretedTarget(target)) return module.interpret(subject.inputs);
  return compileAndRun(module, subject.threads, subject.inputs);
}

static std::vector<OutputDifference> compareOutputs(std::span<const HostTensor> actual,
                                                    std::span<const HostTensor> expected,
                                                    const Tolerance& tolerance) {
  std::vector<OutputDifference> differences;
  differences.reserve(expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    differences.push_back({.name = actual[i].name,
                           .type = actual[i].type,
                           .shape = actual[i].shape,
                           .difference = compareTensors(actual[i], expected[i], tolerance)});
  return differences;
}

/// Everything that one partition of the model computes.
struct Values {
  size_t numOutputs = 0;  ///< The model's own, in front.
  std::vector<HostTensor> tensors;
  std::vector<RegionOutput> regions;
};

/// The values of `target` and, from the same regions, those of the reference.
struct ExposedRun {
  Values actual;
  std::vector<HostTensor> reference;  ///< Empty unless asked for.
};

static Result<ExposedRun> runExposed(const std::string& target, bool withReference,
                                     const Subject& subject) {
  TESSERA_TRY(Module module, subject.module.clone(target));
  ExposedRun run;
  run.actual.numOutputs = module.outputs().size();
  TESSERA_TRY(run.actual.regions, module.exposeRegions());
  if (withReference) {
    TESSERA_TRY(run.reference, module.interpret(subject.inputs));
  }
  if (isInterpretedTarget(target)) {
    run.actual.tensors = run.reference;
  } else {
    TESSERA_TRY(run.actual.tensors, compileAndRun(module, subject.threads, subject.inputs));
  }
  return run;
}

/// Whether the region changes no value, only the order or the memory that it lies in.
static bool isConversion(const RegionOutput& region) {
  return region.ops.size() == 1 && (region.ops[0] == "relayout" || region.ops[0] == "copy");
}

/// The ONNX node and operator that a value comes from; how often it came before tells equal ones
/// apart.
using ValueKey = std::tuple<std::string, std::string, int>;

static std::vector<ValueKey> keysOf(const std::vector<RegionOutput>& regions) {
  std::vector<ValueKey> keys;
  std::map<std::pair<std::string, std::string>, int> count;
  for (const RegionOutput& region : regions) {
    const std::string node = region.sourceNodes.empty() ? "" : region.sourceNodes.back();
    const std::string op = region.ops.empty() ? "" : region.ops.back();
    keys.emplace_back(node, op, count[{node, op}]++);
  }
  return keys;
}

static NodeDifference nodeDifference(const RegionOutput& region, const HostTensor& actual,
                                     const HostTensor& expected, const Tolerance& tolerance) {
  return {.ops = region.ops,
          .sourceNodes = region.sourceNodes,
          .difference = compareTensors(actual, expected, tolerance)};
}

/// Two partitions of their own: values match where both come out of the same ONNX node.
static void matchNodes(const Values& actual, const Values& expected, const Tolerance& tolerance,
                       Comparison& comparison) {
  std::map<ValueKey, size_t> positions;
  const std::vector<ValueKey> expectedKeys = keysOf(expected.regions);
  for (size_t i = 0; i < expectedKeys.size(); ++i) positions[expectedKeys[i]] = i;
  const std::vector<ValueKey> keys = keysOf(actual.regions);
  for (size_t i = 0; i < keys.size(); ++i) {
    const RegionOutput& region = actual.regions[i];
    if (isConversion(region)) continue;
    const auto it = positions.find(keys[i]);
    if (it == positions.end()) {
      ++comparison.numUnmatched;
      continue;
    }
    comparison.nodes.push_back(nodeDifference(region, actual.tensors[region.output],
                                              expected.tensors[expected.regions[it->second].output],
                                              tolerance));
  }
}

static Result<Comparison> compareNodes(const std::string& target, const std::string& yardstick,
                                       const Subject& subject, const Tolerance& tolerance) {
  // The reference evaluates the regions of the other one, so that their values line up.
  const bool withReference = isInterpretedTarget(target) || isInterpretedTarget(yardstick);
  TESSERA_TRY(ExposedRun run,
              runExposed(isInterpretedTarget(target) ? yardstick : target, withReference, subject));
  Comparison comparison{.target = target, .yardstick = yardstick, .outputs = {}, .hasNodes = true};
  Values& actual = run.actual;
  const size_t numOutputs = actual.numOutputs;
  if (withReference) {
    if (isInterpretedTarget(target)) std::swap(actual.tensors, run.reference);
    for (const RegionOutput& region : actual.regions)
      comparison.nodes.push_back(nodeDifference(region, actual.tensors[region.output],
                                                run.reference[region.output], tolerance));
    comparison.outputs =
        compareOutputs(actual.tensors, std::span(run.reference).first(numOutputs), tolerance);
    return comparison;
  }
  TESSERA_TRY(const ExposedRun expected, runExposed(yardstick, false, subject));
  matchNodes(actual, expected.actual, tolerance, comparison);
  comparison.outputs = compareOutputs(
      actual.tensors, std::span(expected.actual.tensors).first(numOutputs), tolerance);
  return comparison;
}

/// Imports the model and binds its open dimensions to its inputs.
static Result<Subject> subjectOf(const CompareCommand& command) {
  TESSERA_TRY(CompileOptions compile, compileOptions(command.model));
  compile.targets.clear();
  compile.placement = "greedy";
  TESSERA_TRY(Module module, Module::load(command.model.model, compile));
  TESSERA_TRY(std::vector<HostTensor> inputs,
              gatherInputs(module.inputs(), command.inputs, /*fillMissing=*/true));
  if (module.phase() == Phase::kImport) TESSERA_TRY_VOID(module.bindInputs(inputs));
  return Subject{
      .module = std::move(module), .inputs = std::move(inputs), .threads = command.model.threads};
}

static Result<std::vector<Comparison>> compareAll(const CompareCommand& command,
                                                  const std::vector<std::string>& targets) {
  TESSERA_TRY(const Subject subject, subjectOf(command));
  const Tolerance tolerance{.relative = command.relativeTolerance,
                            .absolute = command.absoluteTolerance};
  std::vector<HostTensor> expected;
  if (!command.perNode) {
    TESSERA_TRY(expected, outputsOn(targets.back(), subject));
  }
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i + 1 < targets.size(); ++i) {
    if (command.perNode) {
      TESSERA_TRY(Comparison comparison,
                  compareNodes(targets[i], targets.back(), subject, tolerance));
      comparisons.push_back(std::move(comparison));
      continue;
    }
    TESSERA_TRY(const auto actual, outputsOn(targets[i], subject));
    comparisons.push_back({.target = targets[i],
                           .yardstick = targets.back(),
                           .outputs = compareOutputs(actual, expected, tolerance)});
  }
  return comparisons;
}

Result<int> runCompare(const CompareCommand& command) {
  if (!isCompilable(command.model.model))
    return usageError("'" + command.model.model +
                      "' is no .onnx, .mlir or .mlirbc file; compare compiles a model itself");
  if (!command.model.placement.empty()) return comparePlacements(command);
  TESSERA_TRY(const std::vector<std::string> targets, splitTargets(command.model.targets));
  if (targets.size() < 2)
    return usageError("--targets names " + std::to_string(targets.size()) +
                      " target, expected at least two");
  TESSERA_TRY(const std::vector<Comparison> comparisons, compareAll(command, targets));
  if (command.asJson) {
    nlohmann::json all = nlohmann::json::array();
    for (const Comparison& comparison : comparisons) all.push_back(toJson(comparison));
    std::printf("%s\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else {
    for (const Comparison& comparison : comparisons) printComparison(comparison);
  }
  return std::ranges::all_of(comparisons, &Comparison::isWithin)
             ? 0
             : static_cast<int>(ErrorCode::kResultsDiffer);
}

}  // namespace tessera::cli
