// Backends that compute through the reference implementations. One is right and the host target;
// the other is wrong in one way that its target names, for the kit to find.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_upright {

std::unique_ptr<backend_api::Backend> createBackend();
const tessera_backend_runtime& runtimeHalf();

}  // namespace tessera::backend_upright

namespace tessera::backend_spoiled {

/// `spoiled -fault=last_lane`. Its regions are MLIR as text.
std::unique_ptr<backend_api::Backend> createBackend();
const tessera_backend_runtime& runtimeHalf();

/// The operator that `-fault=claim` takes and makes no code for, and that `-fault=silent` declines
/// without a reason.
inline constexpr llvm::StringLiteral kBrokenOperator = "softmax";

}  // namespace tessera::backend_spoiled
