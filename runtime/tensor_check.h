// Checks a caller's tensor against a declared input or output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/outcome.h"
#include "tessera/dltensor.h"
#include "tessera/element_type.h"

namespace tessera::runtime {

/// DLPack type of an element type.
tessera_dtype dtypeOf(ElementType type);

/// Checks device, type, shape (-1 in `dims` fits anything), strides and alignment. `what` begins
/// the message: "input 'x'".
Outcome checkTensor(const tessera_dltensor& tensor, ElementType elementType,
                    const std::vector<int64_t>& dims, const std::string& what);

}  // namespace tessera::runtime
