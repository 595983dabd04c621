#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "commands.h"
#include "differences.h"
#include "inputs.h"
#include "model.h"

namespace tessera::cli {

/// First values of a tensor, so that a person sees something.
static std::string preview(const HostTensor& tensor) {
  constexpr size_t kShown = 6;
  std::string text;
  const size_t size = elementSizeBytes(tensor.type);
  for (size_t i = 0; i < kShown && (i + 1) * size <= tensor.bytes.size(); ++i) {
    char number[32] = "";
    const std::byte* at = tensor.bytes.data() + i * size;
    const auto print = [&]<typename T>(const char* format, T value) {
      std::memcpy(&value, at, sizeof(T));
      std::snprintf(number, sizeof(number), format, value);
    };
    switch (tensor.type) {
      case ElementType::kF32:
        print("%.5g", float{});
        break;
      case ElementType::kF64:
        print("%.5g", double{});
        break;
      case ElementType::kI64:
        print("%ld", long{});
        break;
      case ElementType::kI32:
        print("%d", int{});
        break;
      case ElementType::kBool:
      case ElementType::kU8:
        print("%hhu", static_cast<unsigned char>(0));
        break;
      case ElementType::kI8:
        print("%hhd", static_cast<signed char>(0));
        break;
      default:
        return "...";
    }
    text += (text.empty() ? "" : " ") + std::string(number);
  }
  return tensor.bytes.size() > kShown * size ? text + " ..." : text;
}

/// Outputs, with whatever they borrow from.
struct Answer {
  Program program;
  std::optional<Context> context;
  std::vector<HostTensor> outputs;
};

static Result<Answer> interpretModel(const RunCommand& command, const ModelOptions& options) {
  TESSERA_TRY(const CompileOptions compile, compileOptions(options));
  TESSERA_TRY(Module module, Module::load(options.model, compile));
  TESSERA_TRY(const auto inputs,
              gatherInputs(module.inputs(), command.inputs, /*fillMissing=*/false));
  if (module.phase() == "import") TESSERA_TRY_VOID(module.runTo("simplify"));
  Answer answer;
  TESSERA_TRY(answer.outputs, module.interpret(inputs));
  return answer;
}

static Result<Answer> runProgram(const RunCommand& command, const ModelOptions& options) {
  Answer answer;
  TESSERA_TRY(answer.program, loadProgram(options));
  const Executable& executable = *answer.program.executable;
  TESSERA_TRY(const auto inputs,
              gatherInputs(inputPorts(executable.info()), command.inputs, /*fillMissing=*/false));
  TESSERA_TRY(auto context,
              Context::create(executable, {.numThreads = static_cast<int32_t>(options.threads)}));
  answer.context = std::move(context);
  TESSERA_TRY(answer.outputs, runOnce(executable, *answer.context, inputs));
  return answer;
}

/// Open dimensions of an .onnx take the sizes of the given tensors.
static Result<ModelOptions> bindShapes(const RunCommand& command) {
  ModelOptions options = command.model;
  if (command.isDynamic || !options.model.ends_with(".onnx")) return options;
  TESSERA_TRY(const CompileOptions compile, compileOptions(options));
  std::vector<HostTensor> inputs;
  {
    TESSERA_TRY(const Module module, Module::load(options.model, compile));
    TESSERA_TRY(inputs, gatherInputs(module.inputs(), command.inputs, /*fillMissing=*/false));
  }
  TESSERA_TRY(options.shapes, shapesFromInputs(options, inputs));
  return options;
}

static Status saveOutputs(const std::string& path, std::span<const HostTensor> outputs) {
  if (path.empty()) return {};
  if (path.ends_with(".npz")) return writeNpz(path, outputs);
  return writeTensorProtos(path, "output", outputs);
}

/// A path is an archive or a folder; other extensions would name a folder by mistake.
static Status checkOutputPath(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty() || extension == ".npz" || std::filesystem::is_directory(path)) return {};
  return usageError("found --output " + path +
                    ", expected a file named .npz, or a folder (one that exists, has no extension "
                    "or ends in /)");
}

Result<int> runRun(const RunCommand& command) {
  TESSERA_TRY_VOID(checkOutputPath(command.output));
  TESSERA_TRY(const ModelOptions options, bindShapes(command));
  const bool isInterpreted = isReference(options.targets) || command.executor == "interpreter";
  if (isInterpreted && !isCompilable(options.model))
    return usageError("the interpreter takes .onnx, .mlir and .mlirbc files, not '" +
                      options.model + "'");
  TESSERA_TRY(const Answer answer,
              isInterpreted ? interpretModel(command, options) : runProgram(command, options));
  TESSERA_TRY_VOID(saveOutputs(command.output, answer.outputs));

  if (!command.inputs.dataFolder.empty()) {
    const std::string suffix = command.expectSuffix.empty() ? "" : "." + command.expectSuffix;
    TESSERA_TRY(const auto expected, readNumbered(command.inputs.dataFolder, "output", suffix));
    if (!suffix.empty() && expected.empty())
      return usageError("there is no output_0" + suffix + ".pb in " + command.inputs.dataFolder);
    if (!expected.empty()) {
      const Tolerance tolerance{.relative = command.relativeTolerance,
                                .absolute = command.absoluteTolerance};
      return reportDifferences(answer.outputs, expected, tolerance)
                 ? 0
                 : static_cast<int>(ErrorCode::kResultsDiffer);
    }
  }
  for (const HostTensor& output : answer.outputs)
    std::printf("%s %s%s: %s\n", output.name.c_str(), elementTypeName(output.type),
                shapeText(output.shape).c_str(), preview(output).c_str());
  return 0;
}

}  // namespace tessera::cli
