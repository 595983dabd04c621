// Operations that become a function of their owner.
#pragma once

#include "compiler/partition/owner_index.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::partition {

/// Which constants that operations read go into the body of their function.
enum class Binding : uint8_t { kByRules, kAll, kNone };

/// A function made of operations that still stand where they stood.
struct ExtractedRegion {
  mlir::OwningOpRef<mlir::func::FuncOp> function;  ///< Private, in no module.
  llvm::SmallVector<mlir::Value> arguments;        ///< What a call passes.
  llvm::SmallVector<mlir::Value> results;          ///< What a call's results stand for.
};

/// Copies `operations` (of one block, producers before users, at least one) into a function `name`
/// that `owner` owns. Its arguments are what they read from elsewhere, in the order of first use;
/// constants go inside where the owner's rules want them, but for those that are converted, or as
/// `binding` says. Its
/// results are what is used elsewhere, in the order of the operations. For candidates that may
/// never be placed.
ExtractedRegion extractRegion(llvm::ArrayRef<mlir::Operation*> operations, llvm::StringRef name,
                              const backend_api::Owner& owner, const OwnerIndex& owners,
                              Binding binding = Binding::kByRules);

/// Replaces `operations` by a call of what extractRegion makes of them, behind the one that stands
/// last. In front of their first user, therefore, when they are neighbours, or when their results
/// are used behind the last one only. The function goes into the table's module.
mlir::func::CallOp outlineRegion(llvm::ArrayRef<mlir::Operation*> operations, llvm::StringRef name,
                                 const backend_api::Owner& owner, const OwnerIndex& owners,
                                 mlir::SymbolTable& symbols, Binding binding = Binding::kByRules);

/// Names of regions: `<kind>_<number>`, where all but letters and digits is `_`; numbers that the
/// module has not used.
class RegionNames {
 public:
  explicit RegionNames(const mlir::SymbolTable& symbols) : symbols_(symbols) {}
  std::string next(llvm::StringRef kind);

 private:
  const mlir::SymbolTable& symbols_;
  llvm::StringMap<int> count_;
};

}  // namespace tessera::partition
