// Which operators run as one primitive with post-ops: the pattern table, and what it matched as the
// runtime half reads it.
#pragma once

#include "compiler/backend_api/pattern_table.h"
#include "compiler/region_graph/write.h"

namespace tessera::backend_onednn {

/// A convolution, a product or a function of two operands, and behind it elementwise operators of
/// the result's sizes: activations, sums, products. The runtime half may still run one in parts.
const backend_api::PatternTable& patternTable();

/// A copy of a region in which the table's composites are operators again, in chains.
struct FlatRegion {
  mlir::OwningOpRef<mlir::func::FuncOp> function;
  std::vector<region_graph::Chain> chains;
};
FlatRegion flatten(mlir::func::FuncOp region);

}  // namespace tessera::backend_onednn
