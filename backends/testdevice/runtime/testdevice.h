// The runtime half, for tests that link it into their own program: what an application would get
// from a vendor's library, and the journal of what the devices did.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/testdevice/runtime/journal.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_testdevice {

/// The half, as the shared library's entry gives it.
const tessera_backend_runtime* half();

/// Memory of device `number` (0 or 1), for tensors of the caller.
void* allocate(uint32_t number, size_t bytes);
void free(uint32_t number, void* address);
void write(uint32_t number, void* destination, const void* source, size_t bytes);
void read(uint32_t number, void* destination, const void* source, size_t bytes);
size_t numAllocations(uint32_t number);

/// DLPack's number of devices without one of their own (kDLExtDev).
inline constexpr int32_t kDlpackDevice = 12;

}  // namespace tessera::backend_testdevice
