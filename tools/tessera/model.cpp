#include "model.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>

#include "progress.h"

namespace tessera::cli {

static Result<std::pair<std::string, std::string>> splitAtEqual(const std::string& text,
                                                                const char* expected) {
  const size_t equal = text.rfind('=');
  if (equal == 0 || equal == std::string::npos || equal + 1 == text.size())
    return usageError("found '" + text + "', expected " + expected);
  return std::pair(text.substr(0, equal), text.substr(equal + 1));
}

static Result<int64_t> parseSize(const std::string& text, const std::string& whole) {
  int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (text == "?") return int64_t{-1};
  if (error != std::errc() || end != text.data() + text.size() || size < 0)
    return usageError("found size '" + text + "' in '" + whole + "', expected a number or ?");
  constexpr int64_t kMaxSize = int64_t{1} << 40;
  if (size > kMaxSize)
    return usageError("found size " + text + " in '" + whole + "', expected at most " +
                      std::to_string(kMaxSize));
  return size;
}

Result<CompileOptions> compileOptions(const ModelOptions& options) {
  CompileOptions result;
  result.targets = isReference(options.targets) ? "" : options.targets;
  result.placement = options.placement;
  result.threads = options.threads;
  result.disabledPasses = options.disabledPasses;
  result.printAfter = options.printAfter;
  result.print = [](const std::string& after, const std::string& text) {
    std::fprintf(stderr, "// after %s\n%s", after.c_str(), text.c_str());
  };
  for (const std::string& text : options.shapes) {
    TESSERA_TRY(const auto parts, splitAtEqual(text, "name=1x3x224x224"));
    std::vector<int64_t> shape;
    size_t at = 0;
    while (at <= parts.second.size()) {
      const size_t end = std::min(parts.second.find('x', at), parts.second.size());
      TESSERA_TRY(const int64_t size, parseSize(parts.second.substr(at, end - at), text));
      shape.push_back(size);
      at = end + 1;
    }
    if (parts.second == "scalar") shape.clear();
    result.shapes.emplace_back(parts.first, std::move(shape));
  }
  for (const std::string& text : options.dims) {
    TESSERA_TRY(const auto parts, splitAtEqual(text, "name=4"));
    TESSERA_TRY(const int64_t size, parseSize(parts.second, text));
    if (size < 0) return usageError("found '" + text + "', expected a number as size");
    result.dims.emplace_back(parts.first, size);
  }
  return result;
}

bool isReference(const std::string& target) { return target == "reference"; }

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
      {"--placement", options.placement != "greedy"},
      {"--shape", !options.shapes.empty()},
      {"--dim", !options.dims.empty()},
      {"--disable-pass", !options.disabledPasses.empty()},
      {"--print-after", !options.printAfter.empty()},
  };
  for (const auto& [name, isGiven] : given) {
    if (isGiven)
      return usageError(std::string(name) + " is for models that are compiled; '" + options.model +
                        "' is an artifact");
  }
  return {};
}

bool isCompilable(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".onnx" || extension == ".mlir" || extension == ".mlirbc";
}

Result<Program> programOf(Module& module) {
  Program program;
  TESSERA_TRY(const std::vector<std::byte> artifact, module.compileToMemory());
  // The runtime wants 64-byte alignment, which a vector does not promise.
  TESSERA_TRY(program.executable, Executable::loadMemory(artifact, {.copyMemory = true}));
  return program;
}

Result<Program> loadProgram(const ModelOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Program program;
  if (isCompilable(options.model)) {
    TESSERA_TRY(CompileOptions compile, compileOptions(options));
    const ProgressBar bar;
    compile.progress = bar.callback();
    TESSERA_TRY(Module module, Module::load(options.model, compile));
    TESSERA_TRY(program, programOf(module));
  } else {
    TESSERA_TRY_VOID(checkArtifactOptions(options));
    TESSERA_TRY(auto executable, Executable::loadFile(options.model));
    program.executable = std::move(executable);
  }
  program.loadSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return program;
}

/// Open dimensions with one name have one size; said as the runtime says it (exit code 1).
static Status checkNamedSizes(const std::vector<PortInfo>& ports,
                              std::span<const HostTensor> tensors) {
  std::map<std::string, std::pair<size_t, int64_t>> first;  // Input and size by name.
  for (size_t i = 0; i < ports.size() && i < tensors.size(); ++i) {
    const std::vector<int64_t>& sizes = tensors[i].shape;
    for (size_t d = 0; d < ports[i].dimNames.size() && d < sizes.size(); ++d) {
      if (ports[i].shape[d] >= 0 || ports[i].dimNames[d].empty()) continue;
      const auto [known, isNew] = first.try_emplace(ports[i].dimNames[d], i, sizes[d]);
      if (isNew || known->second.second == sizes[d]) continue;
      return invalidInput("dimension '" + known->first + "' is " +
                          std::to_string(known->second.second) + " in input '" +
                          ports[known->second.first].name + "' but " + std::to_string(sizes[d]) +
                          " in input '" + ports[i].name + "'");
    }
  }
  return {};
}

Result<std::vector<std::string>> shapesFromInputs(const ModelOptions& options,
                                                  std::span<const HostTensor> tensors) {
  std::vector<std::string> shapes = options.shapes;
  if (!options.model.ends_with(".onnx")) return shapes;
  TESSERA_TRY(const CompileOptions compile, compileOptions(options));
  TESSERA_TRY(const Module module, Module::load(options.model, compile));
  const std::vector<PortInfo> ports = module.inputs();
  TESSERA_TRY_VOID(checkNamedSizes(ports, tensors));
  for (size_t i = 0; i < ports.size() && i < tensors.size(); ++i) {
    const bool isOpen = std::ranges::any_of(ports[i].shape, [](int64_t size) { return size < 0; });
    const bool isGiven = std::ranges::any_of(
        options.shapes, [&](const std::string& s) { return s.starts_with(ports[i].name + "="); });
    if (!isOpen || isGiven) continue;
    std::string text;
    for (const int64_t size : tensors[i].shape)
      text += (text.empty() ? "" : "x") + std::to_string(size);
    shapes.push_back(ports[i].name + "=" + text);
  }
  return shapes;
}

std::vector<PortInfo> inputPorts(const tessera_executable_info& info) {
  std::vector<PortInfo> ports;
  for (uint32_t i = 0; i < info.num_inputs; ++i) {
    const tessera_tensor_info& tensor = *info.inputs[i];
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
