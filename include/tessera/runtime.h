/* The C ABI of libtessera_runtime: load an artifact, bind tensors, run.
 *
 *   tessera_executable* executable = NULL;
 *   tessera_context* context = NULL;
 *   char message[256] = "";
 *   tessera_status status =
 *       tessera_executable_load_file("model.tsr", NULL, &executable, message, sizeof message);
 *   if (status == TESSERA_OK)
 *     status = tessera_context_create(executable, NULL, &context, message, sizeof message);
 *   if (status == TESSERA_OK) status = tessera_context_set_input(context, "x", &x);
 *   if (status == TESSERA_OK) status = tessera_context_run(context);
 *   if (status == TESSERA_OK) status = tessera_context_get_output(context, "y", &y);
 *   if (status != TESSERA_OK) puts(context ? tessera_context_message(context) : message);
 *   tessera_context_destroy(context);
 *   tessera_executable_destroy(executable);
 *
 * Every function that can fail returns a tessera_status. Structs that the library returns only ever
 * grow at the end. Structs that the caller fills begin with struct_size = sizeof(the struct) and
 * grow at the end too: members behind struct_size, which an older caller does not know, count as 0.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tessera/backend_runtime.h"
#include "tessera/dltensor.h"
#include "tessera/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a call: a number of status_codes.def, which says what each means. */
typedef int32_t tessera_status;
enum {
#define TESSERA_STATUS(name, number, meaning) name = (number),
#include "tessera/status_codes.def"
#undef TESSERA_STATUS
};

/** A loaded artifact. Immutable after load: any number of threads may use it at once. Outlives its
 * contexts. */
typedef struct tessera_executable tessera_executable;

/** One caller's state to run an executable: bound inputs, arena, outputs. One thread at a time. */
typedef struct tessera_context tessera_context;

/** An input or output. */
typedef struct tessera_tensor_info {
  const char* name;
  tessera_dtype dtype;
  int32_t rank;
  const int64_t* dims;          /**< -1: known only at run time. */
  const char* const* dim_names; /**< rank symbols, "" where a dimension has none. */
  const char* layout;           /**< "": plain row-major. */
  const char* memory_space;     /**< Where it lives: "host", "opencl:1". */
} tessera_tensor_info;

/** A name and a text. */
typedef struct tessera_metadata_entry {
  const char* key;
  const char* value;
} tessera_metadata_entry;

/** A region: what one backend runs as one function. */
typedef struct tessera_region_info {
  const char* name;
  const char* backend; /**< Kind of the target of the first implementation that can run here. */
  const char* op_kinds;
  uint32_t num_nodes;
  const char* const* node_names; /**< ONNX nodes it came from. */
  uint64_t flops;                /**< Per run. */
  uint64_t bytes;                /**< Read and written at least, per run. */
  uint32_t num_implementations;
  /** Whole text of that target: "opencl:1 -name=value". */
  const char* target;
  /** With inspect_only, all that the artifact holds of the region as text, for people and tools:
   * "implementations[0].cpuFeatures" is "avx2, fma". */
  uint32_t num_fields;
  const tessera_metadata_entry* const* fields;
} tessera_region_info;

/** A place where buffers live; the first one is the host's. */
typedef struct tessera_memory_space_info {
  const char* name;
  uint64_t arena_bytes; /**< Of the static plan, per context. */
} tessera_memory_space_info;

/** All that is known about an executable; borrowed from it. */
typedef struct tessera_executable_info {
  const char* producer;
  const char* model_name;
  const char* target;
  uint32_t default_threads; /**< 0: all cores. */
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_regions;
  uint32_t num_metadata;
  uint32_t num_cpu_features;
  const tessera_tensor_info* const* inputs;
  const tessera_tensor_info* const* outputs;
  const tessera_region_info* const* regions;
  const tessera_metadata_entry* const* metadata;
  /** LLVM's names of what every implementation of some region asks of the CPU: without these it
   * does not load. */
  const char* const* cpu_features;
  uint64_t arena_bytes; /**< Memory of the static plan, per context. */
  /** Most bytes live at once: no plan for these buffers can be smaller. */
  uint64_t lower_bound_bytes;
  uint64_t constant_bytes; /**< Stored constants, each counted once. */
  uint64_t code_bytes;
  uint32_t num_constants;
  uint32_t num_instructions;
  int32_t is_static; /**< 1: every shape and size is known before the run. */
  /** Buffers sized at run time; their memory is in none of the figures above. */
  uint32_t num_run_time_sized_buffers;
  uint32_t num_memory_spaces;
  const tessera_memory_space_info* const* memory_spaces;
} tessera_executable_info;

