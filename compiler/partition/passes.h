// From a simplified graph to one that names owners, layouts and regions.
#pragma once

#include <functional>
#include <memory>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::partition {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION  // registerPartitionPasses()
#include "compiler/partition/passes.h.inc"

/// The phase `partition` for the greedy placement: composites, owners, merging, outlining, layouts
/// and memory spaces at borders, folding, fusion of what was not merged, equal regions. Owners are
/// those of the module (backend_api::ownersOf). To be run through placeUntilAccepted.
void buildGreedyPartition(mlir::OpPassManager& manager,
                          const std::function<void(mlir::OpPassManager&)>& foldConstants);

/// On an argument of the entry function: a type, the layout and memory space in which it comes once
/// values have such (assign-layouts).
inline constexpr llvm::StringLiteral kBorderTypeAttribute = "tessera.border_type";
/// On the entry function: its results stay in the layouts and memory spaces in which they are made.
inline constexpr llvm::StringLiteral kAnyResultLayoutAttribute = "tessera.any_result_layout";
/// On the entry function, an i64: of each owner's layouts that can be had the one of this number
/// counts, 0 being the first, or the last where there are fewer.
inline constexpr llvm::StringLiteral kLayoutChoiceAttribute = "tessera.layout_choice";
/// On the module of an entry function whose results stay as they are made, an i64 that
/// assign-layouts leaves: the most layouts that an owner could have, where that is more than one.
inline constexpr llvm::StringLiteral kNumLayoutChoicesAttribute = "tessera.num_layout_choices";

/// How the names of regions begin that only bring values across a border in row-major order
/// (isolate-call, plain-borders).
inline constexpr llvm::StringLiteral kBorderRegionPrefix = "border_";
/// Whether plain-borders made the call that has this location, or what the call became since.
bool isAtBorder(mlir::Location loc);

/// On a result that the pass expose-regions added to the entry function: symbol of the region that
/// gives it.
inline constexpr llvm::StringLiteral kExposedAttribute = "tessera.exposed";

}  // namespace tessera::partition
