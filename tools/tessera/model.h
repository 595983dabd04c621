// From a path and flags to something that runs.
#pragma once

#include <optional>
#include <span>

#include "commands.h"
#include "tessera/runtime.hpp"

namespace tessera::cli {

/// Parses "input=1x3x224x224" and "batch=4" and the rest, loads plugins. Errors: kUsage; those of
/// Session::create.
Result<CompileOptions> compileOptions(const ModelOptions& options);

/// Lets the runtime find runtime halves beside these plugins: puts their folders in front of
/// TESSERA_PLUGIN_PATH.
void findHalvesBeside(const std::vector<std::string>& plugins);

/// Errors (kInvalidInput): there is no such file, or it is a folder.
Status checkModelFile(const std::string& path);

/// Errors (kUsage): a file of this name, if there is one, would replace the model, its plan or its
/// rules. `what` is written: "the result".
Status mustNotReplaceInputs(const std::string& file, const ModelOptions& options,
                            const std::string& what = "the result");
/// The same, and whether a file of this name can be made, which is better known before a search
/// than behind it; no name: nothing is written. Errors (kInvalidInput): it cannot.
Status checkOutput(const std::string& file, const ModelOptions& options);

/// True for files whose extension says that the compiler reads them: .onnx, .mlir, .mlirbc.
bool isCompilable(const std::string& path);

/// Says on stderr which regions were placed again because their first owner refused them, and what
/// else the module notes.
void printNotes(const Module& module);

/// Compiles a module, which is used up, in memory. Refusals are printed.
Result<Executable> executableOf(Module& module);

/// How a model is made ready to run.
struct Preparation {
  bool isInterpreted = false;  ///< Evaluated instead of compiled.
  bool bindsInputs = false;    ///< Open dimensions of a model take the sizes of the inputs.
  bool fillMissing = false;    ///< Inputs that are named nowhere are random.
};

/// A model ready to run, with a tensor for each input: a module where it is interpreted, else an
/// executable.
struct PreparedModel {
  std::optional<Module> module;
  std::optional<Executable> executable;
  std::vector<HostTensor> inputs;
  double loadSeconds = 0;  ///< To load and compile.
};

/// Loads an artifact, or a model, once, which it compiles in memory or, interpreted, simplifies.
/// Errors (kUsage): options for compiling, or the interpreter, beside an artifact.
Result<PreparedModel> prepareModel(const ModelOptions& options, const InputOptions& inputs,
                                   const Preparation& how);

/// Inputs or outputs of an executable in the compiler's terms.
std::vector<PortInfo> portsOf(std::span<const tessera_tensor_info* const> tensors);
inline std::vector<PortInfo> inputPorts(const tessera_executable_info& info) {
  return portsOf({info.inputs, info.num_inputs});
}
inline std::vector<PortInfo> outputPorts(const tessera_executable_info& info) {
  return portsOf({info.outputs, info.num_outputs});
}

/// Runs the program once. Outputs borrow from the context.
Result<std::vector<HostTensor>> runOnce(const Executable& executable, Context& context,
                                        std::span<const HostTensor> inputs);

/// Binds inputs in the model's order.
Status bindInputs(Context& context, std::span<const HostTensor> inputs);
Result<std::vector<HostTensor>> collectOutputs(const Executable& executable, Context& context);

}  // namespace tessera::cli
