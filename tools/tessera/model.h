// From a path and flags to something that runs.
#pragma once

#include <optional>
#include <span>

#include "commands.h"
#include "tessera/runtime.hpp"

namespace tessera::cli {

/// Parses "input=1x3x224x224" and "batch=4" and the rest. Errors: kUsage.
Result<CompileOptions> compileOptions(const ModelOptions& options);

/// True for the target that evaluates modules instead of compiling them.
bool isReference(const std::string& target);

/// Errors (kInvalidInput): there is no such file, or it is a folder.
Status checkModelFile(const std::string& path);

/// True for files whose extension says that the compiler reads them: .onnx, .mlir, .mlirbc.
bool isCompilable(const std::string& path);

/// A program ready to run, with the time it took to get it.
struct Program {
  std::optional<Executable> executable;
  double loadSeconds = 0;
};

/// Compiles a module, which is used up, in memory.
Result<Program> programOf(Module& module);

/// Loads an artifact, or compiles a model in memory. Errors (kUsage): options for compiling beside
/// an artifact.
Result<Program> loadProgram(const ModelOptions& options);

/// As many shape bindings as the inputs of the model leave open and `tensors` decide: "name=2x3".
Result<std::vector<std::string>> shapesFromInputs(const ModelOptions& options,
                                                  std::span<const HostTensor> tensors);

/// Ports of an executable in the compiler's terms.
std::vector<PortInfo> inputPorts(const tessera_executable_info& info);

/// Runs the program once. Outputs borrow from the context.
Result<std::vector<HostTensor>> runOnce(const Executable& executable, Context& context,
                                        std::span<const HostTensor> inputs);

/// Binds inputs in the model's order.
Status bindInputs(Context& context, std::span<const HostTensor> inputs);
Result<std::vector<HostTensor>> collectOutputs(const Executable& executable, Context& context);

}  // namespace tessera::cli
