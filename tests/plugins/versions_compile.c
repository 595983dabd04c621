/* The compile half of a backend that adds a constant, built against any version of the header: it
 * checks that every struct it gets has the size that the host's version has. TESSERA_TEST_LEAST is
 * the oldest host that it says it can work with. */
#include <stdlib.h>
#include <string.h>

#include "tessera/backend_compile.h"

static uint32_t host_version;

/** Whether a struct of `size` bytes comes from the host: ours has `own` bytes. */
static int is_hosts(uint32_t size, size_t own) {
  const uint32_t version = TESSERA_BACKEND_COMPILE_ABI_VERSION;
  return host_version > version ? size > own : host_version < version ? size < own : size == own;
}
#define IS_HOSTS(pointer) is_hosts((pointer)->size, sizeof *(pointer))

static int is_sound(const tessera_compile_services* services, const tessera_compile_target* target,
                    const tessera_onnx_model* model) {
  int result = IS_HOSTS(services) && IS_HOSTS(target) && IS_HOSTS(model) &&
               services->abi_version == host_version && target->num_attributes == 1 &&
               strcmp(target->attribute_names[0], "mode") == 0 &&
               strcmp(target->attribute_values[0], "slow") == 0;
  for (uint32_t i = 0; result && i < model->num_weights; ++i) result = IS_HOSTS(model->weights[i]);
  if (!result) services->log(services->host, TESSERA_LOG_ERROR, "a struct is not the host's");
  return result;
}

static int32_t query(const tessera_compile_services* services, const tessera_compile_target* target,
                     const tessera_onnx_model* model, const tessera_query_sink* sink) {
  tessera_node_answer answer;
  if (!is_sound(services, target, model) || !IS_HOSTS(sink)) return 1;
  memset(&answer, 0xff, sizeof answer); /* What the host does not know is anything. */
  answer.size = sizeof answer;
  answer.kind = TESSERA_NODE_TAKEN;
  answer.reason = NULL;
  sink->answer(sink->host, 0, &answer);
  return 0;
}

static int32_t query_region(const tessera_compile_services* services,
                            const tessera_compile_target* target, const tessera_onnx_model* region,
                            const tessera_region_sink* sink) {
  return is_sound(services, target, region) && IS_HOSTS(sink) ? 0 : 1;
}

static int32_t compile(const tessera_compile_services* services,
                       const tessera_compile_target* target,
                       const tessera_onnx_model* const* regions, uint32_t num_regions,
                       const tessera_compile_sink* sink) {
  tessera_region_code code;
  const tessera_weight* weight;
  if (!is_sound(services, target, regions[0]) || !IS_HOSTS(sink) || num_regions != 1 ||
      regions[0]->num_weights != 1)
    return 1;
  weight = regions[0]->weights[0];
  memset(&code, 0xff, sizeof code);
  code.size = sizeof code;
  code.blob = sink->add_blob(sink->host, weight->data, weight->data_size);
  code.entry = "main";
  code.workspace_bytes = 0;
  code.least_runtime_version = "1.0";
  sink->answer(sink->host, 0, &code);
  return 0;
}

TESSERA_API const tessera_backend_compile* tessera_backend_compile_entry(uint32_t host) {
  static const char* const values[] = {"slow", "fast"};
  static tessera_target_attribute mode;
  static const tessera_target_attribute* const attributes[] = {&mode};
  static tessera_backend_compile half;
  const char* least = getenv("TESSERA_TEST_LEAST");
  host_version = host;
  memset(&mode, 0xff, sizeof mode);
  mode.size = sizeof mode;
  mode.type = TESSERA_ATTRIBUTE_ENUM;
  mode.name = "mode";
  mode.help = "what it does";
  mode.default_value = "slow";
  mode.num_values = 2;
  mode.values = values;
  memset(&half, 0xff, sizeof half); /* A host that looks behind what it knows finds nonsense. */
  half.size = sizeof half;
  half.abi_version = TESSERA_BACKEND_COMPILE_ABI_VERSION;
  half.least_abi_version = least != NULL ? (uint32_t)atoi(least) : 1;
  half.num_attributes = 1;
  half.name = "versions";
  half.version = "1.0";
  half.attributes = attributes;
  half.opset = 0;
  half.needs_weights = 1;
  half.query = query;
  half.query_region = query_region;
  half.compile = compile;
  half.infer_types = NULL;
  return &half;
}
