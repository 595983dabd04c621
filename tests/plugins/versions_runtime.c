/* The runtime half of that backend: y = x + the blob. It checks sizes of structs likewise, by what
 * `least` and its own version leave possible: a runtime's version is not told. TESSERA_TEST_VERSION
 * is the version that it has, TESSERA_TEST_LEAST the oldest runtime that it can work with. */
#include <stdlib.h>
#include <string.h>

#include "tessera/backend_runtime.h"

/** Bytes by which the structs of the host are larger than ours: 0, or what a version adds. */
static long host_growth;

#define IS_HOSTS(pointer) ((long)(pointer)->size == (long)sizeof *(pointer) + host_growth)

typedef struct {
  const float* bias;
  size_t count;
} Instance;

static int32_t fail(const tessera_host_services* services, const char* message) {
  services->log(services->host, TESSERA_LOG_ERROR, message);
  return 1;
}

static int32_t device_create(const tessera_host_services* services, const tessera_target* target,
                             void** device) {
  host_growth = (long)services->size - (long)sizeof *services;
  *device = &host_growth;
  if (host_growth % 8 != 0 || host_growth < -8 || host_growth > 8)
    return fail(services, "the services have a strange size");
  return IS_HOSTS(target) && IS_HOSTS(target->code_loader) && strcmp(target->kind, "versions") == 0
             ? 0
             : fail(services, "a struct of a device is not the host's");
}
static void device_destroy(void* device) { (void)device; }

static int32_t create(void* device, const tessera_host_services* services, const void* blob,
                      size_t blob_size, void** instance) {
  Instance* made = malloc(sizeof *made);
  if (device != &host_growth || made == NULL) return fail(services, "that is not the device");
  made->bias = blob;
  made->count = blob_size / sizeof(float);
  *instance = made;
  return 0;
}
static void destroy(void* instance) { free(instance); }

static int32_t find_symbol(void* instance, const tessera_host_services* services, const char* name,
                           const tessera_signature* signature, void** symbol) {
  *symbol = instance;
  if (!IS_HOSTS(signature) || signature->num_inputs != 1 || signature->num_outputs != 1 ||
      !IS_HOSTS(signature->inputs[0]) || !IS_HOSTS(signature->outputs[0]))
    return fail(services, "a struct of a signature is not the host's");
  return strcmp(name, "main") == 0 ? 0 : fail(services, "there is no such entry");
}

static int32_t run(void* instance, const tessera_call* call) {
  const Instance* self = instance;
  const float* x = call->inputs[0]->data;
  float* y = call->outputs[0]->data;
  if (!IS_HOSTS(call) || !IS_HOSTS(call->services))
    return fail(call->services, "a struct of a call is not the host's");
  for (size_t i = 0; i < self->count; ++i) y[i] = x[i] + self->bias[i];
  return 0;
}

TESSERA_API const tessera_backend_runtime* tessera_backend_entry(void) {
  static tessera_backend_runtime half;
  const char* version = getenv("TESSERA_TEST_VERSION");
  const char* least = getenv("TESSERA_TEST_LEAST");
  memset(&half, 0, sizeof half);
  half.size = sizeof half;
  half.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
  half.least_abi_version = least != NULL ? (uint32_t)atoi(least) : 1;
  half.name = "versions";
  half.version = version != NULL ? version : "1.0";
  half.create = create;
  half.destroy = destroy;
  half.find_symbol = find_symbol;
  half.run = run;
  half.device_create = device_create;
  half.device_destroy = device_destroy;
#if NEXT_ABI
  half.added = UINT64_MAX;
  half.added_function = (int32_t (*)(void))(uintptr_t)1; /* Whoever calls it crashes. */
#endif
  return &half;
}
