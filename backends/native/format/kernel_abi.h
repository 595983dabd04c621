/* What the compiler half emits and the runtime half loads: a code blob is an ELF shared object
 * without dependencies; each region symbol is a C function of the type below. */
#pragma once

#include <stdint.h>

struct tessera_host_services; /* tessera/backend_runtime.h */

/** Version of this contract: a runtime half of an older one does not read the code. */
#define TESSERA_NATIVE_VERSION "2"

/** Runs one region.
 * buffers: data of all inputs, then of all outputs, in the region's order. Tensors of the caller
 * (model inputs and placed outputs) and views are aligned to their element size, all others to
 * TESSERA_BUFFER_ALIGNMENT. An output pointer is null when the output's declared shape has a '?':
 * call services->alloc_output(host, output index, rank, dims). sizes: run-time values of all '?'
 * dimensions of the inputs, input by input, outermost first. Returns 0, or any other number on
 * failure. */
typedef int32_t (*tessera_native_kernel)(const struct tessera_host_services* services,
                                         void* const* buffers, const int64_t* sizes);

/** Inputs that a kernel reads in a form of its own. Where the code exports an int64_t
 * `<entry>_prepared_<i>`, buffers[i] of the entry is memory of so many bytes, aligned to
 * TESSERA_BUFFER_ALIGNMENT, which `<entry>_prepare_<i>`, a function of the type above, has made:
 * its buffers are input i as the caller has it, and that memory. Once is enough where the input is
 * a constant. */

/** Most arguments (inputs and outputs), and most '?' dimensions, of one region. */
enum { TESSERA_NATIVE_MAX_ARGUMENTS = 1024 };
