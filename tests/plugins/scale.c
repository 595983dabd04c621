/* Both halves of a backend that knows operators which Tessera does not: com.example.Scale, y = x *
 * factor, and the type of com.example.Like, whose input is its shape. TESSERA_TEST_INFER says what
 * else it does than answering types. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "tessera/onnx_graph.h"

typedef tessera_wire_field Field;

static int32_t fail(const tessera_compile_services* services, const char* message) {
  services->log(services->host, TESSERA_LOG_ERROR, message);
  return 1;
}

static int is_ours(Field node, const char* name) {
  Field type, domain;
  return tessera_wire_find(node, TESSERA_ONNX_NODE_OP_TYPE, 0, &type) &&
         tessera_wire_find(node, TESSERA_ONNX_NODE_DOMAIN, 0, &domain) &&
         tessera_wire_is(type, name) && tessera_wire_is(domain, "com.example");
}

/** The attribute of that name: AttributeProto.name is field 1, its `f` field 2. */
static float factor_of(Field node) {
  Field attribute, name, value;
  float factor = NAN;
  for (uint32_t i = 0; tessera_wire_find(node, TESSERA_ONNX_NODE_ATTRIBUTE, i, &attribute); ++i) {
    if (tessera_wire_find(attribute, 1, 0, &name) && tessera_wire_is(name, "factor") &&
        tessera_wire_find(attribute, 2, 0, &value) && value.type == 5)
      memcpy(&factor, value.content, sizeof factor);
  }
  return factor;
}

/** Answers the sizes that the node's input holds, an initializer of int64. */
static int32_t infer_like(Field graph, Field node, const tessera_type_sink* sink) {
  const tessera_dtype f32 = {TESSERA_DTYPE_FLOAT, 32, 1};
  Field name, constant, data;
  int64_t dims[4] = {0};
  size_t size;
  if (!tessera_wire_find(node, TESSERA_ONNX_NODE_INPUT, 0, &name) ||
      !tessera_wire_find(graph, TESSERA_ONNX_GRAPH_INITIALIZER,
                         tessera_onnx_position(graph, TESSERA_ONNX_GRAPH_INITIALIZER,
                                               8 /* TensorProto.name */, name),
                         &constant) ||
      !tessera_wire_find(constant, TESSERA_ONNX_TENSOR_RAW_DATA, 0, &data))
    return 0;
  size = (size_t)(data.end - data.content);
  if (size > sizeof dims) return 0;
  memcpy(dims, data.content, size);
  sink->answer(sink->host, 0, f32, (uint32_t)(size / sizeof(int64_t)), dims);
  return 0;
}

static int32_t infer_types(const tessera_compile_services* services,
                           const tessera_onnx_model* model, const tessera_type_sink* sink) {
  const Field graph = tessera_onnx_graph(model);
  const tessera_dtype f32 = {TESSERA_DTYPE_FLOAT, 32, 1}, i64 = {TESSERA_DTYPE_INT, 64, 1};
  const char* told = getenv("TESSERA_TEST_INFER");
  Field node, input;
  uint32_t element = 0;
  int64_t dims[8] = {0}, huge[] = {INT64_MAX, INT64_MAX};
  int32_t rank;
  if (!tessera_wire_find(graph, TESSERA_ONNX_GRAPH_NODE, 0, &node)) return 0;
  if (is_ours(node, "Like")) return infer_like(graph, node, sink);
  if (!is_ours(node, "Scale") || !tessera_wire_find(node, TESSERA_ONNX_NODE_INPUT, 0, &input) ||
      isnan(factor_of(node)))
    return 0;
  rank = tessera_onnx_type(graph, input, &element, dims, 8);
  if (rank < 0) return fail(services, "the type of its input is not known");
  if (told == NULL) {
    sink->answer(sink->host, 0, f32, (uint32_t)rank, dims);
    sink->answer(sink->host, 7, f32, 0, NULL); /* There is no such output. */
    return 0;
  }
  if (strcmp(told, "crash") == 0) raise(SIGSEGV);
  if (strcmp(told, "fail") == 0) return fail(services, "its licence has no types");
  if (strcmp(told, "integer") == 0) sink->answer(sink->host, 0, i64, (uint32_t)rank, dims);
  if (strcmp(told, "huge") == 0) sink->answer(sink->host, 0, f32, 2, huge);
  if (strcmp(told, "deep") == 0) sink->answer(sink->host, 0, f32, 5000000, NULL);
  if (strcmp(told, "code") == 0)
    sink->answer(sink->host, 0, (tessera_dtype){99, 3, 1}, (uint32_t)rank, dims);
  return 0;
}

