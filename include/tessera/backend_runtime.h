/* The runtime half of a backend: a C ABI between the runtime, which loads an artifact and decides
 * what happens when, and the code that executes a backend's regions on its devices.
 *
 * Life of an executable. For each target that its regions name: device_create, once, shared by all
 * code of that target. For each code blob: create. For each call of a region: find_symbol, then
 * prepare_constants. For each context and call: prepare, any number of infer_shapes and run,
 * release; prepare again when the context's number of threads changes. At the end destroy, then
 * device_destroy.
 *
 * Results. Functions that return int32_t return 0 for success and any other number for failure,
 * after logging a message at level ERROR through the services they got. They do not throw. A region
 * whose half fails is run by its next implementation, see tessera_context_run.
 *
 * Threads. Devices, instances and symbols are used by many threads at once, so every function may
 * be called at any time from any thread, except that destroying waits for all others and that one
 * context makes one call at a time.
 *
 * Growth. Structs only grow at the end. Those that the runtime hands out begin with `size`, how
 * much of the struct it knows; a half says the same of its own. A field may be read or written when
 * offsetof(field) + sizeof(field) <= size; functions and pointers behind the end count as null,
 * numbers as 0, and what lies behind the end of what the reader knows is ignored. So either side
 * may be newer than the other, see least_abi_version. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tessera/dltensor.h"
#include "tessera/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this header: goes up when structs grow. */
enum { TESSERA_BACKEND_RUNTIME_ABI_VERSION = 1 };

/** Alignment in bytes of workspace and of every buffer that the runtime allocates on the host.
 * Tensors of the caller (inputs, outputs placed by the caller) and parts of other tensors (of a
 * split, a slice, a concatenation) are aligned to their element size only. */
enum { TESSERA_BUFFER_ALIGNMENT = 64 };

/** In place of the number of an ONNX node: none. */
#define TESSERA_NO_NODE UINT32_MAX

/** Name of the memory space of the host. */
#define TESSERA_HOST_SPACE "host"

/** Levels of tessera_host_services.log. A message at level ERROR becomes the error message of the
 * call that fails. */
enum {
  TESSERA_LOG_ERROR = 0,
  TESSERA_LOG_WARNING = 1,
  TESSERA_LOG_INFO = 2,
  TESSERA_LOG_DEBUG = 3
};

/** What the runtime does for a backend during one call. Not to be kept after the call returns. The
 * functions are for the thread that was called; the body of a parallel_for may call num_threads,
 * allocate and release, and no other thread any. Offsets of the fields are part of the ABI:
 * generated code reads them by number. */
typedef struct tessera_host_services {
  uint32_t size;
  uint32_t reserved;
  void* host; /**< First argument of every function below. */

  /** Calls body(ctx, begin, end) on disjoint ranges that cover [0, n), on the threads of the
   * calling context (while loading: one per core), of which the caller is one, and returns when all
   * are done. At most four ranges for each thread, in any order; a thread has one after the other.
   * Runs inline when n is 1 or the context has one thread. Returns 0; or 1, and the call must fail,
   * when `allocate` gave null to a body. */
  int32_t (*parallel_for)(void* host, int64_t n,
                          void (*body)(void* ctx, int64_t begin, int64_t end), void* ctx);

  /** Memory for output `index` of the running call, whose shape is known only now. Returns null,
   * and the call must fail, when dims contradict the declared shape or memory is short.
   * Zero-element outputs get a valid pointer. */
  void* (*alloc_output)(void* host, uint32_t index, uint32_t rank, const int64_t* dims);

  /** At least `bytes` of scratch memory of the host, valid until the call returns or workspace is
   * called again; null when memory is short. Does not allocate when bytes is at most what the
   * artifact declares for the region, or what `prepare` asked for. */
  void* (*workspace)(void* host, size_t bytes);

  /** Reports a message (one sentence, lower-case first letter, no full stop); copied. */
  void (*log)(void* host, int32_t level, const char* message);

  /** Threads that parallel_for uses at most; at least 1. */
  int32_t (*num_threads)(void* host);

  /** Says that the running call must fail because sizes or data of this run do not fit: `text` is
   * one sentence in which {0} and {1} stand for `found` and `expected`, `node` counts the region's
   * ONNX nodes (TESSERA_NO_NODE: none). The status of the run is then TESSERA_ERROR_SHAPE. */
  void (*refuse)(void* host, uint32_t node, const char* text, int64_t found, int64_t expected);

  /** `bytes` of memory, aligned to TESSERA_BUFFER_ALIGNMENT, until `release` or the end of the
   * call; null, and the call must fail, when memory is short. The context keeps the memory: sizes
   * seen in an earlier run allocate nothing. Released by the thread that allocated. */
  void* (*allocate)(void* host, size_t bytes);
  void (*release)(void* host, void* memory);
} tessera_host_services;

