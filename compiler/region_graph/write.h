// A region function as a region graph.
#pragma once

#include "compiler/region_graph/describe.h"

namespace tessera::region_graph {

/// Operators of one block that are meant to run as one, in the order of their values: each but the
/// first reads the one result of the one before it, which nobody else reads.
using Chain = llvm::SmallVector<mlir::Operation*>;

/// The graph of `region`, whose name is its entry; `chains` become groups. Constants in the body
/// are inline, those among the arguments are arguments. Errors (kInvalidInput): the
/// first operator that cannot be described, with the reason.
Result<std::unique_ptr<GraphT>> describeRegion(mlir::func::FuncOp region,
                                               llvm::ArrayRef<Chain> chains = {});

/// The same where composites that a backend's pattern table made are chains of their operators.
Result<std::unique_ptr<GraphT>> describeMatched(mlir::func::FuncOp region);

}  // namespace tessera::region_graph
