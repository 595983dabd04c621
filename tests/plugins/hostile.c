/* A compile half that takes everything and then does what its attribute -do says. TESSERA_TEST_LOAD
 * says what it does when it is loaded. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tessera/onnx_weights.h"

static const char* doing(const tessera_compile_target* target) {
  for (uint32_t i = 0; i < target->num_attributes; ++i) {
    if (strcmp(target->attribute_names[i], "do") == 0) return target->attribute_values[i];
  }
  return "";
}

/** Whether it is told to do `what` in `call`: "crash:query", "crash:all". */
static int is_told(const tessera_compile_target* target, const char* what, const char* call) {
  const char* told = doing(target);
  const size_t length = strlen(what);
  if (strncmp(told, what, length) != 0 || told[length] != ':') return 0;
  return strcmp(told + length + 1, call) == 0 || strcmp(told + length + 1, "all") == 0;
}

/** Sends a message of its own over the connection: sizes, then the object. */
static void forge(const void* object, uint64_t size) {
  const uint64_t sizes[2] = {size, 0};
  if (write(3, sizes, sizeof sizes) < 0 || write(3, object, (size_t)size) < 0) abort();
}

static void misbehave(const tessera_compile_target* target, const char* call) {
  if (is_told(target, "crash", call)) raise(SIGSEGV);
  if (is_told(target, "abort", call)) abort();
  if (is_told(target, "exit", call)) exit(3);
  if (is_told(target, "hang", call)) {
    fprintf(stderr, "hanging %d\n", (int)getpid());
    for (;;) sleep(1);
  }
  if (is_told(target, "forge", call)) forge("\xa1\x61x\x9b\x10\0\0\0\0\0\0\0", 12);
  if (is_told(target, "deep", call)) {
    static char nested[1 << 20];
    memset(nested, 0x81, sizeof nested); /* Arrays in arrays. */
    forge(nested, sizeof nested);
  }
  if (is_told(target, "deaf", call)) { /* Nothing is left of the connection but the process. */
    for (int i = 0; i < 100; ++i) close(i);
    for (;;) sleep(1);
  }
  if (is_told(target, "noise", call)) {
    puts("noise on standard output");
    fflush(stdout);
  }
  if (is_told(target, "garbage", call) &&
      write(3, "these are no bytes of a message, are they", 41) < 0)
    abort();
}

static int32_t fail(const tessera_compile_services* services, const char* message) {
  services->log(services->host, TESSERA_LOG_ERROR, message);
  return 1;
}

static uint32_t number_of_nodes(const tessera_onnx_model* model) {
  const unsigned char* at = model->proto;
  const unsigned char* end = at + model->proto_size;
  tessera_wire_field field, node;
  uint32_t count = 0;
  while (tessera_wire_next(&at, end, &field)) {
    const unsigned char* inner = field.content;
    if (field.number != TESSERA_ONNX_MODEL_GRAPH) continue;
    while (tessera_wire_next(&inner, field.end, &node))
      count += node.number == TESSERA_ONNX_GRAPH_NODE;
  }
  return count;
}

static int32_t query(const tessera_compile_services* services, const tessera_compile_target* target,
                     const tessera_onnx_model* model, const tessera_query_sink* sink) {
  const uint32_t count = number_of_nodes(model);
  tessera_node_answer answer = {sizeof answer, TESSERA_NODE_TAKEN, 0, 0, NULL};
  misbehave(target, "query");
  if (is_told(target, "fail", "query")) return fail(services, "it has\nno licence");
  if (is_told(target, "silent", "query")) return 0;
  if (is_told(target, "kind", "query")) answer.kind = 77;
  if (is_told(target, "short", "query")) answer.size = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (is_told(target, "group", "query")) {
      answer.kind = i == 1 ? TESSERA_NODE_REFUSED : TESSERA_NODE_TAKEN_IN_GROUP;
      answer.group = i < 3 ? 7 : 8;
      answer.reason = "the second one is refused";
    }
    if (is_told(target, "whole", "query")) answer.kind = TESSERA_NODE_TAKEN_IN_GROUP;
    sink->answer(sink->host, i, is_told(target, "null", "query") ? NULL : &answer);
  }
  if (is_told(target, "wrong", "query")) sink->answer(sink->host, count + 5, &answer);
  return 0;
}

