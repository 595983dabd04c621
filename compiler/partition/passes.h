// From a simplified graph to one that names owners, layouts and regions.
#pragma once

#include <functional>
#include <memory>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::partition {

#define GEN_PASS_DECL
#include "compiler/partition/passes.h.inc"

/// Makes all passes of this folder known by name.
void registerPartitionPasses();

/// The phase `partition` for the greedy placement: composites, owners, merging, outlining, layouts
/// and memory spaces at borders, folding, fusion of what was not merged, equal regions. Owners are
/// those of the module (backend_api::ownersOf). To be run through placeUntilAccepted.
void buildGreedyPartition(mlir::OpPassManager& manager,
                          const std::function<void(mlir::OpPassManager&)>& foldConstants);

/// The function that stands for the model; null when there is none.
mlir::func::FuncOp entryFunction(mlir::ModuleOp module);

}  // namespace tessera::partition
