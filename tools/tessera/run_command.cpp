#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "commands.h"
#include "differences.h"
#include "inputs.h"
#include "interpret.h"
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
  PreparedModel model;
  std::optional<Context> context;
  std::vector<HostTensor> outputs;
};

static Result<Answer> answerOf(const RunCommand& command) {
  const bool isInterpreted =
      isInterpretedTarget(command.model.targets) || command.executor == "interpreter";
  Answer answer;
  TESSERA_TRY(answer.model,
              prepareModel(command.model, command.inputs,
                           {.isInterpreted = isInterpreted, .bindsInputs = !command.isDynamic}));
  if (isInterpreted) {
    TESSERA_TRY(answer.outputs,
                interpret(*answer.model.module, command.model, answer.model.inputs));
    return answer;
  }
  const Executable& executable = *answer.model.executable;
  TESSERA_TRY(
      answer.context,
      Context::create(executable, {.numThreads = static_cast<int32_t>(command.model.threads)}));
  TESSERA_TRY(answer.outputs, runOnce(executable, *answer.context, answer.model.inputs));
  return answer;
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

/// What the outputs are compared with; nothing when the data folder has none.
static Result<std::vector<HostTensor>> expectedOutputs(const RunCommand& command) {
  const std::string& folder = command.inputs.dataFolder;
  if (folder.empty()) {
    if (command.expectSuffix.empty()) return std::vector<HostTensor>();
    return usageError("--expect names files of a folder with data, which --data gives");
  }
  const std::string suffix = command.expectSuffix.empty() ? "" : "." + command.expectSuffix;
  TESSERA_TRY(auto expected, readNumbered(folder, "output", suffix));
  if (!suffix.empty() && expected.empty())
    return usageError("there is no output_0" + suffix + ".pb in " + folder);
  return expected;
}

Result<int> runRun(const RunCommand& command) {
  TESSERA_TRY_VOID(checkOutputPath(command.output));
  TESSERA_TRY(const Answer answer, answerOf(command));
  // First: the outputs may go into the same folder.
  TESSERA_TRY(const auto expected, expectedOutputs(command));
  TESSERA_TRY_VOID(saveOutputs(command.output, answer.outputs));
  if (!expected.empty()) {
    const Tolerance tolerance{.relative = command.relativeTolerance,
                              .absolute = command.absoluteTolerance};
    return reportDifferences(answer.outputs, expected, tolerance)
               ? 0
               : static_cast<int>(ErrorCode::kResultsDiffer);
  }
  for (const HostTensor& output : answer.outputs)
    std::printf("%s %s%s: %s\n", output.name.c_str(), elementTypeName(output.type),
                shapeText(output.shape).c_str(), preview(output).c_str());
  return 0;
}

}  // namespace tessera::cli
