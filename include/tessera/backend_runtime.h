/* The runtime half of a backend: a C ABI between the runtime, which loads an artifact and owns all
 * memory, and the code that executes a backend's regions. Both structs only ever grow at the end;
 * `size` says how much of one the other side knows, so a field may be read when offsetof(field) +
 * sizeof(field) <= size. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tessera/dltensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the meaning of this header; a runtime refuses a half whose abi_version differs. */
enum { TESSERA_BACKEND_RUNTIME_ABI_VERSION = 1 };

/** Alignment in bytes of workspace and of every buffer that the runtime allocates. Tensors of the
 * caller (inputs, outputs placed by the caller) and parts of other tensors (of a split, a slice, a
 * concatenation) are aligned to their element size only. */
enum { TESSERA_BUFFER_ALIGNMENT = 64 };

/** In place of the number of an ONNX node: none. */
#define TESSERA_NO_NODE UINT32_MAX

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
  uint32_t size; /**< sizeof(tessera_host_services) of the runtime. */
  uint32_t reserved;
  void* host; /**< First argument of every function below. */

  /** Calls body(ctx, begin, end) on disjoint ranges that cover [0, n), at most one per thread of
   * the calling context, and returns when all are done. Runs inline when n is 1 or the context has
   * one thread. Returns 0; or 1, and the call must fail, when `allocate` gave null to a body. */
  int32_t (*parallel_for)(void* host, int64_t n,
                          void (*body)(void* ctx, int64_t begin, int64_t end), void* ctx);

  /** Memory for output `index` of the running call, whose shape is known only now. Returns null,
   * and the call must fail, when dims contradict the declared shape or memory is short.
   * Zero-element outputs get a valid pointer. */
  void* (*alloc_output)(void* host, uint32_t index, uint32_t rank, const int64_t* dims);

  /** At least `bytes` of scratch memory, valid until the call returns or workspace is called again;
   * null when memory is short. Does not allocate when bytes is at most what the artifact declares
   * for the region. */
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

/** An event of an asynchronous backend; opaque to the runtime. */
typedef struct tessera_event tessera_event;

/** Arguments of one call of a symbol. All pointers are valid during the call only. */
typedef struct tessera_call {
  uint32_t size; /**< sizeof(tessera_call) of the runtime. */
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_wait_events;
  const tessera_host_services* services;
  void* symbol; /**< From find_symbol. */
  /** Compact row-major, byte_offset 0, strides null, shapes fully known. With a layout in the
   * signature: data is in that layout, the shape stays logical. */
  const tessera_dltensor* const* inputs;
  /** As inputs, but data is null where the shape is known only at run time: call alloc_output then.
   */
  const tessera_dltensor* const* outputs;
  tessera_event* const* wait_events;
  tessera_event* signal_event; /**< Null: the call is synchronous. */
} tessera_call;

/** Declared type of one argument of a symbol at one call site. */
typedef struct tessera_argument_type {
  tessera_dtype dtype;
  int32_t rank;
  const int64_t* dims; /**< -1: known at run time. */
  const char* layout;  /**< "": plain row-major. */
  int64_t size_bytes;  /**< Physical size; -1: known at run time. */
  uint32_t memory_space;
} tessera_argument_type;

/** Declared types of all arguments of a symbol at one call site. */
typedef struct tessera_signature {
  uint32_t size; /**< sizeof(tessera_signature) of the runtime. */
  uint32_t num_inputs;
  uint32_t num_outputs;
  const tessera_argument_type* const* inputs;
  const tessera_argument_type* const* outputs;
} tessera_signature;

/** The runtime half of one backend. Functions return 0 for success and any other number for
 * failure, after logging a message at level ERROR. An instance is used by many threads at once: run
 * and infer_shapes are re-entrant. */
typedef struct tessera_backend_runtime {
  uint32_t size; /**< sizeof(tessera_backend_runtime) of the half. */
  uint32_t abi_version;
  const char* name; /**< Target kind, as the artifact's implementations name it. */

  /** Makes an instance from a code blob of the artifact, whose checksum holds; `blob` stays valid
   * as long as the instance. */
  int32_t (*create)(const tessera_host_services* services, const void* blob, size_t blob_size,
                    void** instance);

  /** Frees the instance and all its symbols; accepts null. */
  void (*destroy)(void* instance);

  /** Resolves one entry for one call site; the symbol lives as long as the instance. */
  int32_t (*find_symbol)(void* instance, const tessera_host_services* services, const char* name,
                         const tessera_signature* signature, void** symbol);

  /** Runs a symbol. */
  int32_t (*run)(void* instance, const tessera_call* call);

  /** Optional. Called once per call site that has constant inputs: inputs[i] is null where input i
   * is not constant. A half that re-packs constant i sets released[i] to 1 and must not read the
   * original again: its memory may go, and loading fails when its checksum does not hold. */
  int32_t (*prepare_constants)(void* instance, const tessera_host_services* services, void* symbol,
                               const tessera_dltensor* const* inputs, uint32_t num_inputs,
                               uint8_t* released);

  /** Optional. Fills the shapes of all outputs (output_dims[i] has the declared rank) so that the
   * runtime allocates them before run. */
  int32_t (*infer_shapes)(void* instance, const tessera_call* call, int64_t* const* output_dims);

  /** Optional, for a backend with memory spaces of its own. Space 0 is the host. */
  int32_t (*space_alloc)(void* instance, uint32_t space, size_t bytes, void** data);
  void (*space_free)(void* instance, uint32_t space, void* data);
  int32_t (*copy_in)(void* instance, uint32_t space, void* destination, const void* host_source,
                     size_t bytes);
  int32_t (*copy_out)(void* instance, uint32_t space, void* host_destination, const void* source,
                      size_t bytes);
  int32_t (*copy_peer)(void* instance, uint32_t source_space, const void* source,
                       uint32_t destination_space, void* destination, size_t bytes);
} tessera_backend_runtime;

#ifdef __cplusplus
} /* extern "C" */
#endif
