// What backends do in phase emit whose runtime half reads region graphs.
#pragma once

#include "compiler/backend_api/emission.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "region_graph/graph.h"

namespace tessera::region_graph {

/// A region as a graph, or why there is none: it is placed again.
using DescribeRegion =
    llvm::function_ref<Result<std::unique_ptr<GraphT>>(mlir::func::FuncOp region)>;

/// One blob with a graph for each region, under the region's name. `leastVersion` is that of the
/// oldest runtime half that reads it.
backend_api::Emission emitProgram(llvm::ArrayRef<mlir::func::FuncOp> regions,
                                  const backend_api::EmitContext& context, std::string leastVersion,
                                  DescribeRegion describe);

}  // namespace tessera::region_graph