/** Loads machine code from memory, for halves whose code blobs hold some. Valid, from any thread,
 * until device_destroy returns. */
typedef struct tessera_code_loader {
  uint32_t size;
  uint32_t reserved;

  /** Loads a shared object of this machine; its symbols are its own. The bytes may go. */
  int32_t (*load_code)(const tessera_host_services* services, const void* bytes, size_t size,
                       void** code);

  /** Address of an exported symbol; null when there is none. */
  void* (*find_code_symbol)(void* code, const char* name);

  /** Accepts null. None of its code may be running. */
  void (*unload_code)(void* code);
} tessera_code_loader;

/** What a device is made for. Texts are valid until device_destroy returns. */
typedef struct tessera_target {
  uint32_t size;
  uint32_t device_number; /**< 1 in "opencl:1"; 0 where the text has none. */
  const char* kind;       /**< "opencl" */
  const char* text;       /**< With its attributes: "opencl:1 -name=value". */
  const tessera_code_loader* code_loader;
} tessera_target;

/** A memory space as one device sees it. */
typedef struct tessera_space {
  uint32_t size;
  uint32_t number;       /**< By which other functions of this device name it. */
  tessera_device device; /**< DLPack device of tensors in it. */
} tessera_space;

/** Declared type of one argument of a symbol at one call site. */
typedef struct tessera_argument_type {
  uint32_t size;
  tessera_dtype dtype;
  int32_t rank;
  const int64_t* dims;      /**< -1: known at run time. */
  const char* layout;       /**< "": plain row-major. */
  int64_t size_bytes;       /**< Physical size; -1: known at run time. */
  const char* memory_space; /**< TESSERA_HOST_SPACE, or a space that find_space knows. */
} tessera_argument_type;

/** Declared types of all arguments of a symbol at one call site. */
typedef struct tessera_signature {
  uint32_t size;
  uint32_t num_inputs;
  uint32_t num_outputs;
  const tessera_argument_type* const* inputs;
  const tessera_argument_type* const* outputs;
} tessera_signature;

/** Arguments of one call of a symbol. All pointers are valid during the call only, those to memory
 * of tensors until the signalled event is reached. */
typedef struct tessera_call {
  uint32_t size;
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_wait_events;
  const tessera_host_services* services;
  void* symbol; /**< From find_symbol. */
  void* state;  /**< From prepare, for the calling context; null without. */
  /** Compact row-major, byte_offset 0, strides null, shapes fully known. With a layout in the
   * signature: data is in that layout, the shape stays logical, unless the signature has an open
   * dimension: then it is that in memory, here and there. */
  const tessera_dltensor* const* inputs;
  /** As inputs, but data is null where the shape is known only at run time: call alloc_output
   * then. */
  const tessera_dltensor* const* outputs;
  /** Events of this half, of any of its devices: the work begins when all are reached. */
  void* const* wait_events;
  /** Null: the call returns when its work is done. Otherwise an event of this device, which the
   * half makes reached when the work is done; the call may return before. */
  void* signal_event;
} tessera_call;

/** One copy of memory. Events and their meaning are those of tessera_call. */
typedef struct tessera_copy {
  uint32_t size;
  uint32_t num_wait_events;
  const tessera_host_services* services;
  uint32_t source_space;      /**< Of the source's device; without meaning for the host. */
  uint32_t destination_space; /**< Of the destination's device; without meaning for the host. */
  void* source_device;        /**< copy_peer: device, of this half, that holds the source. */
  const void* source;
  void* destination; /**< May overlap the source. */
  size_t size_bytes;
  void* const* wait_events;
  void* signal_event;
} tessera_copy;

