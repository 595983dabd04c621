// Operators of the dialect as a region graph has them: attributes decoded, operands that only say
// sizes, axes or bounds read as attributes.
#pragma once

#include <vector>

#include "compiler/ir/tsr.h"
#include "region_graph/graph.h"
#include "tessera/status.h"

namespace tessera::region_graph {

/// One operator of a region graph, its tensors still values of the module.
struct Described {
  std::string name;
  AttributesUnion attributes = {};
  llvm::SmallVector<mlir::Value> inputs;   ///< Null: absent.
  llvm::SmallVector<mlir::Value> outputs;  ///< Null: absent or unused.
};

/// What `op` is in a region graph: one operator, or several (a split is a slice for each part).
/// Values that it names have known sizes. Errors (kInvalidInput): why no region graph can say it.
Result<std::vector<Described>> describe(mlir::Operation* op);

/// Whether the operand is read as an attribute when it is constant, so that it has to be in a
/// region's body: for RegionRules::isInlineConstant.
bool isDecoded(mlir::OpOperand& operand);

}  // namespace tessera::region_graph
