/* The compile half: asked which nodes it takes, and then for programs. */
#include <stdlib.h>

#include "program.h"
#include "tessera/onnx_graph.h"

typedef tessera_wire_field Field;

/** Elements of a value that is f32 of known shape; 0 for others. */
static uint64_t elements(Field graph, Field name) {
  uint32_t element = 0;
  int64_t dims[8];
  const int32_t rank = tessera_onnx_type(graph, name, &element, dims, 8);
  uint64_t count = rank >= 0 && element == 1;
  for (int32_t i = 0; i < rank; ++i) count *= dims[i] > 0 ? (uint64_t)dims[i] : 0;
  return count;
}

/** The opcode of a node whose values are all alike; 0 when there is none. */
static uint32_t opcode_of(Field graph, Field node) {
  static const char* const names[] = {"", "Relu", "Add", "Sub", "Mul"};
  Field output, input, type;
  uint32_t opcode = NUM_OPCODES - 1;
  if (!tessera_wire_find(node, TESSERA_ONNX_NODE_OUTPUT, 0, &output) ||
      !tessera_wire_find(node, TESSERA_ONNX_NODE_OP_TYPE, 0, &type) ||
      /* Another Relu than ONNX's. */
      (tessera_wire_find(node, TESSERA_ONNX_NODE_DOMAIN, 0, &input) && !tessera_wire_is(input, "")))
    return 0;
  for (uint32_t i = 0; tessera_wire_find(node, TESSERA_ONNX_NODE_INPUT, i, &input); ++i)
    if (elements(graph, input) != elements(graph, output)) return 0;
  while (opcode > 0 && !tessera_wire_is(type, names[opcode])) --opcode;
  return elements(graph, output) > 0 ? opcode : 0;
}

static int32_t query(const tessera_compile_services* services, const tessera_compile_target* target,
                     const tessera_onnx_model* model, const tessera_query_sink* sink) {
  tessera_node_answer answer = {.size = sizeof answer};
  answer.reason = "it has add, sub, mul and relu of f32 tensors of one known shape";
  Field graph = tessera_onnx_graph(model), node;
  for (uint32_t i = 0; tessera_wire_find(graph, TESSERA_ONNX_GRAPH_NODE, i, &node); ++i) {
    answer.kind = opcode_of(graph, node) ? TESSERA_NODE_TAKEN : TESSERA_NODE_REFUSED;
    sink->answer(sink->host, i, &answer);
  }
  return 0;
}

static uint32_t register_of(Field graph, const Header* header, Field name) {
  uint32_t at = tessera_onnx_position(graph, TESSERA_ONNX_GRAPH_INPUT, 1, name);
  if (at < header->num_inputs) return at;
  at = tessera_onnx_position(graph, TESSERA_ONNX_GRAPH_OUTPUT, 1, name);
  if (at == header->num_outputs)
    at += tessera_onnx_position(graph, TESSERA_ONNX_GRAPH_NODE, 2, name);
  return header->num_inputs + at;
}

/** Writes a program; 0 when the graph has what query refuses, or several sizes. */
static int assemble(Field graph, Header* header) {
  Instruction* code = (Instruction*)(header + 1);
  Field node, name = {0};
  *header = (Header){.magic = MAGIC};
  header->num_inputs = tessera_onnx_position(graph, TESSERA_ONNX_GRAPH_INPUT, 1, name);
  header->num_outputs = tessera_onnx_position(graph, TESSERA_ONNX_GRAPH_OUTPUT, 1, name);
  for (uint32_t i = 0; tessera_wire_find(graph, TESSERA_ONNX_GRAPH_NODE, i, &node); ++i) {
    const uint32_t opcode = opcode_of(graph, node);
    if (opcode == 0 || !tessera_wire_find(node, TESSERA_ONNX_NODE_OUTPUT, 0, &name)) return 0;
    if (i > 0 && elements(graph, name) != header->num_elements) return 0;
    header->num_elements = elements(graph, name);
    header->num_instructions = i + 1;
    code[i] = (Instruction){.opcode = opcode, .result = register_of(graph, header, name)};
    for (uint32_t k = 0; k < 2 && tessera_wire_find(node, TESSERA_ONNX_NODE_INPUT, k, &name); ++k)
      code[i].operands[k] = register_of(graph, header, name);
  }
  return 1;
}

static int32_t compile(const tessera_compile_services* services,
                       const tessera_compile_target* target,
                       const tessera_onnx_model* const* regions, uint32_t num_regions,
                       const tessera_compile_sink* sink) {
  for (uint32_t i = 0; i < num_regions; ++i) {
    /* A node has at least 2 bytes, and an instruction 16. */
    Header* blob = malloc(sizeof *blob + 8 * regions[i]->proto_size);
    if (blob && assemble(tessera_onnx_graph(regions[i]), blob)) {
      const uint64_t size = sizeof *blob + sizeof(Instruction) * blob->num_instructions;
      tessera_region_code code = {.size = sizeof code, .entry = "main"};
      code.blob = sink->add_blob(sink->host, blob, size);
      code.workspace_bytes = sizeof(float) * blob->num_elements * blob->num_instructions;
      sink->answer(sink->host, i, &code);
    }
    free(blob);
  }
  return 0;
}

const tessera_backend_compile* tessera_backend_compile_entry(uint32_t host_abi_version) {
  static tessera_backend_compile half = {.size = sizeof half, .name = "example", .version = "1"};
  half.abi_version = TESSERA_BACKEND_COMPILE_ABI_VERSION;
  half.query = query;
  half.compile = compile;
  return &half;
}
