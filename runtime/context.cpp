// Creating a context and binding its tensors; run.cpp executes.
#include "runtime/context.h"

#include <algorithm>
#include <map>

#include "runtime/parallel_for.h"
#include "runtime/tensor_check.h"

namespace tessera::runtime {

using artifact::kDynamic;
using artifact::Storage;

Outcome Context::create(const Executable& executable, int32_t numThreads,
                        std::unique_ptr<Context>& context) {
  if (!executable.isRunnable()) {
    return failure(TESSERA_ERROR_INVALID_ARGUMENT,
                   "the executable is loaded for inspection only, it cannot run");
  }
  std::unique_ptr<Context> created(new Context(executable));
  TESSERA_RUNTIME_TRY(created->setNumThreads(numThreads));
  created->initTensors();
  TESSERA_RUNTIME_TRY(created->allocate());
  created->initArguments();
  created->initEqualDims();
  created->initServices();
  context = std::move(created);
  return {};
}

Context::Context(const Executable& executable)
    : executable_(executable),
      bundle_(executable.bundle()),
      isInputSet_(bundle_.inputs.size(), false),
      placements_(bundle_.outputs.size()),
      profile_(bundle_.regions.size()) {
  for (uint32_t i = 0; i < profile_.size(); ++i) profile_[i].region = i;
}

Outcome Context::setNumThreads(int32_t numThreads) {
  if (numThreads < 0) {
    return failure(TESSERA_ERROR_INVALID_ARGUMENT,
                   "the number of threads is " + std::to_string(numThreads));
  }
  if (numThreads == 0)
    numThreads =
        static_cast<int32_t>(std::min<uint32_t>(bundle_.defaultThreads, TESSERA_MAX_THREADS));
  if (numThreads == 0) numThreads = availableCores();
  numThreads_ = std::min<int32_t>(numThreads, TESSERA_MAX_THREADS);
  if (scratch_.size() < static_cast<size_t>(numThreads_))
    scratch_.resize(static_cast<size_t>(numThreads_));
  return {};
}

bool Context::isStatic(uint32_t buffer) const {
  return bundle_.buffers[buffer].sizeBytes != kDynamic;
}

void Context::initTensors() {
  size_t totalRank = 0;
  for (const artifact::Buffer& buffer : bundle_.buffers) totalRank += buffer.dims.size();
  dims_.reserve(totalRank);  // The tensors keep pointers into it.
  dependents_.resize(bundle_.buffers.size());
  for (uint32_t i = 0; i < bundle_.buffers.size(); ++i) {
    const artifact::Buffer& buffer = bundle_.buffers[i];
    int64_t* shape = dims_.data() + dims_.size();
    dims_.insert(dims_.end(), buffer.dims.begin(), buffer.dims.end());
    tensors_.push_back({.data = nullptr,
                        .device = {TESSERA_DEVICE_CPU, 0},
                        .ndim = static_cast<int32_t>(buffer.dims.size()),
                        .dtype = dtypeOf(buffer.elementType),
                        .shape = shape,
                        .strides = nullptr,
                        .byte_offset = 0});
    dependents_[executable_.roots()[i].buffer].push_back(i);
  }
}

Outcome Context::allocate() {
  const auto outOfMemory = [](const std::string& what, uint64_t bytes) {
    return failure(TESSERA_ERROR_OUT_OF_MEMORY,
                   "no memory for " + what + " of " + std::to_string(bytes) + " bytes");
  };
  owned_.resize(executable_.memorySlots().count);
  if (!arena_.reserve(bundle_.plan.arenaBytes))
    return outOfMemory("an arena", bundle_.plan.arenaBytes);
  if (!workspace_.reserve(executable_.workspaceBytes())) {
    return outOfMemory("a workspace", executable_.workspaceBytes());
  }
  for (uint32_t i = 0; i < bundle_.buffers.size(); ++i) {
    const artifact::Buffer& buffer = bundle_.buffers[i];
    switch (buffer.storage) {
      case Storage::kArena:
        setRootData(i, static_cast<std::byte*>(arena_.data()) + buffer.offset);
        break;
      case Storage::kConstant:
        setRootData(i, const_cast<std::byte*>(bundle_.constants[buffer.index].data.bytes().data()));
        break;
      case Storage::kOutput:
      case Storage::kDynamic:
        if (!isStatic(i)) break;
        if (!reserveRoot(i, static_cast<uint64_t>(buffer.sizeBytes))) {
          return outOfMemory("a tensor", static_cast<uint64_t>(buffer.sizeBytes));
        }
        break;
      case Storage::kInput:
      case Storage::kView:
        break;
    }
  }
  return {};
}

void Context::initArguments() {
  arguments_.resize(bundle_.program.size());
  for (size_t i = 0; i < bundle_.program.size(); ++i) {
    const auto* call = std::get_if<artifact::CallInstruction>(&bundle_.program[i]);
    if (call == nullptr) continue;
    Arguments& arguments = arguments_[i];
    for (const uint32_t input : call->inputs) arguments.inputs.push_back(&tensors_[input]);
    for (const uint32_t output : call->outputs) {
      arguments.outputs.push_back(&tensors_[output]);
      arguments.dynamicDims.push_back(tensors_[output].shape);
      arguments.hasDynamicOutput |= !isStatic(output);
    }
  }
}

void Context::initEqualDims() {
  std::map<std::string_view, std::pair<uint32_t, uint32_t>> first;
  for (uint32_t input = 0; input < bundle_.inputs.size(); ++input) {
    const artifact::Port& port = bundle_.inputs[input];
    for (uint32_t dim = 0; dim < port.dimNames.size(); ++dim) {
      const bool isOpen = bundle_.buffers[port.buffer].dims[dim] == kDynamic;
      if (port.dimNames[dim].empty() || !isOpen) continue;
      const auto [known, isNew] = first.try_emplace(port.dimNames[dim], input, dim);
      if (!isNew) equalDims_.push_back({known->second.first, known->second.second, input, dim});
    }
  }
}

void Context::setRootData(uint32_t root, void* data) {
  for (const uint32_t dependent : dependents_[root]) {
    tensors_[dependent].data =
        static_cast<std::byte*>(data) + executable_.roots()[dependent].offset;
  }
}

bool Context::reserveRoot(uint32_t root, uint64_t bytes) {
  AlignedMemory& memory = ownedBy(root);
  if (!memory.reserve(bytes)) return false;
  setRootData(root, memory.data());
  return true;
}

Outcome Context::setInput(uint32_t index, const tessera_dltensor* tensor) {
  const artifact::Port& port = bundle_.inputs[index];
  const artifact::Buffer& buffer = bundle_.buffers[port.buffer];
  const std::string what = "input '" + port.name + "'";
  if (tensor == nullptr) return failure(TESSERA_ERROR_INVALID_ARGUMENT, what + " is null");
  TESSERA_RUNTIME_TRY(checkTensor(*tensor, buffer.elementType, buffer.dims, what));
  std::copy_n(tensor->shape, buffer.dims.size(), tensors_[port.buffer].shape);
  // A tensor without elements may come without memory, but kernels get an address.
  void* data = tensor->data == nullptr
                   ? arena_.data()
                   : static_cast<std::byte*>(tensor->data) + tensor->byte_offset;
  setRootData(port.buffer, data);
  isInputSet_[index] = true;
  return {};
}

Outcome Context::setOutput(uint32_t index, const tessera_dltensor* tensor) {
  const artifact::Port& port = bundle_.outputs[index];
  const artifact::Buffer& buffer = bundle_.buffers[port.buffer];
  const std::string what = "output '" + port.name + "'";
  if (!isStatic(port.buffer)) {
    return failure(TESSERA_ERROR_INVALID_ARGUMENT,
                   what + " has a run-time shape and cannot be placed");
  }
  void* data = nullptr;
  if (tensor != nullptr) {
    TESSERA_RUNTIME_TRY(checkTensor(*tensor, buffer.elementType, buffer.dims, what));
    if (tensor->data != nullptr) data = static_cast<std::byte*>(tensor->data) + tensor->byte_offset;
  }
  const auto isSameBuffer = [&](const artifact::Port& other) {
    return other.buffer == port.buffer;
  };
  const auto firstUser =
      std::ranges::find_if(bundle_.outputs, isSameBuffer) - bundle_.outputs.begin();
  const bool isPlain = buffer.layout.empty();
  const bool isOwn = buffer.storage == Storage::kOutput && firstUser == index && isPlain;
  placements_[index] = {.data = data, .isCopied = !isOwn};
  if (isOwn) setRootData(port.buffer, data != nullptr ? data : ownedBy(port.buffer).data());
  hasRun_ = false;
  return {};
}

Outcome Context::getOutput(uint32_t index, tessera_dltensor& tensor) const {
  if (!hasRun_) {
    return failure(TESSERA_ERROR_NOT_RUN, "output '" + bundle_.outputs[index].name +
                                              "' is asked for before a successful run");
  }
  tensor = tensors_[bundle_.outputs[index].buffer];
  if (placements_[index].data != nullptr) tensor.data = placements_[index].data;
  return {};
}

void Context::setProfiling(bool enabled) {
  if (enabled) {
    for (tessera_profile_entry& entry : profile_) entry.count = entry.time_ns = 0;
  }
  isProfiling_ = enabled;
}

uint64_t Context::memoryBytes() const {
  uint64_t total = arena_.sizeBytes() + workspace_.sizeBytes();
  for (const ScratchMemory& scratch : scratch_) total += scratch.sizeBytes();
  for (const AlignedMemory& memory : owned_) total += memory.sizeBytes();
  return total;
}

}  // namespace tessera::runtime
