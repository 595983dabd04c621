#include "runtime/signature.h"

#include "runtime/tensor_check.h"

namespace tessera::runtime {

Signature::Signature(const artifact::Bundle& bundle, const artifact::CallInstruction& call) {
  const auto add = [&](uint32_t index) {
    const artifact::Buffer& buffer = bundle.buffers[index];
    types_.push_back({.size = sizeof(tessera_argument_type),
                      .dtype = dtypeOf(buffer.elementType),
                      .rank = static_cast<int32_t>(buffer.dims.size()),
                      .dims = buffer.dims.data(),
                      .layout = buffer.layout.c_str(),
                      .size_bytes = buffer.sizeBytes,
                      .memory_space = bundle.memorySpaces[buffer.memorySpace].name.c_str()});
  };
  for (const uint32_t input : call.inputs) add(input);
  for (const uint32_t output : call.outputs) add(output);
  for (const tessera_argument_type& type : types_) pointers_.push_back(&type);
  raw_ = {.size = sizeof(raw_),
          .num_inputs = static_cast<uint32_t>(call.inputs.size()),
          .num_outputs = static_cast<uint32_t>(call.outputs.size()),
          .inputs = pointers_.data(),
          .outputs = pointers_.data() + call.inputs.size()};
}

}  // namespace tessera::runtime
