// Creating a context and binding its tensors; context_prepare.cpp gets its backends ready, run.cpp
// and call.cpp execute.
#include "runtime/context.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "runtime/backend/parallel_for.h"
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
  if (numThreads < 0) {
    return failure(TESSERA_ERROR_INVALID_ARGUMENT,
                   "the number of threads is " + std::to_string(numThreads));
  }
  std::unique_ptr<Context> created(new Context(executable));
  created->useThreads(numThreads);
  created->initTensors();
  TESSERA_RUNTIME_TRY(created->allocate());
  created->initCalls();
  created->initEqualDims();
  created->initServices();
  TESSERA_RUNTIME_TRY(created->prepareCalls());
  TESSERA_RUNTIME_TRY(created->initEvents());
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

void Context::useThreads(int32_t numThreads) {
  if (numThreads == 0)
    numThreads =
        static_cast<int32_t>(std::min<uint32_t>(bundle_.defaultThreads, TESSERA_MAX_THREADS));
  if (numThreads == 0) numThreads = availableCores();
  numThreads_ = std::min<int32_t>(numThreads, TESSERA_MAX_THREADS);
  scratch_.setThreads(numThreads_);
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
                        .device = executable_.spaceOf(i).dlpack,
                        .ndim = static_cast<int32_t>(buffer.dims.size()),
                        .dtype = dtypeOf(buffer.elementType),
                        .shape = shape,
                        .strides = nullptr,
                        .byte_offset = 0});
    dependents_[executable_.roots()[i].buffer].push_back(i);
  }
}

Outcome Context::allocate() {
  owned_.resize(executable_.memorySlots().count);
  for (size_t i = 0; i < bundle_.memorySpaces.size(); ++i) {
    TESSERA_RUNTIME_TRY(arenas_.emplace_back().reserve(
        executable_.spaces()[i], bundle_.memorySpaces[i].arenaBytes, "an arena"));
  }
  for (uint32_t i = 0; i < bundle_.buffers.size(); ++i) {
    const artifact::Buffer& buffer = bundle_.buffers[i];
    switch (buffer.storage) {
      case Storage::kArena:
        setRootData(i, static_cast<std::byte*>(arenas_[buffer.memorySpace].data()) + buffer.offset);
        break;
      case Storage::kConstant:
        setRootData(i, executable_.constantData(i));
        break;
      case Storage::kOutput:
      case Storage::kDynamic:
        if (isStatic(i))
          TESSERA_RUNTIME_TRY(reserveRoot(i, static_cast<uint64_t>(buffer.sizeBytes)));
        break;
      case Storage::kInput:
      case Storage::kView:
        break;
    }
  }
  return {};
}

void Context::initCalls() {
  calls_.resize(bundle_.program.size());
  for (size_t i = 0; i < bundle_.program.size(); ++i) {
    const auto* instruction = std::get_if<artifact::CallInstruction>(&bundle_.program[i]);
    if (instruction == nullptr) continue;
    Call& call = calls_[i];
    call.prepared.resize(executable_.callSites()[i].choices.size());
    for (const uint32_t input : instruction->inputs) call.inputs.push_back(&tensors_[input]);
    for (const uint32_t output : instruction->outputs) {
      call.outputs.push_back(&tensors_[output]);
      call.dynamicDims.push_back(tensors_[output].shape);
      call.hasDynamicOutput |= !isStatic(output);
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

Outcome Context::reserveRoot(uint32_t root, uint64_t bytes) {
  SpaceMemory& memory = ownedBy(root);
  TESSERA_RUNTIME_TRY(memory.reserve(executable_.spaceOf(root), bytes, "a tensor"));
  setRootData(root, memory.data());
  return {};
}

Outcome Context::setInput(uint32_t index, const tessera_dltensor* tensor) {
  const artifact::Port& port = bundle_.inputs[index];
  const artifact::Buffer& buffer = bundle_.buffers[port.buffer];
  const std::string what = "input '" + port.name + "'";
  if (tensor == nullptr) return failure(TESSERA_ERROR_INVALID_ARGUMENT, what + " is null");
  TESSERA_RUNTIME_TRY(checkTensor(*tensor,
                                  {.elementType = buffer.elementType,
                                   .dims = buffer.dims,
                                   .device = executable_.spaceOf(port.buffer).dlpack},
                                  what));
  std::copy_n(tensor->shape, buffer.dims.size(), tensors_[port.buffer].shape);
  // A tensor without elements may come without memory, but kernels get an address.
  void* data = tensor->data == nullptr
                   ? arenas_[buffer.memorySpace].data()
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
    TESSERA_RUNTIME_TRY(checkTensor(*tensor,
                                    {.elementType = buffer.elementType,
                                     .dims = buffer.dims,
                                     .device = executable_.spaceOf(port.buffer).dlpack},
                                    what));
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

/// Each thread a part, as regions split what they compute.
static void touch(const void* data, uint64_t sizeBytes, int32_t numThreads) {
  constexpr int64_t kLine = 64;
  const auto body = [](void* lines, int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line)
      (void)static_cast<const volatile std::byte*>(lines)[line * kLine];
  };
  parallelFor(static_cast<int64_t>(sizeBytes) / kLine, numThreads, body, const_cast<void*>(data));
}

void Context::touchMemory() const {
  touch(workspace_.data(), workspace_.sizeBytes(), numThreads_);
  for (uint32_t i = 0; i < bundle_.buffers.size(); ++i) {
    const Storage storage = bundle_.buffers[i].storage;
    const bool isOwn = storage == Storage::kArena || storage == Storage::kOutput;
    if (isOwn && isStatic(i) && executable_.spaceOf(i).isHost())
      touch(dataOf(i), sizeBytesNow(i), numThreads_);
  }
}

void Context::fillMemory(uint8_t value) {
  const auto fill = [&](const auto& memory) {
    if (memory.sizeBytes() > 0) std::memset(memory.data(), value, memory.sizeBytes());
  };
  fill(workspace_);
  for (const auto* memories : {&arenas_, &owned_}) {
    for (const SpaceMemory& memory : *memories)
      if (memory.isHosts()) fill(memory);
  }
  hasRun_ = false;
}

uint64_t Context::memoryBytes() const {
  uint64_t total = workspace_.sizeBytes() + staging_.sizeBytes();
  for (const SpaceMemory& arena : arenas_) total += arena.sizeBytes();
  total += scratch_.sizeBytes();
  for (const SpaceMemory& memory : owned_) total += memory.sizeBytes();
  return total;
}

}  // namespace tessera::runtime