static int32_t query(const tessera_compile_services* services, const tessera_compile_target* target,
                     const tessera_onnx_model* model, const tessera_query_sink* sink) {
  const Field graph = tessera_onnx_graph(model);
  Field node;
  (void)services, (void)target;
  for (uint32_t i = 0; tessera_wire_find(graph, TESSERA_ONNX_GRAPH_NODE, i, &node); ++i) {
    tessera_node_answer answer = {sizeof answer, TESSERA_NODE_TAKEN, 0, 0, "it scales"};
    if (!is_ours(node, "Scale")) answer.kind = TESSERA_NODE_REFUSED;
    sink->answer(sink->host, i, &answer);
  }
  return 0;
}

static int32_t compile(const tessera_compile_services* services,
                       const tessera_compile_target* target,
                       const tessera_onnx_model* const* regions, uint32_t num_regions,
                       const tessera_compile_sink* sink) {
  (void)services, (void)target;
  for (uint32_t i = 0; i < num_regions; ++i) {
    tessera_region_code code = {sizeof code, 0, "scale", 0, NULL};
    Field node;
    float factor = NAN;
    if (!tessera_wire_find(tessera_onnx_graph(regions[i]), TESSERA_ONNX_GRAPH_NODE, 0, &node))
      return 1;
    factor = factor_of(node);
    code.blob = sink->add_blob(sink->host, &factor, sizeof factor);
    sink->answer(sink->host, i, &code);
  }
  return 0;
}

TESSERA_API const tessera_backend_compile* tessera_backend_compile_entry(uint32_t host) {
  static const tessera_backend_compile half = {.size = sizeof half,
                                               .abi_version = TESSERA_BACKEND_COMPILE_ABI_VERSION,
                                               .name = "scale",
                                               .version = "1",
                                               .query = query,
                                               .compile = compile,
                                               .infer_types = infer_types};
  (void)host;
  return &half;
}

static int32_t create(void* device, const tessera_host_services* services, const void* blob,
                      size_t blob_size, void** instance) {
  (void)device, (void)services;
  *instance = (void*)blob;
  return blob_size == sizeof(float) ? 0 : 1;
}
static void destroy(void* instance) { (void)instance; }
static int32_t find_symbol(void* instance, const tessera_host_services* services, const char* name,
                           const tessera_signature* signature, void** symbol) {
  (void)instance, (void)services, (void)symbol;
  return strcmp(name, "scale") == 0 && signature->num_inputs == 1 ? 0 : 1;
}
static int32_t infer_shapes(void* instance, const tessera_call* call, int64_t* const* dims) {
  const tessera_dltensor* x = call->inputs[0];
  (void)instance;
  memcpy(dims[0], x->shape, (size_t)x->ndim * sizeof(int64_t));
  return 0;
}
static int32_t run(void* instance, const tessera_call* call) {
  const tessera_dltensor* x = call->inputs[0];
  float factor = 0;
  int64_t count = 1;
  memcpy(&factor, instance, sizeof factor);
  for (int32_t i = 0; i < x->ndim; ++i) count *= x->shape[i];
  for (int64_t i = 0; i < count; ++i)
    ((float*)call->outputs[0]->data)[i] = ((const float*)x->data)[i] * factor;
  return 0;
}

TESSERA_API const tessera_backend_runtime* tessera_backend_entry(void) {
  static const tessera_backend_runtime half = {.size = sizeof half,
                                               .abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION,
                                               .name = "scale",
                                               .version = "1",
                                               .create = create,
                                               .destroy = destroy,
                                               .find_symbol = find_symbol,
                                               .run = run,
                                               .infer_shapes = infer_shapes};
  return &half;
}
