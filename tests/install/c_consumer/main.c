/* The smallest program with the runtime: loads an artifact, feeds every f32 input with ones, runs,
 * prints each output's name, number of elements and sum. */
#include <stdio.h>
#include <stdlib.h>
#include <tessera/runtime.h>

enum { kMaxInputs = 8, kMaxRank = 8, kMessageSize = 256 };

static int64_t element_count(const int64_t* dims, int32_t rank) {
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i) count *= dims[i] < 0 ? 1 : dims[i];
  return count;
}

static int fail(const char* what, tessera_status status, const char* message) {
  fprintf(stderr, "%s: %s: %s\n", what, tessera_status_name(status), message);
  return 1;
}

/* Binds `storage` (allocated here) to one input; a dimension of run-time size becomes 1. */
static tessera_status bind_ones(tessera_context* context, const tessera_tensor_info* info,
                                int64_t* shape, float** storage) {
  if (info->rank > kMaxRank) return TESSERA_ERROR_INDEX_RANGE;
  const int64_t count = element_count(info->dims, info->rank);
  *storage = aligned_alloc(64, ((size_t)count * sizeof(float) + 63) / 64 * 64);
  if (*storage == NULL) return TESSERA_ERROR_OUT_OF_MEMORY;
  for (int64_t i = 0; i < count; ++i) (*storage)[i] = 1.0F;
  for (int32_t i = 0; i < info->rank; ++i) shape[i] = info->dims[i] < 0 ? 1 : info->dims[i];
  tessera_dltensor tensor = {0};
  tensor.data = *storage;
  tensor.device.device_type = TESSERA_DEVICE_CPU;
  tensor.ndim = info->rank;
  tensor.dtype = info->dtype;
  tensor.shape = shape;
  return tessera_context_set_input(context, info->name, &tensor);
}

static int print_outputs(tessera_context* context, const tessera_executable_info* info) {
  for (uint32_t i = 0; i < info->num_outputs; ++i) {
    tessera_dltensor output;
    const tessera_status status = tessera_context_get_output_at(context, i, &output);
    if (status != TESSERA_OK) return fail("get_output", status, tessera_context_message(context));
    const float* data = (const float*)((const char*)output.data + output.byte_offset);
    const int64_t count = element_count(output.shape, output.ndim);
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += data[k];
    printf("%s %lld %.6f\n", info->outputs[i]->name, (long long)count, sum);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s model.tsr\n", argv[0]);
    return 2;
  }
  char message[kMessageSize] = "";
  tessera_executable* executable = NULL;
  tessera_context* context = NULL;
  tessera_status status =
      tessera_executable_load_file(argv[1], NULL, &executable, message, sizeof message);
  if (status != TESSERA_OK) return fail("load", status, message);
  status = tessera_context_create(executable, NULL, &context, message, sizeof message);
  if (status != TESSERA_OK) return fail("create", status, message);

  const tessera_executable_info* info = tessera_executable_describe(executable);
  float* storage[kMaxInputs] = {NULL};
  int64_t shape[kMaxRank];
  int result = info->num_inputs > kMaxInputs
                   ? fail("describe", TESSERA_ERROR_INDEX_RANGE, "too many inputs")
                   : 0;
  for (uint32_t i = 0; result == 0 && i < info->num_inputs; ++i) {
    status = bind_ones(context, info->inputs[i], shape, &storage[i]);
    if (status != TESSERA_OK) result = fail("set_input", status, tessera_context_message(context));
  }
  if (result == 0) {
    status = tessera_context_run(context);
    result = status == TESSERA_OK ? print_outputs(context, info)
                                  : fail("run", status, tessera_context_message(context));
  }
  tessera_context_destroy(context);
  tessera_executable_destroy(executable);
  for (int i = 0; i < kMaxInputs; ++i) free(storage[i]);
  return result;
}
