/* The runtime half of plugins/example, which does what TESSERA_TEST_FAULT says: "crash:load", or
 * "wrong:3" from the third run of a process on. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define tessera_backend_entry example_entry
#include "plugins/example/runtime.c"
#undef tessera_backend_entry

static uint64_t num_runs; /* Of the process. */

/** Whether it is told to do `what` when it loads (0) or runs for the nth time. */
static int is_told(const char* what, uint64_t run) {
  const char* told = getenv("TESSERA_TEST_FAULT");
  const size_t length = strlen(what);
  if (told == NULL || strncmp(told, what, length) != 0 || told[length] != ':') return 0;
  if (strcmp(told + length + 1, "load") == 0) return run == 0;
  return run > 0 && run >= strtoull(told + length + 1, NULL, 10);
}

static int32_t misbehave(const tessera_host_services* services, uint64_t run) {
  if (is_told("crash", run)) raise(SIGSEGV);
  while (is_told("hang", run)) sleep(1);
  if (!is_told("fail", run)) return 0;
  services->log(services->host, TESSERA_LOG_ERROR, "it has no licence");
  return 1;
}

static int32_t faulty_create(void* device, const tessera_host_services* services, const void* blob,
                             size_t blob_size, void** instance) {
  num_runs = 0;
  return misbehave(services, 0) != 0 || create(device, services, blob, blob_size, instance) != 0;
}

static int32_t faulty_run(void* instance, const tessera_call* call) {
  const uint64_t number = ++num_runs;
  if (misbehave(call->services, number) != 0) return 1;
  if (is_told("idle", number)) return 0;
  if (run(instance, call) != 0) return 1;
  if (is_told("wrong", number)) *(float*)call->outputs[0]->data += 1;
  return 0;
}

const tessera_backend_runtime* tessera_backend_entry(void) {
  static tessera_backend_runtime half;
  half = *example_entry();
  half.create = faulty_create;
  half.run = faulty_run;
  return &half;
}
