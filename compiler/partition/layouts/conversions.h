// Conversions between layouts and memory spaces, and who runs them.
#pragma once

#include <map>
#include <optional>

#include "compiler/partition/owner_index.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::partition {

/// Inserts `tsr.relayout` and `tsr.copy`. Each is offered like an operator: to who wants the value,
/// to who made it, to the host target, to the others in their order. A value is converted once to
/// each type, right behind its producer.
class Conversions {
 public:
  Conversions(mlir::ModuleOp module, const mlir::SymbolTable& symbols, const OwnerIndex& owners)
      : module_(module), symbols_(symbols), owners_(owners) {}

  /// Whether a value of type `from` can become one of type `to`. Null owners are the host program.
  bool isPossible(mlir::RankedTensorType from, mlir::RankedTensorType to,
                  const backend_api::Owner* consumer, const backend_api::Owner* producer);
  /// As isPossible, where conversions that folding leaves nothing of are possible, too.
  bool isPossible(mlir::Value value, mlir::RankedTensorType to, const backend_api::Owner* consumer);

  /// Whether `owner` takes the operator that makes one type of another that differs in order or in
  /// space, not in both.
  bool takes(const backend_api::Owner& owner, mlir::RankedTensorType from,
             mlir::RankedTensorType to);

  /// `value` in the layout and space of `to`; null when that is not possible.
  mlir::Value convert(mlir::Value value, mlir::RankedTensorType to,
                      const backend_api::Owner* consumer);

 private:
  struct Step {
    mlir::RankedTensorType to;
    const backend_api::Owner* owner;  ///< Null: left to folding.
  };
  using Steps = llvm::SmallVector<Step>;

  /// An operator's owner, or that of the region that is called; null for the host program.
  const backend_api::Owner* producerOf(mlir::Value value) const;
  std::optional<Steps> plan(mlir::RankedTensorType from, mlir::RankedTensorType to,
                            llvm::ArrayRef<const backend_api::Owner*> candidates);
  std::optional<Steps> planFor(mlir::Value value, mlir::RankedTensorType to,
                               const backend_api::Owner* consumer);
  llvm::SmallVector<const backend_api::Owner*> candidatesOf(const backend_api::Owner* consumer,
                                                            const backend_api::Owner* producer);
  mlir::Value insert(mlir::Value value, const Step& step);

  mlir::ModuleOp module_;
  const mlir::SymbolTable& symbols_;
  const OwnerIndex& owners_;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> made_;
  std::map<std::tuple<const void*, const void*, const backend_api::Owner*>, bool> answers_;
};

}  // namespace tessera::partition
