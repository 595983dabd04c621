/* The smallest runtime half, wrong where the test says so: PLUGIN_NAME is what it calls itself,
 * PLUGIN_ABI its ABI version, PLUGIN_VERSION its version. Devices cannot be created: the message
 * says how GOMP_SPINCOUNT stood when the library was loaded. */
#include <stdio.h>
#include <stdlib.h>

#include "tessera/backend_runtime.h"

static char spin_count[64] = "unset";

__attribute__((constructor)) static void remember_spin_count(void) {
  const char* value = getenv("GOMP_SPINCOUNT");
  if (value != NULL) snprintf(spin_count, sizeof spin_count, "%s", value);
}

static int32_t create(void* device, const tessera_host_services* services, const void* blob,
                      size_t blob_size, void** instance) {
  (void)device, (void)services, (void)blob, (void)blob_size, (void)instance;
  return 1;
}

static void destroy(void* instance) { (void)instance; }

static int32_t find_symbol(void* instance, const tessera_host_services* services, const char* name,
                           const tessera_signature* signature, void** symbol) {
  (void)instance, (void)services, (void)name, (void)signature, (void)symbol;
  return 1;
}

static int32_t run(void* instance, const tessera_call* call) {
  (void)instance, (void)call;
  return 1;
}

static int32_t device_create(const tessera_host_services* services, const tessera_target* target,
                             void** device) {
  char message[128];
  (void)target, (void)device;
  snprintf(message, sizeof message, "loaded with GOMP_SPINCOUNT %s", spin_count);
  services->log(services->host, TESSERA_LOG_ERROR, message);
  return 1;
}

static void device_destroy(void* device) { (void)device; }

static const tessera_backend_runtime half = {
    .size = sizeof half,
    .abi_version = PLUGIN_ABI,
    .name = PLUGIN_NAME,
    .version = PLUGIN_VERSION,
    .create = create,
    .destroy = destroy,
    .find_symbol = find_symbol,
    .run = run,
    .device_create = device_create,
    .device_destroy = device_destroy,
};

const tessera_backend_runtime* tessera_backend_entry(void) {
  return PLUGIN_ABI == 0 ? NULL : &half;
}
