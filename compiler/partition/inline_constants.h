// Constants that go into the body of what reads them.
#pragma once

#include "compiler/backend_api/backend.h"

namespace tessera::partition {

/// Whether the operand is a constant that an owner with these rules wants in the body of a region.
bool isInlineConstant(mlir::OpOperand& operand, const backend_api::RegionRules& rules);

}  // namespace tessera::partition