typedef struct tessera_load_options {
  size_t struct_size;
  /** Runtime halves of backends, searched before those linked in and the shared libraries
   * libtessera_backend_<kind>.so in the folders of TESSERA_PLUGIN_PATH and beside this library;
   * they must outlive the executable. */
  const tessera_backend_runtime* const* backends;
  uint32_t num_backends;
  /** load_memory only: 1 copies the bytes and compares every blob with its checksum, 0 borrows them
   * until the executable is destroyed. */
  int32_t copy_memory;
  /** 1: only for describe and verify. Backends, features of the CPU and memory spaces do not
   * matter, so an artifact for another machine opens too; contexts cannot be created. */
  int32_t inspect_only;
  /** Gives the bytes of a constant that the artifact refers to instead of holding it:
   * `content_hash` is their 128-bit XXH3 in 32 hexadecimal digits. Null when there are none. They
   * begin at a multiple of 64 and stay, unchanged, until the executable is destroyed. Called while
   * loading, by the thread that loads, with constant_user as `user`; may be null. */
  const void* (*find_constant)(void* user, const char* content_hash, uint64_t size_bytes);
  void* constant_user;
} tessera_load_options;

/** Most threads of one context. */
enum { TESSERA_MAX_THREADS = 1024 };

typedef struct tessera_context_options {
  size_t struct_size;
  int32_t num_threads; /**< 0: the artifact's default; above TESSERA_MAX_THREADS: as many. */
} tessera_context_options;

/** Time spent in one region since profiling was switched on. */
typedef struct tessera_profile_entry {
  uint32_t region; /**< Index into tessera_executable_info.regions. */
  uint32_t reserved;
  uint64_t count;   /**< Calls. */
  uint64_t time_ns; /**< Until the call returned; the work of a device may go on. */
} tessera_profile_entry;

/** Kinds of tessera_trace_event. */
enum {
  TESSERA_TRACE_CALL = 0, /**< Of a region. */
  TESSERA_TRACE_COPY = 1, /**< Between buffers. */
};

/** Most events that a trace holds; later ones are not recorded. */
enum { TESSERA_MAX_TRACE_EVENTS = 1 << 20 };

/** A stretch of time that one instruction of the host program took. What a device goes on doing
 * after a call returned is an event of its own. */
typedef struct tessera_trace_event {
  uint32_t kind;
  uint32_t instruction; /**< Position in the host program. */
  uint32_t region;      /**< CALL: index into tessera_executable_info.regions. */
  uint32_t reserved;
  /** Text of the target whose device worked, as long as the executable lives; null: the calling
   * thread. */
  const char* device;
  uint64_t bytes;    /**< COPY: how many, on the calling thread; else 0. */
  uint64_t begin_ns; /**< Of CLOCK_MONOTONIC. */
  uint64_t end_ns;
} tessera_trace_event;

/** Name of a status: "TESSERA_ERROR_DTYPE"; "unknown status" for other numbers. */
TESSERA_API const char* tessera_status_name(tessera_status status);

/** Version of the library: "0.1.0". */
TESSERA_API const char* tessera_runtime_version(void);

/** Maps the file and checks its header; touches no constant, except those that a backend re-packs.
 * Code and re-packed constants are copies, so their checksums are checked. `options`, `message` may
 * be null; message gets the reason of a failure. Fails with INVALID_ARGUMENT, FILE, CORRUPT,
 * VERSION, CHECKSUM, CONSTANT, CPU_FEATURE, BACKEND, OUT_OF_MEMORY, BACKEND_LOAD, KERNEL; those
 * after VERSION not with inspect_only. */
TESSERA_API tessera_status tessera_executable_load_file(const char* path,
                                                        const tessera_load_options* options,
                                                        tessera_executable** executable,
                                                        char* message, size_t message_size);

/** The same from memory, 64-byte aligned unless copied. A copy is checked against the checksums of
 * all blobs, with inspect_only too. Fails also with OUT_OF_MEMORY. */
TESSERA_API tessera_status tessera_executable_load_memory(const void* data, size_t size,
                                                          const tessera_load_options* options,
                                                          tessera_executable** executable,
                                                          char* message, size_t message_size);

/** Accepts null. Destroy all contexts first. */
TESSERA_API void tessera_executable_destroy(tessera_executable* executable);

/** Everything about it; never null for a loaded executable. */
TESSERA_API const tessera_executable_info* tessera_executable_describe(
    const tessera_executable* executable);

/** Compares every blob with its checksum; reads the whole artifact. Fails with CHECKSUM. */
TESSERA_API tessera_status tessera_executable_verify(const tessera_executable* executable,
                                                     char* message, size_t message_size);

/** Allocates arenas and static outputs, and has the backends prepare for the number of threads.
 * `options`, `message` may be null. Fails with INVALID_ARGUMENT (also for an executable loaded with
 * inspect_only), OUT_OF_MEMORY, and, where no implementation of a region can be prepared, what
 * load_file says of it. */
TESSERA_API tessera_status tessera_context_create(const tessera_executable* executable,
                                                  const tessera_context_options* options,
                                                  tessera_context** context, char* message,
                                                  size_t message_size);

/** Accepts null. */
TESSERA_API void tessera_context_destroy(tessera_context* context);

