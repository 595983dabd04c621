/* The compile half of a backend that is a library of its own: a C ABI between the compiler and a
 * tool chain that reads ONNX. The compiler asks which nodes of a model it takes, hands it the
 * finished regions as models, and puts the blobs that come back into the artifact, where the
 * backend's runtime half (tessera/backend_runtime.h, in the same library or another) finds them.
 *
 * Where it runs. The compiler loads the library in a process of its own, `tessera worker`, and asks
 * one thing at a time there, from one thread. A crash, an exit or an endless loop ends that process
 * and not the compiler: the backend then declines what it was asked.
 *
 * Results. Functions that return int32_t return 0 for success and any other number for failure,
 * after logging a message at level TESSERA_LOG_ERROR, one sentence, through the services they got.
 * They do not throw. Failing is declining all that was asked, and people are told.
 *
 * Threads. All functions are called by one thread, none while another one runs. Services may be
 * called by any thread of the half until the call that they came with returns.
 *
 * Ownership. What a call hands over is valid until it returns, in both directions: who wants to
 * keep it copies it. The half itself stays valid until the process ends. Texts are UTF-8.
 *
 * Growth. Structs only grow at the end and begin with `size`, how much of the struct its maker
 * knows. A field may be read when offsetof(field) + sizeof(field) <= size; functions and pointers
 * behind the end count as null, numbers as 0, and what lies behind the end of what the reader knows
 * is ignored. So either side may be newer than the other, see tessera_backend_compile_entry. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tessera/backend_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this header: goes up when structs grow. */
enum { TESSERA_BACKEND_COMPILE_ABI_VERSION = 1 };

/** Types of tessera_target_attribute. */
enum {
  TESSERA_ATTRIBUTE_STRING = 0,
  TESSERA_ATTRIBUTE_BOOL = 1,  /**< "true", "false" */
  TESSERA_ATTRIBUTE_INT = 2,   /**< 64 bits. */
  TESSERA_ATTRIBUTE_FLOAT = 3, /**< Double. */
  TESSERA_ATTRIBUTE_ENUM = 4   /**< One of `values`. */
};

/** An attribute that targets of the backend may set: "-precision=fast". */
typedef struct tessera_target_attribute {
  uint32_t size;
  int32_t type;
  const char* name; /**< Without the dash; one word. */
  const char* help; /**< One line. */
  const char* default_value;
  uint32_t num_values;
  uint32_t reserved;
  const char* const* values; /**< What an enum may be. */
} tessera_target_attribute;

/** What the compiler does for a half during one call. */
typedef struct tessera_compile_services {
  uint32_t size;
  uint32_t abi_version; /**< TESSERA_BACKEND_COMPILE_ABI_VERSION of the compiler. */
  void* host;           /**< First argument of every function below. */

  /** Reports a message (one sentence, lower-case first letter, no full stop); copied. The levels
   * are those of backend_runtime.h. The last one at level ERROR is the reason of a call that
   * fails; others go to standard error where the environment has TESSERA_LOG. */
  void (*log)(void* host, int32_t level, const char* message);

  /** How far long work has come. */
  void (*progress)(void* host, uint64_t done, uint64_t total);

  /** Threads that the half may keep busy; at least 1. */
  int32_t (*num_threads)(void* host);
} tessera_compile_services;

/** The target that is asked. */
typedef struct tessera_compile_target {
  uint32_t size;
  uint32_t device_number; /**< 1 in "example:1"; 0 where the text has none. */
  const char* text;       /**< Kind, device and all attributes: "example:1 -precision=fast". */
  uint32_t num_attributes;
  uint32_t reserved;
  const char* const* attribute_names; /**< Every attribute that the half declares, sorted. */
  const char* const* attribute_values;
} tessera_compile_target;

/** A large constant. In the model it is external data whose `location` is the hash. */
typedef struct tessera_weight {
  uint32_t size;
  uint32_t reserved;
  const char* hash; /**< Of the content: equal bytes have equal hashes, in every call. */
  /** Row-major, little-endian, bool one byte; aligned to 16 bytes; valid until the process ends.
   * Null when the call has no bytes, see needs_weights. */
  const void* data;
  uint64_t data_size;
} tessera_weight;

/** A model: a serialised onnx.ModelProto whose large constants are external data. The helper in
 * tessera/onnx_weights.h makes one message of both. Inputs, outputs and all values have types;
 * their names depend on nothing but the model. */
typedef struct tessera_onnx_model {
  uint32_t size;
  uint32_t num_weights;
  const void* proto;
  uint64_t proto_size;
  const tessera_weight* const* weights; /**< Each content once. */
} tessera_onnx_model;

/** Kinds of tessera_node_answer. */
enum {
  TESSERA_NODE_REFUSED = 0,
  TESSERA_NODE_TAKEN = 1,          /**< Whatever stands around it. */
  TESSERA_NODE_TAKEN_IN_GROUP = 2, /**< Together with all others of `group`, else not. */
};

