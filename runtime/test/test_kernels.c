/* Kernels in the ABI of backends/native/format/kernel_abi.h, standing in for generated code. */
#include <stddef.h>
#include <stdint.h>

#include "tessera/backend_runtime.h"

/* A shared object of the compiler has no dependencies either. */
#define KERNEL(name)                                                                         \
  __attribute__((visibility("default"))) int32_t name(const tessera_host_services* services, \
                                                      void* const* buffers, const int64_t* sizes)

KERNEL(add16) {
  const float* a = buffers[0];
  const float* b = buffers[1];
  float* sum = buffers[2];
  (void)services, (void)sizes;
  for (int i = 0; i < 16; ++i) sum[i] = a[i] + b[i];
  return 0;
}

KERNEL(twice16) {
  const float* x = buffers[0];
  float* y = buffers[1];
  (void)services, (void)sizes;
  for (int i = 0; i < 16; ++i) y[i] = 2 * x[i];
  return 0;
}

/* [?, 3] -> [?, 3] */
KERNEL(twice_dynamic) {
  const int64_t dims[2] = {sizes[0], 3};
  const float* x = buffers[0];
  float* y = buffers[1];
  if (y != NULL) return 3; /* Only its size at run time is known. */
  y = services->alloc_output(services->host, 0, 2, dims);
  if (y == NULL) return 2;
  for (int64_t i = 0; i < sizes[0] * 3; ++i) y[i] = 2 * x[i];
  return 0;
}

/* [?] f32 -> [?] i64: positions of the non-zero elements; the size depends on the data. */
KERNEL(non_zero) {
  const float* x = buffers[0];
  int64_t count = 0;
  for (int64_t i = 0; i < sizes[0]; ++i) count += x[i] != 0;
  int64_t* y = services->alloc_output(services->host, 0, 1, &count);
  if (y == NULL) return 2;
  for (int64_t i = 0; i < sizes[0]; ++i) {
    if (x[i] != 0) *y++ = i;
  }
  return 0;
}

/* Writes the values of sizes that it gets: two inputs [?, 2], [3, ?] -> [2] i64 */
KERNEL(report_sizes) {
  int64_t* y = buffers[2];
  (void)services;
  y[0] = sizes[0];
  y[1] = sizes[1];
  return 0;
}

KERNEL(return_error) {
  (void)services, (void)buffers, (void)sizes;
  return 7;
}

KERNEL(log_error) {
  (void)buffers, (void)sizes;
  services->log(services->host, TESSERA_LOG_ERROR,
                "index 12 is out of range, expected less than 10");
  return 1;
}

KERNEL(forget_output) {
  (void)services, (void)buffers, (void)sizes;
  return 0;
}

/* Asks for an output of the wrong rank. */
KERNEL(wrong_rank) {
  const int64_t dims[3] = {1, 1, 1};
  (void)buffers, (void)sizes;
  return services->alloc_output(services->host, 0, 3, dims) == NULL ? 5 : 0;
}

KERNEL(huge_output) {
  const int64_t dims[1] = {INT64_C(1) << 58};
  (void)buffers, (void)sizes;
  return services->alloc_output(services->host, 0, 1, dims) == NULL ? 5 : 0;
}

/* [4096] f32 -> [4096] f32: x + 1, in parallel. */
struct increment {
  const float* x;
  float* y;
};

static void increment_range(void* context, int64_t begin, int64_t end) {
  const struct increment* work = context;
  for (int64_t i = begin; i < end; ++i) work->y[i] = work->x[i] + 1;
}

KERNEL(increment4096) {
  struct increment work = {buffers[0], buffers[1]};
  (void)sizes;
  services->parallel_for(services->host, 4096, increment_range, &work);
  return 0;
}

/* [16] f32 -> [16] f32: reversed through 1 MB of workspace; y[0] becomes -1 when it is unaligned.
 */
KERNEL(reverse_through_workspace) {
  const float* x = buffers[0];
  float* y = buffers[1];
  float* scratch = services->workspace(services->host, (size_t)1 << 20);
  (void)sizes;
  if (scratch == NULL) return 2;
  for (int i = 0; i < 16; ++i) scratch[i] = x[15 - i];
  for (int i = 0; i < 16; ++i) y[i] = scratch[i];
  if ((uintptr_t)scratch % TESSERA_BUFFER_ALIGNMENT != 0) y[0] = -1;
  return 0;
}

/* [16] f32 -> [16] f32: copied; it asks for a workspace of no bytes. */
KERNEL(copy_without_scratch) {
  const float* x = buffers[0];
  float* y = buffers[1];
  (void)sizes;
  (void)services->workspace(services->host, 0);
  for (int i = 0; i < 16; ++i) y[i] = x[i];
  return 0;
}

KERNEL(report_threads) {
  (void)sizes;
  *(int64_t*)buffers[0] = services->num_threads(services->host);
  return 0;
}

/* [1] f32 -> [1] f32: x, refused when it is negative, after taking memory that it does not release.
 */
KERNEL(refuse_negative) {
  const float* x = buffers[0];
  (void)sizes;
  if (services->allocate(services->host, 100000) == NULL) return 2;
  if (x[0] < 0) {
    services->refuse(services->host, 1, "x is {0}, expected at least {1}", (int64_t)x[0], 0);
    return 1;
  }
  *(float*)buffers[1] = x[0];
  return 0;
}

/* -> [64] f32: 1 where each iteration finds in memory of its own what it wrote there. */
struct allocate_work {
  const tessera_host_services* services;
  float* y;
};

static void allocate_range(void* context, int64_t begin, int64_t end) {
  const struct allocate_work* work = context;
  for (int64_t i = begin; i < end; ++i) {
    int64_t* memory = work->services->allocate(work->services->host, 1000);
    int ok = memory != NULL;
    for (int k = 0; ok && k < 100; ++k) memory[k] = i;
    for (int k = 0; ok && k < 100; ++k) ok = memory[k] == i;
    work->y[i] = (float)ok;
    work->services->release(work->services->host, memory);
  }
}

KERNEL(allocate_in_threads) {
  struct allocate_work work = {services, buffers[0]};
  (void)sizes;
  services->parallel_for(services->host, 64, allocate_range, &work);
  return 0;
}

/* -> [1] f32; no memory is as large as each iteration asks for. Returns 1 where parallel_for says
 * so. */
static void allocate_too_much(void* context, int64_t begin, int64_t end) {
  const struct allocate_work* work = context;
  (void)begin;
  (void)end;
  work->y[0] = work->services->allocate(work->services->host, (size_t)1 << 62) == NULL ? 0 : 1;
}

KERNEL(run_short_in_threads) {
  struct allocate_work work = {services, buffers[0]};
  (void)sizes;
  return services->parallel_for(services->host, 64, allocate_too_much, &work) == 1 ? 1 : 0;
}
