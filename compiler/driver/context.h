// A context with all dialects that passes and backends make.
#pragma once

#include <memory>

#include "compiler/backend_api/registry.h"
#include "mlir/IR/MLIRContext.h"

namespace tessera::driver {

/// `backends` outlive it; modules in it find their owners there.
std::unique_ptr<mlir::MLIRContext> makeContext(const backend_api::BackendRegistry& backends);

}  // namespace tessera::driver