/** The runtime half of one backend. Functions marked optional may be null. */
typedef struct tessera_backend_runtime {
  uint32_t size;        /**< sizeof(tessera_backend_runtime) of the half. */
  uint32_t abi_version; /**< TESSERA_BACKEND_RUNTIME_ABI_VERSION of the half. */
  const char* name;     /**< Target kind, as the artifact's targets name it. */
  const char* version;  /**< "0.1.0"; artifacts say which they need at least. */

  /** Makes an instance from a code blob of the artifact, whose checksum holds; `blob` stays valid
   * as long as the instance. `device` is null when the half has no device_create. */
  int32_t (*create)(void* device, const tessera_host_services* services, const void* blob,
                    size_t blob_size, void** instance);

  /** Frees the instance and all its symbols; accepts null. */
  void (*destroy)(void* instance);

  /** Resolves one entry for one call site; the symbol lives as long as the instance. */
  int32_t (*find_symbol)(void* instance, const tessera_host_services* services, const char* name,
                         const tessera_signature* signature, void** symbol);

  /** Runs a symbol. Allocates nothing that prepare could have. */
  int32_t (*run)(void* instance, const tessera_call* call);

  /** Optional. Opens the device that the target names. */
  int32_t (*device_create)(const tessera_host_services* services, const tessera_target* target,
                           void** device);
  void (*device_destroy)(void* device);

  /** Optional. Called once per call site that has constant inputs, before the first run: inputs[i]
   * is null where input i is not constant, and in host memory even if the argument is elsewhere. A
   * half that re-packs constant i sets released[i] to 1 and must not read the original again: its
   * memory may go, and loading fails when its checksum does not hold. */
  int32_t (*prepare_constants)(void* instance, const tessera_host_services* services, void* symbol,
                               const tessera_dltensor* const* inputs, uint32_t num_inputs,
                               uint8_t* released);

  /** Optional. Fills the shapes of all outputs (output_dims[i] has the declared rank) so that the
   * runtime allocates them before run. */
  int32_t (*infer_shapes)(void* instance, const tessera_call* call, int64_t* const* output_dims);

  /** Optional. What a context needs to run a symbol with services->num_threads threads: primitives
   * are built here, so that run allocates nothing. *workspace_bytes holds what the artifact
   * declares and may be raised. *state goes to run and infer_shapes, which get it one at a time. */
  int32_t (*prepare)(void* instance, const tessera_host_services* services, void* symbol,
                     void** state, uint64_t* workspace_bytes);
  /** Frees what prepare made. */
  void (*release)(void* instance, void* symbol, void* state);

  /** Optional, with the four after it. Fills number and device of a memory space that the device's
   * regions may have arguments in; returns 1, and logs nothing, when the device has no such space.
   * Spaces of one name are one space, whichever device is asked. An address in a space is a number
   * to which offsets in bytes may be added; only the half reads and writes what lies there. */
  int32_t (*find_space)(void* device, const char* name, tessera_space* space);
  /** Memory of a space; a valid address, aligned as the device needs it, for 0 bytes too. */
  int32_t (*space_alloc)(void* device, const tessera_host_services* services, uint32_t space,
                         size_t bytes, void** data);
  void (*space_free)(void* device, uint32_t space, void* data);
  int32_t (*copy_in)(void* device, const tessera_copy* copy);  /**< From the host. */
  int32_t (*copy_out)(void* device, const tessera_copy* copy); /**< To the host. */
  /** Optional. Between spaces of two devices of this half, or of one; called on the destination's.
   * Where null, and between devices of two halves, the runtime copies through the host. */
  int32_t (*copy_peer)(void* device, const tessera_copy* copy);

  /** Optional, with the four after it; without, calls and copies have no events. An event is made
   * reached again and again: by the work that signals it, or by event_record. */
  int32_t (*event_create)(void* device, const tessera_host_services* services, void** event);
  void (*event_destroy)(void* device, void* event);
  /** Makes the event reached when all work that the device got before is done. */
  int32_t (*event_record)(void* device, const tessera_host_services* services, void* event);
  /** Returns when the event is reached; fails when the work before it failed. */
  int32_t (*event_wait)(void* device, const tessera_host_services* services, void* event);
  /** 1 when the event is reached, 0 when not yet or when its work failed. Does not wait. */
  int32_t (*event_query)(void* device, void* event);

  /** Oldest version of this header whose runtime the half can work with; older ones refuse it. 0:
   * that of its own abi_version. */
  uint32_t least_abi_version;
  uint32_t reserved;
  /** Optional. When the device began and ended the work that made a reached event reached last, in
   * nanoseconds of CLOCK_MONOTONIC; for traces. Fails when it does not know. */
  int32_t (*event_times)(void* device, void* event, uint64_t* begin_ns, uint64_t* end_ns);
} tessera_backend_runtime;

/** What libtessera_backend_<kind>.so exports, and nothing else: returns the half, which stays valid
 * and the same until the process ends. */
TESSERA_API const tessera_backend_runtime* tessera_backend_entry(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
