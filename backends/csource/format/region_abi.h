/* What the compiler half emits and the runtime half loads: a code blob is a shared object that the
 * system's C compiler made; each region is a C function of the type below. */
#pragma once

#include <stdint.h>

struct tessera_host_services; /* tessera/backend_runtime.h */

/** Version of this contract: a runtime half of an older one does not read the code. */
#define TESSERA_CSOURCE_VERSION "1"

/** Runs one region. buffers: data of all inputs, then of all outputs, in the region's order; what
 * the caller owns is aligned to its element size only. Returns 0, or any other number on failure.
 */
typedef int32_t (*tessera_csource_region)(const struct tessera_host_services* services,
                                          void* const* buffers);
