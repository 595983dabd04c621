// The pieces of the importer that make MLIR, as they see each other; import.h is the entry.
#pragma once

#include <optional>

#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/op_info.h"
#include "frontends/onnx/import/graph/graph.h"
#include "frontends/onnx/import/import.h"
#include "frontends/onnx/import/upgrade/upgrade.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/Builders.h"

namespace tessera::onnx {

/// State of one import.
struct Importer {
  explicit Importer(mlir::MLIRContext* context) : builder(context), diagnostics(context) {}

  mlir::OpBuilder builder;  ///< Its insertion point is where the next operation goes.
  ir::DiagnosticCapture diagnostics;
  /// Nodes that may still be imported: bodies of nested loops are imported again when the types of
  /// the values they carry widen, and this bounds the whole.
  size_t remainingNodes = 0;
  /// Results of an If whose branches differ in rank, and what is computed from them element by
  /// element: the lower rank got dimensions of size 1 in front. Broadcasting with a value of the
  /// higher rank does not see them; nothing else may use such a value.
  llvm::DenseSet<mlir::Value> padded;
  const TypeInference* inferTypes = nullptr;  ///< Of operators that the dialect does not know.
  /// Why it gave no types, for those that it failed on.
  llvm::DenseMap<mlir::Operation*, std::string> whyUntyped;
};

/// The first error since the last call, without MLIR's prefix for the operation; `fallback` when
/// there was none.
Error takeReason(Importer& importer, std::string fallback);

/// An error when `value`, which the model calls `name`, is used for more than broadcasting although
/// its rank depends on the data.
Status checkRankIsKnown(const Importer& importer, mlir::Value value, std::string_view name);

/// The values of one graph by name, on top of those of the graphs around it.
class Scope final : public KnownValues {
 public:
  /// `block` takes the constants of the graph's initializers. All references outlive the scope.
  Scope(Importer& importer, const Graph& graph, mlir::Block& block, Scope* outer);

  void define(const std::string& name, mlir::Value value) { values_[name] = value; }
  /// The value; an initializer becomes a constant on first use. Errors: not defined, a constant
  /// that is no tensor of the dialect.
  Result<mlir::Value> lookup(const std::string& name);
  std::optional<ValueType> typeOf(std::string_view name) const override;
  std::optional<TensorData> constantOf(std::string_view name) const override;
  /// What the file says about a value's type.
  ValueType declaredType(const std::string& name) const;

 private:
  Importer& importer_;
  const Graph& graph_;
  mlir::Block& block_;
  Scope* outer_;
  std::unordered_map<std::string, mlir::Value> values_;
  std::unordered_map<std::string_view, const Initializer*> initializers_;
  std::unordered_map<std::string_view, const ValueType*> outputTypes_;
  mlir::Operation* lastConstant_ = nullptr;
};

/// Results by the node's output index; null for outputs that the node does not ask for.
using NodeResults = llvm::SmallVector<mlir::Value>;

/// Imports the nodes of `graph`, whose inputs are already defined in `scope`, and returns its
/// outputs.
Result<llvm::SmallVector<mlir::Value>> importNodes(Importer& importer, const Graph& graph,
                                                   Scope& scope);

/// One operator of the table with its result types inferred. Absent inputs are null. Errors name no
/// node.
Result<NodeResults> importTensorOp(Importer& importer, const Node& node, const ir::OpInfo& info,
                                   llvm::ArrayRef<mlir::Value> inputs, mlir::Location location);
/// Any other operator, as tsr.custom with the result types that somebody infers, else those the
/// file declares. Errors: inferred element types contradict the file's.
Result<NodeResults> importCustomOp(Importer& importer, const Node& node,
                                   llvm::ArrayRef<mlir::Value> inputs, const Scope& scope,
                                   mlir::Location location);
/// Operators whose bodies see `scope`.
constexpr std::string_view kControlFlowOperators[] = {"If", "Loop", "Scan"};
bool isControlFlow(const Node& node);
Result<NodeResults> importControlFlow(Importer& importer, const Node& node,
                                      llvm::ArrayRef<mlir::Value> inputs, Scope& scope,
                                      mlir::Location location);

}  // namespace tessera::onnx
