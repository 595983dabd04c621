// From a simplified graph to one that names owners, layouts and regions.
#pragma once

#include <memory>

#include "compiler/backend_api/backend.h"
#include "mlir/Pass/Pass.h"

namespace tessera::partition {

/// Gives every tensor operator of the entry function an owner (`tessera.target`): the first of
/// `owners` that supports it. Composites that nobody takes are replaced by their bodies. Operators
/// that only rename static memory stay without an owner: they belong to the host program. Fails,
/// with each owner's reason, when nobody takes an operator.
std::unique_ptr<mlir::Pass> createAnnotateTargetsPass(backend_api::Owners owners);

/// Gives every value the layout its owner prefers and inserts `tsr.relayout` between owners that
/// disagree.
std::unique_ptr<mlir::Pass> createAssignLayoutsPass(backend_api::Owners owners);

/// Fuses operators of one owner along their post-dominators (TVM's FuseOps) and makes each group a
/// function with an owner, called from the entry function. Slices, splits and concatenations that
/// fuse with nothing stay there instead, without an owner, where the host program realises them as
/// views: all parts lie in one stretch of memory, and those of a concatenation can be computed
/// right there.
std::unique_ptr<mlir::Pass> createFuseRegionsPass(backend_api::Owners owners);

/// Keeps one of all regions that differ only in name and location.
std::unique_ptr<mlir::Pass> createMergeEqualRegionsPass();

/// Makes every result of every region's call a result of the entry function, behind its own results
/// and in the order of the calls, row-major: regions of the value's owner convert those that are
/// not. No part of a compilation: for comparing targets value by value, after `post_partition`.
std::unique_ptr<mlir::Pass> createExposeRegionsPass();

/// The phase `partition` for the greedy placement: the passes above, in order.
void buildGreedyPartition(mlir::OpPassManager& manager, const backend_api::Owners& owners,
                          const std::function<void(mlir::OpPassManager&)>& foldConstants);

/// The function that stands for the model.
mlir::func::FuncOp entryFunction(mlir::ModuleOp module);

}  // namespace tessera::partition
