// The same model and inputs on several targets; the last one named is the yardstick.
#include <cstdio>
#include <cstring>
#include <sstream>

#include "commands.h"
#include "differences.h"
#include "inputs.h"
#include "model.h"

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

static Result<std::vector<HostTensor>> outputsOn(const std::string& target, ModelOptions options,
                                                 std::span<const HostTensor> inputs) {
  options.targets = target;
  if (target == "reference") {
    TESSERA_TRY(const CompileOptions compile, compileOptions(options));
    TESSERA_TRY(Module module, Module::load(options.model, compile));
    return module.interpret(inputs);
  }
  TESSERA_TRY(const Program program, loadProgram(options));
  TESSERA_TRY(
      Context context,
      Context::create(*program.executable, {.numThreads = static_cast<int32_t>(options.threads)}));
  TESSERA_TRY(const auto outputs, runOnce(*program.executable, context, inputs));
  return copyOutputs(outputs);
}

Result<int> runCompare(const CompareCommand& command) {
  std::vector<std::string> targets;
  std::istringstream list(command.model.targets);
  for (std::string target; std::getline(list, target, ',');) targets.push_back(target);
  if (targets.size() < 2)
    return usageError("--targets names " + std::to_string(targets.size()) +
                      " target, expected at least two");

  ModelOptions options = command.model;
  std::vector<HostTensor> inputs;
  {
    options.targets.clear();
    TESSERA_TRY(const CompileOptions compile, compileOptions(options));
    TESSERA_TRY(const Module module, Module::load(options.model, compile));
    TESSERA_TRY(inputs, gatherInputs(module.inputs(), command.inputs, /*fillMissing=*/true));
  }
  TESSERA_TRY(options.shapes, shapesFromInputs(options, inputs));
  TESSERA_TRY(const auto expected, outputsOn(targets.back(), options, inputs));
  bool allWithin = true;
  for (size_t i = 0; i + 1 < targets.size(); ++i) {
    TESSERA_TRY(const auto actual, outputsOn(targets[i], options, inputs));
    std::printf("%s against %s\n", targets[i].c_str(), targets.back().c_str());
    const Tolerance tolerance{.relative = command.relativeTolerance,
                              .absolute = command.absoluteTolerance};
    allWithin = reportDifferences(actual, expected, tolerance) && allWithin;
  }
  return allWithin ? 0 : static_cast<int>(ErrorCode::kResultsDiffer);
}

}  // namespace tessera::cli
