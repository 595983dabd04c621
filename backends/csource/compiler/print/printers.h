// The printers of operators that have loops of their own.
#pragma once

#include <optional>
#include <string>

#include "backends/csource/compiler/nest_writer.h"

namespace tessera::backend_csource {

/// Writes the body of the nest and says how many items it has.
using Printer = void (*)(NestWriter& w);
/// Why an application is declined, beyond types that nobody takes; nothing when it is not.
using Refusal = std::optional<std::string> (*)(mlir::Operation* op);

// Named in nests.def.
void printArgExtreme(NestWriter& w);
void printAveragePool(NestWriter& w);
void printConcat(NestWriter& w);
void printConv(NestWriter& w);
void printConvTranspose(NestWriter& w);
void printDepthToSpace(NestWriter& w);
void printExpand(NestWriter& w);
void printGather(NestWriter& w);
void printGemm(NestWriter& w);
void printGlobalPool(NestWriter& w);
void printGroupNorm(NestWriter& w);
void printLayerNorm(NestWriter& w);
void printLrn(NestWriter& w);
void printMatmul(NestWriter& w);
void printMaxPool(NestWriter& w);
void printPad(NestWriter& w);
void printReduce(NestWriter& w);
void printReduceLogSumExp(NestWriter& w);
void printResize(NestWriter& w);
void printSlice(NestWriter& w);
void printSoftmax(NestWriter& w);
void printSplit(NestWriter& w);
void printTile(NestWriter& w);
void printTranspose(NestWriter& w);
std::optional<std::string> refuseConv(mlir::Operation* op);
std::optional<std::string> refuseConvTranspose(mlir::Operation* op);
std::optional<std::string> refuseGather(mlir::Operation* op);
std::optional<std::string> refuseLayerNorm(mlir::Operation* op);
std::optional<std::string> refuseNothing(mlir::Operation* op);
std::optional<std::string> refusePad(mlir::Operation* op);
std::optional<std::string> refusePool(mlir::Operation* op);
std::optional<std::string> refuseProduct(mlir::Operation* op);
std::optional<std::string> refuseReduce(mlir::Operation* op);
std::optional<std::string> refuseResize(mlir::Operation* op);
std::optional<std::string> refuseSlice(mlir::Operation* op);

struct NestRow {
  llvm::StringLiteral name;  ///< Of the operation.
  Printer print;
  Refusal refuse;
};
/// Null for operators that have no loops of their own here.
const NestRow* findNestRow(mlir::Operation* op);
llvm::ArrayRef<NestRow> nestRows();

}  // namespace tessera::backend_csource
