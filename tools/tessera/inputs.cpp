#include "inputs.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

namespace tessera::cli {

static std::vector<int64_t> closedShape(const PortInfo& port) {
  std::vector<int64_t> shape = port.shape;
  for (int64_t& size : shape) size = size < 0 ? 1 : size;
  return shape;
}

template <typename T>
static void fillUniform(std::byte* data, size_t count, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (size_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(uniform(engine));
    std::memcpy(data + i * sizeof(T), &value, sizeof(T));
  }
}

Result<HostTensor> randomTensor(const PortInfo& port, uint64_t seed) {
  TESSERA_TRY(WritableTensor result, allocateTensor(port.name, port.type, closedShape(port)));
  std::mt19937_64 engine(seed);
  const size_t elementSize = elementSizeBytes(port.type);
  const size_t count = elementSize == 0 ? 0 : result.tensor.bytes.size() / elementSize;
  if (port.type == ElementType::kF32) {
    fillUniform<float>(result.data, count, engine);
  } else if (port.type == ElementType::kF64) {
    fillUniform<double>(result.data, count, engine);
  } else {
    for (size_t i = 0; i < count; ++i)
      result.data[i * elementSize] = static_cast<std::byte>(engine() & 1);
  }
  return std::move(result.tensor);
}

static Result<HostTensor> fromSource(const PortInfo& port, const std::string& source) {
  if (source == "zeros") {
    TESSERA_TRY(WritableTensor zeros, allocateTensor(port.name, port.type, closedShape(port)));
    return std::move(zeros.tensor);
  }
  if (source == "random") return randomTensor(port, 0);
  if (source.starts_with("random:")) {
    uint64_t seed = 0;
    const auto [end, error] =
        std::from_chars(source.data() + 7, source.data() + source.size(), seed);
    if (error != std::errc() || end != source.data() + source.size())
      return usageError("found seed '" + source.substr(7) + "', expected a number");
    return randomTensor(port, seed);
  }
  return readTensorFile(source, port.name);
}

Result<std::vector<HostTensor>> readNumbered(const std::string& folder, const std::string& stem,
                                             const std::string& suffix) {
  std::vector<HostTensor> tensors;
  while (true) {
    const std::string path =
        folder + "/" + stem + "_" + std::to_string(tensors.size()) + suffix + ".pb";
    if (!std::filesystem::exists(path)) return tensors;
    TESSERA_TRY(HostTensor tensor, readTensorFile(path, ""));
    tensors.push_back(std::move(tensor));
  }
}

/// Where the tensor for `port` stands in the folder: by name when all names are the model's, else
/// by position.
static Result<std::vector<HostTensor>> fromFolder(const std::vector<PortInfo>& ports,
                                                  const std::string& folder) {
  if (!std::filesystem::is_directory(folder)) {
    Error error = invalidInput("it is no folder");
    error.file = folder;
    return error;
  }
  TESSERA_TRY(std::vector<HostTensor> tensors, readNumbered(folder, "input", ""));
  const auto positionOf = [&](const HostTensor& tensor) {
    return std::ranges::find(ports, tensor.name, &PortInfo::name) - ports.begin();
  };
  const bool allNamed = std::ranges::all_of(tensors, [&](const HostTensor& tensor) {
    return positionOf(tensor) < static_cast<std::ptrdiff_t>(ports.size());
  });
  if (allNamed) std::ranges::stable_sort(tensors, {}, positionOf);
  if (tensors.size() != ports.size()) {
    Error error = invalidInput("found " + std::to_string(tensors.size()) +
                               " files input_<i>.pb, expected " + std::to_string(ports.size()));
    error.file = folder;
    return error;
  }
  for (size_t i = 0; i < ports.size(); ++i) tensors[i].name = ports[i].name;
  return tensors;
}

Result<std::vector<HostTensor>> gatherInputs(const std::vector<PortInfo>& ports,
                                             const InputOptions& options, bool fillMissing) {
  std::vector<std::optional<HostTensor>> found(ports.size());
  if (!options.dataFolder.empty()) {
    TESSERA_TRY(std::vector<HostTensor> tensors, fromFolder(ports, options.dataFolder));
    for (size_t i = 0; i < tensors.size(); ++i) found[i] = std::move(tensors[i]);
  }
  std::vector<bool> isGiven(ports.size());
  for (const std::string& text : options.inputs) {
    if (text.find('=') == std::string::npos)
      return usageError("found --input " + text +
                        ", expected name=FILE, name=random[:seed] or name=zeros");
    // Names may hold '='; the longest one that is an input counts.
    size_t index = ports.size();
    for (size_t i = 0; i < ports.size(); ++i) {
      if (text.starts_with(ports[i].name + "=") &&
          (index == ports.size() || ports[i].name.size() > ports[index].name.size()))
        index = i;
    }
    if (index == ports.size()) {
      std::string names;
      for (const PortInfo& port : ports) names += (names.empty() ? "" : ", ") + port.name;
      return usageError("--input " + text + " names no input; the inputs are: " + names);
    }
    if (isGiven[index]) return usageError("input '" + ports[index].name + "' is given twice");
    isGiven[index] = true;
    TESSERA_TRY(found[index], fromSource(ports[index], text.substr(ports[index].name.size() + 1)));
  }
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (!found[i] && !fillMissing)
      return usageError("input '" + ports[i].name + "' has no value; give --input " +
                        ports[i].name + "=FILE or --data DIR");
    if (!found[i]) {
      TESSERA_TRY(found[i], randomTensor(ports[i], i));
    }
    tensors.push_back(std::move(*found[i]));
  }
  return tensors;
}

}  // namespace tessera::cli
