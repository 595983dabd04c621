/* The runtime half: checks a program once, then runs it. */
#include "program.h"
#include "tessera/backend_runtime.h"

static int32_t create(void* device, const tessera_host_services* services, const void* blob,
                      size_t blob_size, void** instance) {
  const Header* header = *instance = (void*)blob;
  const Instruction* code = (const Instruction*)(header + 1);
  if (blob_size < sizeof *header || header->magic != MAGIC) return 1;
  const uint64_t count = header->num_instructions;
  if ((blob_size - sizeof *header) / sizeof *code != count) return 1;
  const uint64_t end = count + header->num_inputs + header->num_outputs;
  for (uint64_t i = 0; i < count; ++i)
    if (code[i].operands[0] >= end || code[i].operands[1] >= end || code[i].result >= end) return 1;
  return 0;
}
static void destroy(void* instance) {}

static int32_t find_symbol(void* instance, const tessera_host_services* services, const char* name,
                           const tessera_signature* signature, void** symbol) {
  const Header* header = instance;
  if (signature->num_inputs != header->num_inputs) return 1;
  if (signature->num_outputs != header->num_outputs) return 1;
  return (uint64_t)signature->outputs[0]->size_bytes != sizeof(float) * header->num_elements;
}

static float* address(const Header* header, const tessera_call* call, float* scratch, uint32_t at) {
  const uint32_t inputs = header->num_inputs, outputs = header->num_outputs;
  if (at < inputs) return call->inputs[at]->data;
  if (at < inputs + outputs) return call->outputs[at - inputs]->data;
  return scratch + (size_t)(at - inputs - outputs) * header->num_elements;
}

static int32_t run(void* instance, const tessera_call* call) {
  const Header* header = instance;
  const Instruction* code = (const Instruction*)(header + 1);
  const uint64_t bytes = sizeof(float) * header->num_elements * header->num_instructions;
  float* scratch = call->services->workspace(call->services->host, bytes);
  for (uint32_t i = 0; scratch != NULL && i < header->num_instructions; ++i) {
    const float* a = address(header, call, scratch, code[i].operands[0]);
    const float* b = address(header, call, scratch, code[i].operands[1]);
    float* y = address(header, call, scratch, code[i].result);
    for (uint64_t k = 0; k < header->num_elements; ++k) {
      if (code[i].opcode == RELU) y[k] = a[k] < 0 ? 0 : a[k];
      if (code[i].opcode == ADD) y[k] = a[k] + b[k];
      if (code[i].opcode == SUB) y[k] = a[k] - b[k];
      if (code[i].opcode == MUL) y[k] = a[k] * b[k];
    }
  }
  return scratch == NULL;
}

const tessera_backend_runtime* tessera_backend_entry(void) {
  static tessera_backend_runtime half = {.size = sizeof half, .name = "example", .version = "1"};
  half.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
  half.create = create;
  half.destroy = destroy;
  half.find_symbol = find_symbol;
  half.run = run;
  return &half;
}
