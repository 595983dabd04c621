#include "runtime/constants.h"

#include <sys/mman.h>

#include <algorithm>

#include "artifact/format.h"
#include "runtime/backend/load_services.h"
#include "runtime/tensor_check.h"

namespace tessera::runtime {

Constants::Constants(const artifact::Bundle& bundle, const std::vector<artifact::Root>& roots,
                     const std::vector<CallSite>& sites)
    : bundle_(bundle), roots_(roots), uses_(bundle.constants.size()) {
  for (size_t i = 0; i < bundle.program.size(); ++i) {
    if (const auto* call = std::get_if<artifact::CallInstruction>(&bundle.program[i])) {
      for (const uint32_t input : call->inputs)
        count(input, static_cast<uint32_t>(sites[i].choices.size()), 0);
    } else if (const auto* copy = std::get_if<artifact::CopyInstruction>(&bundle.program[i])) {
      count(copy->source, 1, 1);
    } else if (const auto* view = std::get_if<artifact::ViewInstruction>(&bundle.program[i])) {
      count(view->view, 1, 1);
      if (view->shapeBuffer != artifact::kNoBuffer) count(view->shapeBuffer, 1, 1);
    }
  }
  for (const artifact::Port& output : bundle.outputs) count(output.buffer, 1, 1);
}

const uint32_t* Constants::constantOf(uint32_t buffer) const {
  const artifact::Buffer& owner = bundle_.buffers[roots_[buffer].buffer];
  return owner.storage == artifact::Storage::kConstant ? &owner.index : nullptr;
}

void Constants::count(uint32_t buffer, uint32_t possible, uint32_t loaded) {
  const uint32_t* constant = constantOf(buffer);
  if (constant == nullptr) return;
  Uses& uses = uses_[*constant];
  uses.possible += possible;
  uses.loaded += loaded;
  uses.wasUsed = true;
}

Outcome Constants::prepare(const artifact::CallInstruction& call, const Choice& choice,
                           std::vector<uint32_t>& packed) {
  for (const uint32_t input : call.inputs) count(input, 0, 1);
  const tessera_backend_runtime& table = choice.device->table();
  if (table.prepare_constants == nullptr) return {};
  const size_t numInputs = call.inputs.size();
  std::vector<tessera_dltensor> tensors(numInputs);
  std::vector<const tessera_dltensor*> inputs(numInputs, nullptr);
  std::vector<uint8_t> released(numInputs, 0);
  for (size_t i = 0; i < numInputs; ++i) {
    const uint32_t* constant = constantOf(call.inputs[i]);
    if (constant == nullptr) continue;
    const artifact::Buffer& buffer = bundle_.buffers[call.inputs[i]];
    const std::byte* data =
        bundle_.constants[*constant].data.bytes().data() + roots_[call.inputs[i]].offset;
    tensors[i] = {.data = const_cast<std::byte*>(data),
                  .device = {TESSERA_DEVICE_CPU, 0},
                  .ndim = static_cast<int32_t>(buffer.dims.size()),
                  .dtype = dtypeOf(buffer.elementType),
                  .shape = const_cast<int64_t*>(buffer.dims.data()),
                  .strides = nullptr,
                  .byte_offset = 0};
    inputs[i] = &tensors[i];
  }
  LoadServices services;
  if (table.prepare_constants(choice.instance, services.services(), choice.symbol, inputs.data(),
                              static_cast<uint32_t>(numInputs), released.data()) != 0) {
    return failure(TESSERA_ERROR_BACKEND_LOAD,
                   services.messageOr(std::string("backend '") + table.name +
                                      "' cannot prepare its constants"));
  }
  for (size_t i = 0; i < numInputs; ++i) {
    if (inputs[i] == nullptr || released[i] == 0) continue;
    Uses& uses = uses_[*constantOf(call.inputs[i])];
    --uses.possible;
    --uses.loaded;
    packed.push_back(*constantOf(call.inputs[i]));
  }
  return {};
}

Outcome Constants::placeOnDevices(const std::vector<Space>& spaces) {
  AlignedMemory unused;
  LoadServices services;
  for (uint32_t i = 0; i < bundle_.buffers.size(); ++i) {
    const artifact::Buffer& buffer = bundle_.buffers[i];
    if (buffer.storage != artifact::Storage::kConstant || buffer.memorySpace == 0) continue;
    const artifact::Constant& constant = bundle_.constants[buffer.index];
    copies_.resize(bundle_.buffers.size());
    if (uses_[buffer.index].possible == 0) continue;
    const Space& space = spaces[buffer.memorySpace];
    TESSERA_RUNTIME_TRY(copies_[i].reserve(space, constant.data.sizeBytes(), "a constant"));
    const Place destination{.space = space, .data = static_cast<std::byte*>(copies_[i].data())};
    const Place source{.space = spaces[0],
                       .data = const_cast<std::byte*>(constant.data.bytes().data())};
    TESSERA_RUNTIME_TRY(copyBytes(destination, source, constant.data.sizeBytes(), {},
                                  {.staging = unused, .services = services.forNextCall()}));
  }
  return {};
}

void Constants::dropUnread(std::span<const std::byte> file) const {
  for (size_t i = 0; i < uses_.size(); ++i) {
    const std::span<const std::byte> bytes = bundle_.constants[i].data.bytes();
    const bool isUnread = uses_[i].wasUsed && uses_[i].loaded == 0;
    const bool isInFile = bytes.data() >= file.data() && bytes.data() < file.data() + file.size();
    // A mapped blob of a page or more starts at a page; its last page may hold the next blob and
    // stays correct if dropped.
    if (isUnread && isInFile && bytes.size() >= artifact::kPageSize)
      madvise(const_cast<std::byte*>(bytes.data()), bytes.size(), MADV_DONTNEED);
  }
}

void* Constants::dataOf(uint32_t buffer) const {
  const artifact::Buffer& declared = bundle_.buffers[buffer];
  if (declared.memorySpace != 0) return copies_[buffer].data();
  return const_cast<std::byte*>(bundle_.constants[declared.index].data.bytes().data());
}

}  // namespace tessera::runtime
