// Functions on tensors -> the kernel ABI.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace tessera::lowering {

/// Every public func.func over ranked tensors (arguments and results) becomes a kernel in ABI form
/// (kernel_function.h): inputs are read from the caller's buffers, results are destined for the
/// caller's output buffers (bufferization.materialize_in_destination, so that bufferisation
/// computes them there), results with '?' dimensions for memory of services->alloc_output, asked
/// for as early as their shape is known. No i1 tensors in the signature. On modules.
std::unique_ptr<mlir::Pass> createWrapKernelPass();

}  // namespace tessera::lowering