static int32_t query_region(const tessera_compile_services* services,
                            const tessera_compile_target* target, const tessera_onnx_model* region,
                            const tessera_region_sink* sink) {
  (void)region;
  misbehave(target, "region");
  if (is_told(target, "fail", "region")) return fail(services, "it has no licence");
  if (is_told(target, "refuse", "region")) sink->refuse(sink->host, "it does not like it");
  return 0;
}

static int32_t compile(const tessera_compile_services* services,
                       const tessera_compile_target* target,
                       const tessera_onnx_model* const* regions, uint32_t num_regions,
                       const tessera_compile_sink* sink) {
  tessera_region_code code = {sizeof code, 0, "main", 0, NULL};
  (void)regions;
  misbehave(target, "compile");
  if (is_told(target, "fail", "compile")) return fail(services, "it has no licence");
  if (is_told(target, "silent", "compile")) return 0;
  code.blob = sink->add_blob(sink->host, "code", 4);
  if (is_told(target, "wrong", "compile")) code.blob = 99;
  if (is_told(target, "huge", "compile")) code.workspace_bytes = UINT64_MAX;
  if (is_told(target, "nameless", "compile")) code.entry = NULL;
  if (is_told(target, "control", "compile")) code.entry = "a\nb\033[31m";
  if (is_told(target, "text", "compile")) code.least_runtime_version = "\xff\n";
  if (is_told(target, "empty", "compile")) code.blob = sink->add_blob(sink->host, "", 0);
  if (is_told(target, "null", "compile")) code.blob = sink->add_blob(sink->host, NULL, 10);
  if (is_told(target, "unread", "compile")) sink->add_blob(sink->host, "unread", 6);
  if (is_told(target, "mute", "compile")) sink->refuse(sink->host, 0, NULL);
  if (is_told(target, "mute", "compile")) return 0;
  if (is_told(target, "far", "compile")) sink->add_blob(sink->host, "code", UINT64_C(1) << 60);
  for (uint32_t i = 0; i < num_regions; ++i)
    sink->answer(sink->host, i, is_told(target, "nothing", "compile") ? NULL : &code);
  if (is_told(target, "extra", "compile")) sink->answer(sink->host, num_regions, &code);
  return 0;
}

TESSERA_API const tessera_backend_compile* tessera_backend_compile_entry(uint32_t host) {
  static const tessera_target_attribute attribute = {
      sizeof attribute, TESSERA_ATTRIBUTE_STRING, "do", "what it does", "nothing", 0, 0, NULL};
  static const tessera_target_attribute* const attributes[] = {&attribute, &attribute};
  static char name[300];
  static tessera_backend_compile half = {.size = sizeof half,
                                         .abi_version = TESSERA_BACKEND_COMPILE_ABI_VERSION,
                                         .least_abi_version = 1,
                                         .num_attributes = 1,
                                         .name = "hostile",
                                         .version = "6.6.6",
                                         .attributes = attributes,
                                         .query = query,
                                         .query_region = query_region,
                                         .compile = compile};
  const char* told = getenv("TESSERA_TEST_LOAD");
  (void)host;
  if (told == NULL) return &half;
  if (strcmp(told, "crash") == 0) raise(SIGSEGV);
  if (strcmp(told, "hang") == 0) sleep(1000);
  if (strcmp(told, "null") == 0) return NULL;
  if (strcmp(told, "newer") == 0) half.least_abi_version = 9;
  if (strcmp(told, "nameless") == 0) half.name = NULL;
  if (strcmp(told, "empty") == 0) half.size = 8;
  if (strcmp(told, "taken") == 0) half.name = "native";
  if (strcmp(told, "exit") == 0) exit(3);
  if (strcmp(told, "versionless") == 0) half.abi_version = 0;
  if (strcmp(told, "functionless") == 0) half.query = NULL;
  if (strcmp(told, "listless") == 0) half.attributes = NULL;
  if (strcmp(told, "interpreter") == 0) half.name = "reference";
  if (strcmp(told, "sentence") == 0) half.name = "two words";
  if (strcmp(told, "long") == 0) half.name = memset(name, 'x', sizeof name - 1);
  if (strcmp(told, "twice") == 0) half.num_attributes = 2;
  if (strcmp(told, "many") == 0) half.num_attributes = UINT32_MAX;
  if (strcmp(told, "text") == 0) half.version = "1\xff\n\033[31m";
  if (strcmp(told, "opset") == 0) half.opset = 3;
  return &half;
}
