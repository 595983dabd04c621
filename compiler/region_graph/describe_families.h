// Operators whose attributes need more than a line: windows, movement, resampling, recurrence.
#pragma once

#include "compiler/region_graph/describe.h"

namespace tessera::region_graph {

using DescribedList = Result<std::vector<Described>>;

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// The operator under its own name, with these operands and its results.
Described named(mlir::Operation* op, llvm::ArrayRef<mlir::Value> inputs);
/// The same with attributes.
template <typename T>
std::vector<Described> withAttributes(Described described, T attributes) {
  described.attributes.Set(std::move(attributes));
  std::vector<Described> list;
  list.push_back(std::move(described));
  return list;
}

DescribedList describeConv(ir::ConvOp op);
DescribedList describeConvTranspose(ir::ConvTransposeOp op);
DescribedList describePool(ir::MaxPoolOp op);
DescribedList describePool(ir::AveragePoolOp op);
DescribedList describeResize(ir::ResizeOp op);
DescribedList describeSlice(ir::SliceOp op);
DescribedList describeSplit(ir::SplitOp op);
DescribedList describeRecurrent(ir::RecurrentOpInterface op);

}  // namespace tessera::region_graph