typedef struct tessera_node_answer {
  uint32_t size;
  int32_t kind;
  uint32_t group; /**< Any number, the same for all of a group. */
  uint32_t reserved;
  const char* reason; /**< Of a refusal: one sentence. */
} tessera_node_answer;

/** Takes the answers to a query. Functions copy what they get; `host` is their first argument. */
typedef struct tessera_query_sink {
  uint32_t size;
  uint32_t reserved;
  void* host;
  /** Answers for node `node` of the graph, counted from 0. The last answer for a node counts; a
   * node without one is refused. */
  void (*answer)(void* host, uint32_t node, const tessera_node_answer* answer);
} tessera_query_sink;

/** Takes the answer about one region. */
typedef struct tessera_region_sink {
  uint32_t size;
  uint32_t reserved;
  void* host;
  /** The region is not taken: its nodes are placed again. Never called: it is taken. */
  void (*refuse)(void* host, const char* reason);
} tessera_region_sink;

/** How one region is run. */
typedef struct tessera_region_code {
  uint32_t size;
  uint32_t blob;            /**< From add_blob. */
  const char* entry;        /**< What the runtime half's find_symbol gets. */
  uint64_t workspace_bytes; /**< Scratch memory of one run; `prepare` may ask for more. */
  /** Oldest runtime half that reads the blob, as tessera_backend_runtime.version has it; null: any
   * does. */
  const char* least_runtime_version;
} tessera_region_code;

/** Takes code. Functions copy what they get; `host` is their first argument. */
typedef struct tessera_compile_sink {
  uint32_t size;
  uint32_t reserved;
  void* host;
  /** Keeps a blob, which may serve several regions; returns its number. */
  uint32_t (*add_blob)(void* host, const void* bytes, uint64_t blob_size);
  /** Says how region `region` is run. The last answer for a region counts. */
  void (*answer)(void* host, uint32_t region, const tessera_region_code* code);
  /** Refuses a region, as one without an answer is: it is placed again. */
  void (*refuse)(void* host, uint32_t region, const char* reason);
} tessera_compile_sink;

/** Takes the types of a node's outputs. */
typedef struct tessera_type_sink {
  uint32_t size;
  uint32_t reserved;
  void* host;
  /** The type of output `output` of the node. dims: -1 for a size known at run time. An output
   * without an answer keeps the type that the file declares. */
  void (*answer)(void* host, uint32_t output, tessera_dtype dtype, uint32_t rank,
                 const int64_t* dims);
} tessera_type_sink;

/** The compile half of one backend. Functions marked optional may be null. */
typedef struct tessera_backend_compile {
  uint32_t size;        /**< sizeof(tessera_backend_compile) of the half. */
  uint32_t abi_version; /**< TESSERA_BACKEND_COMPILE_ABI_VERSION of the half. */
  /** Oldest version of this header whose compiler the half can work with; older ones refuse it. 0:
   * that of its own abi_version. */
  uint32_t least_abi_version;
  uint32_t num_attributes;
  const char* name;    /**< Target kind: letters, digits, _ and -. */
  const char* version; /**< "0.1.0"; another one may give other answers and other code. */
  const tessera_target_attribute* const* attributes;
  int32_t opset;          /**< Of the models it gets: 13 to 23; 0: 23. */
  uint32_t needs_weights; /**< 1: `query` and `query_region` get the bytes of weights, too. */

  /** Says which nodes of a whole model it takes. Asked with the graph as simplified and with parts
   * of it; again when a region was refused. */
  int32_t (*query)(const tessera_compile_services* services, const tessera_compile_target* target,
                   const tessera_onnx_model* model, const tessera_query_sink* sink);

  /** Optional: without, every finished region is taken. Says whether it takes a region of nodes
   * that it took. */
  int32_t (*query_region)(const tessera_compile_services* services,
                          const tessera_compile_target* target, const tessera_onnx_model* region,
                          const tessera_region_sink* sink);

  /** Compiles all its regions of a module. Arguments of a region's entry are the inputs and outputs
   * of its graph, in their order. */
  int32_t (*compile)(const tessera_compile_services* services, const tessera_compile_target* target,
                     const tessera_onnx_model* const* regions, uint32_t num_regions,
                     const tessera_compile_sink* sink);

  /** Optional. Types of an operator that the compiler does not know, asked while a model is read:
   * `node` is a model of that node alone, its inputs typed as far as they are known, constants
   * among them as initialisers. */
  int32_t (*infer_types)(const tessera_compile_services* services, const tessera_onnx_model* node,
                         const tessera_type_sink* sink);
} tessera_backend_compile;

/** What a compile half exports. `host_abi_version` is the compiler's
 * TESSERA_BACKEND_COMPILE_ABI_VERSION: a half that knows several may answer as that one needs it.
 * Null: it cannot work with such a compiler. */
TESSERA_API const tessera_backend_compile* tessera_backend_compile_entry(uint32_t host_abi_version);

#ifdef __cplusplus
} /* extern "C" */
#endif
