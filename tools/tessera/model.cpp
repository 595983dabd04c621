#include "model.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/atomic_file.h"
#include "inputs.h"
#include "progress.h"
#include "tools/command_line/sizes.h"

namespace tessera::cli {

namespace {

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void findHalvesBeside(const std::vector<std::string>& plugins) {
  const char* given = std::getenv("TESSERA_PLUGIN_PATH");
  std::string path = given != nullptr ? given : "";
  for (auto file = plugins.rbegin(); file != plugins.rend(); ++file) {
    const std::string folder = std::filesystem::absolute(*file).parent_path().string();
    path = folder + (path.empty() ? "" : ":" + path);
  }
  setenv("TESSERA_PLUGIN_PATH", path.c_str(), /*overwrite=*/1);
}

/// A saved module may have to be placed by measuring without being told again.
static Status checkMeasuringOptions(const ModelOptions& options) {
  const bool isOnnx = std::filesystem::path(options.model).extension() == ".onnx";
  if (!isOnnx || options.placement.find("measured") != std::string::npos) return {};
  const std::pair<const char*, bool> given[] = {{"--budget", options.budget > 0},
                                                {"--objective", options.objective != "latency"},
                                                {"--cold", options.isCold},
                                                {"--warm", options.isWarm}};
  for (const auto& [name, isGiven] : given)
    if (isGiven) return usageError(std::string(name) + " is for --placement measured");
  return {};
}

Result<CompileOptions> compileOptions(const ModelOptions& options) {
  TESSERA_TRY_VOID(checkMeasuringOptions(options));
  CompileOptions result;
  result.targets = options.targets;
  result.placement = options.placement;
  result.plan = options.plan;
  result.isPlanPartial = options.isPlanPartial;
  result.costs = options.costs;
  result.search.budgetSeconds = options.budget;
  result.search.patienceSeconds = options.patience;
  if (options.objective == "memory") result.search.objective = PlacementObjective::kMemory;
  if (!(options.latencyBound >= 1))  // NaN is in every range.
    return usageError("--latency-bound: expected a factor from 1");
  result.search.latencyBound = options.latencyBound;
  if (options.isCold || options.isWarm)
    result.search.weights = options.isCold ? WeightCaching::kCold : WeightCaching::kWarm;
  result.threads = options.threads;
  result.hasFallback = options.hasFallback;
  result.pins = options.pins;
  result.passPlugins = options.passPlugins;
  TESSERA_TRY(result.session,
              Session::create({.plugins = options.plugins, .isIsolated = options.isIsolated}));
  findHalvesBeside(options.plugins);
  for (const std::string& text : options.addedPasses) {
    const size_t colon = text.find(':');
    const auto phase = parsePhase(std::string_view(text).substr(0, colon));
    if (!phase || colon == std::string::npos || colon + 1 == text.size())
      return usageError("--add-pass " + text + ", expected PHASE:NAME");
    result.addedPasses.emplace_back(*phase, text.substr(colon + 1));
  }
  result.disabledPasses = options.disabledPasses;
  result.printAfter = options.printAfter;
  result.print = [](const std::string& after, const std::string& text) {
    std::fprintf(stderr, "// after %s\n%s", after.c_str(), text.c_str());
  };
  for (const std::string& text : options.shapes) {
    TESSERA_TRY(auto shape, parseShape(text));
    result.shapes.push_back(std::move(shape));
  }
  for (const std::string& text : options.dims) {
    TESSERA_TRY(auto dim, parseDim(text));
    result.dims.push_back(std::move(dim));
  }
  return result;
}

Status checkModelFile(const std::string& path) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  Error error;
  error.file = path;
  if (!std::filesystem::exists(status)) {
    error.message = "there is no such file";
  } else if (std::filesystem::is_directory(status)) {
    error.message = "it is a folder, expected a file";
  } else {
    return {};
  }
  return error;
}

/// What decides how a model is compiled has no say in an artifact.
static Status checkArtifactOptions(const ModelOptions& options) {
  const std::pair<const char*, bool> given[] = {
      {"--targets", !options.targets.empty()},
      {"--isolate", options.isIsolated},
      {"--with-fallback", options.hasFallback},
      {"--placement", options.placement != "greedy"},
      {"--plan", !options.plan.empty()},
      {"--costs", !options.costs.empty()},
      {"--budget", options.budget > 0},
      {"--cold", options.isCold},
      {"--warm", options.isWarm},
      {"--shape", !options.shapes.empty()},
      {"--dim", !options.dims.empty()},
      {"--disable-pass", !options.disabledPasses.empty()},
      {"--print-after", !options.printAfter.empty()},
      {"--pins", !options.pins.empty()},
      {"--add-pass", !options.addedPasses.empty()},
      {"--load-pass-plugin", !options.passPlugins.empty()},
  };
  for (const auto& [name, isGiven] : given) {
    if (isGiven)
      return usageError(std::string(name) + " is for models that are compiled; '" + options.model +
                        "' is an artifact");
  }
  return {};
}

Status mustNotReplaceInputs(const std::string& file, const ModelOptions& options,
                            const std::string& what) {
  for (const std::string& input : {options.model, options.plan, options.pins}) {
    std::error_code ignored;  // A file that is not there is no other one.
    if (std::filesystem::equivalent(file, input, ignored))
      return usageError(what + " would replace '" + input + "'; choose another name");
  }
  return {};
}

Status checkOutput(const std::string& file, const ModelOptions& options) {
  if (file.empty()) return {};
  TESSERA_TRY_VOID(mustNotReplaceInputs(file, options));
  TESSERA_TRY([[maybe_unused]] const base::AtomicFile made, base::AtomicFile::create(file));
  return {};
}

bool isCompilable(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".onnx" || extension == ".mlir" || extension == ".mlirbc";
}

void printNotes(const Module& module) {
  for (const Refusal& refusal : module.refusals()) {
    const std::string node = refusal.node.empty() ? "" : " (node '" + refusal.node + "')";
    std::fprintf(stderr, "note: target '%s' refused a region%s, others run it: %s\n",
                 refusal.target.c_str(), node.c_str(), refusal.reason.c_str());
  }
  for (const std::string& note : module.notes()) std::fprintf(stderr, "note: %s\n", note.c_str());
}

Result<Executable> executableOf(Module& module) {
  TESSERA_TRY(const std::vector<std::byte> artifact, module.compileToMemory());
  printNotes(module);
  // The runtime wants an alignment that a vector does not promise.
  return Executable::loadMemory(artifact, {.copyMemory = true});
}

static Result<PreparedModel> prepareArtifact(const ModelOptions& options,
                                             const InputOptions& inputs, const Preparation& how) {
  if (how.isInterpreted)
    return usageError("the interpreter takes .onnx, .mlir and .mlirbc files, not '" +
                      options.model + "'");
  TESSERA_TRY_VOID(checkArtifactOptions(options));
  findHalvesBeside(options.plugins);
  PreparedModel prepared;
  const Stopwatch watch;
  TESSERA_TRY(prepared.executable, Executable::loadFile(options.model));
  prepared.loadSeconds = watch.seconds();
  TESSERA_TRY(prepared.inputs,
              gatherInputs(inputPorts(prepared.executable->info()), inputs, how.fillMissing));
  return prepared;
}

Result<PreparedModel> prepareModel(const ModelOptions& options, const InputOptions& inputs,
                                   const Preparation& how) {
  if (!isCompilable(options.model)) return prepareArtifact(options, inputs, how);
  TESSERA_TRY(CompileOptions compile, compileOptions(options));
  PreparedModel prepared;
  const ProgressBar bar;
  if (!how.isInterpreted) compile.progress = bar.callback();  // The module outlives the bar.
  const Stopwatch load;
  TESSERA_TRY(Module module, Module::load(options.model, compile));
  prepared.loadSeconds = load.seconds();
  TESSERA_TRY(prepared.inputs, gatherInputs(module.inputs(), inputs, how.fillMissing));
  const Stopwatch rest;
  if (how.bindsInputs && module.phase() == Phase::kImport)
    TESSERA_TRY_VOID(module.bindInputs(prepared.inputs));
  if (!how.isInterpreted) {
    TESSERA_TRY(prepared.executable, executableOf(module));
  } else if (module.phase() < Phase::kSimplify) {
    TESSERA_TRY_VOID(module.runTo(Phase::kSimplify));
  }
  if (how.isInterpreted) prepared.module = std::move(module);
  prepared.loadSeconds += rest.seconds();
  return prepared;
}

std::vector<PortInfo> portsOf(std::span<const tessera_tensor_info* const> tensors) {
  std::vector<PortInfo> ports;
  for (const tessera_tensor_info* info : tensors) {
    const tessera_tensor_info& tensor = *info;
    PortInfo port{.name = tensor.name,
                  .type = fromDtype(tensor.dtype),
                  .shape = {tensor.dims, tensor.dims + tensor.rank},
                  .dimNames = {}};
    for (int32_t d = 0; d < tensor.rank; ++d) port.dimNames.emplace_back(tensor.dim_names[d]);
    ports.push_back(std::move(port));
  }
  return ports;
}

Status bindInputs(Context& context, std::span<const HostTensor> inputs) {
  for (uint32_t i = 0; i < inputs.size(); ++i)
    TESSERA_TRY_VOID(context.setInput(i, inputs[i].type, inputs[i].shape, inputs[i].bytes.data()));
  return {};
}

Result<std::vector<HostTensor>> collectOutputs(const Executable& executable, Context& context) {
  std::vector<HostTensor> outputs;
  for (uint32_t i = 0; i < executable.info().num_outputs; ++i) {
    TESSERA_TRY(const tessera_dltensor tensor, context.output(i));
    HostTensor output{.name = executable.info().outputs[i]->name,
                      .type = fromDtype(tensor.dtype),
                      .shape = {tensor.shape, tensor.shape + tensor.ndim},
                      .bytes = {},
                      .owner = nullptr};
    size_t sizeBytes = elementSizeBytes(output.type);
    for (const int64_t size : output.shape) sizeBytes *= static_cast<size_t>(size);
    output.bytes = {static_cast<const std::byte*>(tensor.data) + tensor.byte_offset, sizeBytes};
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<std::vector<HostTensor>> runOnce(const Executable& executable, Context& context,
                                        std::span<const HostTensor> inputs) {
  TESSERA_TRY_VOID(bindInputs(context, inputs));
  TESSERA_TRY_VOID(context.run());
  return collectOutputs(executable, context);
}

}  // namespace tessera::cli