/** One sentence about the last call on this context that failed; "" before the first. Valid until
 * the next failure. */
TESSERA_API const char* tessera_context_message(const tessera_context* context);

/** Threads for the following runs; 0: the artifact's default. Backends prepare anew when the number
 * changes. Fails with INVALID_ARGUMENT (negative) and as context_create. */
TESSERA_API tessera_status tessera_context_set_num_threads(tessera_context* context,
                                                           int32_t num_threads);

/** Binds an input without copying: the data must stay valid, and unchanged during runs, until bound
 * anew or the context is destroyed; the tensor struct itself may go at once. An input that lives in
 * the memory space of a device (tessera_tensor_info.memory_space) is bound to memory there. Fails
 * with INVALID_ARGUMENT, NO_SUCH_NAME, INDEX_RANGE, DTYPE, SHAPE, STRIDES, ALIGNMENT, DEVICE; the
 * earlier binding then stands. */
TESSERA_API tessera_status tessera_context_set_input(tessera_context* context, const char* name,
                                                     const tessera_dltensor* tensor);
TESSERA_API tessera_status tessera_context_set_input_at(tessera_context* context, uint32_t index,
                                                        const tessera_dltensor* tensor);

/** Places an output of static shape in the caller's memory, under the rules of set_input; null:
 * back to the context's own memory. */
TESSERA_API tessera_status tessera_context_set_output(tessera_context* context, const char* name,
                                                      const tessera_dltensor* tensor);
TESSERA_API tessera_status tessera_context_set_output_at(tessera_context* context, uint32_t index,
                                                         const tessera_dltensor* tensor);

/** Runs to completion; allocates nothing when the executable is static. A region is run by the
 * first of its implementations that applies; one that fails gives way to the next, unless its
 * status is SHAPE, which is the input's fault. Each run begins with the first again, but one that
 * did not load or prepare is not tried twice. Work that a device began and that fails later fails
 * the run. Fails with INPUT_NOT_SET, SHAPE, OUT_OF_MEMORY, BACKEND, KERNEL, and with what loading
 * says of an implementation that no other follows. */
TESSERA_API tessera_status tessera_context_run(tessera_context* context);

/** Describes an output of the last successful run: data, shape and the struct's other pointers are
 * borrowed from the context and valid until its next run. Fails with INVALID_ARGUMENT,
 * NO_SUCH_NAME, INDEX_RANGE, NOT_RUN. */
TESSERA_API tessera_status tessera_context_get_output(tessera_context* context, const char* name,
                                                      tessera_dltensor* tensor);
TESSERA_API tessera_status tessera_context_get_output_at(tessera_context* context, uint32_t index,
                                                         tessera_dltensor* tensor);

/** Measures the time of each region during the following runs (1), or not (0, the default).
 * Switching on starts from zero. */
TESSERA_API tessera_status tessera_context_set_profiling(tessera_context* context, int32_t enabled);

/** One entry per region, in order of the regions; borrowed from the context, all zero before
 * profiling. */
TESSERA_API tessera_status tessera_context_profile(const tessera_context* context,
                                                   const tessera_profile_entry** entries,
                                                   uint32_t* num_entries);

/** Records when the following runs did what (1), or not (0, the default). Switching on forgets what
 * was recorded; recording allocates memory. */
TESSERA_API tessera_status tessera_context_set_tracing(tessera_context* context, int32_t enabled);

/** What was recorded, run after run, in the order in which it began on each device; borrowed from
 * the context until its next run, or until tracing is switched on. Calls and copies alone: views
 * take no time worth telling. What devices did is told of runs that succeed. */
TESSERA_API tessera_status tessera_context_trace(const tessera_context* context,
                                                 const tessera_trace_event** events,
                                                 uint32_t* num_events);

/** Bytes this context holds: arena, outputs, workspace, run-time-sized buffers. The latter share
 * memory where they do not live at the same time; that memory grows and is never given back. */
TESSERA_API uint64_t tessera_context_memory_bytes(const tessera_context* context);

/** Reads what of that memory is the host's, which is in caches afterwards, as far as it fits: for
 * who times a run as if others had come right before it. */
TESSERA_API void tessera_context_touch_memory(const tessera_context* context);

/** Calls body(ctx, begin, end) on disjoint ranges that cover [0, n), on at most `num_threads` of
 * the threads that all contexts of the process share, the caller among them; as the parallel_for of
 * backends. What a body runs, contexts included, stays in its thread. */
TESSERA_API void tessera_parallel_for(int64_t n, int32_t num_threads,
                                      void (*body)(void* ctx, int64_t begin, int64_t end),
                                      void* ctx);

/** Overwrites what of that memory is the host's with a byte, outputs included: what the next run
 * leaves out shows, where the run before it wrote the same. */
TESSERA_API void tessera_context_fill_memory(tessera_context* context, uint8_t value);

#ifdef __cplusplus
} /* extern "C" */
#endif
