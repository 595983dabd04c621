// Checks a caller's tensor against a declared input or output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/backend/outcome.h"
#include "tessera/dltensor.h"
#include "tessera/element_type.h"

namespace tessera::runtime {

/// DLPack type of an element type.
tessera_dtype dtypeOf(ElementType type);

/// What a tensor of the caller must be.
struct ExpectedTensor {
  ElementType elementType;
  const std::vector<int64_t>& dims;  ///< -1 fits anything.
  tessera_device device;             ///< The number of a CPU does not matter.
};

/// Checks device, type, shape, strides and alignment. `what` begins the message: "input 'x'".
Outcome checkTensor(const tessera_dltensor& tensor, const ExpectedTensor& expected,
                    const std::string& what);

}  // namespace tessera::runtime
