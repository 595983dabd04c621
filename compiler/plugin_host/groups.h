// Operators that a plugin takes together or not at all, until their regions are finished.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::plugin_host {

/// Groups of the modules that a session places, by the ONNX nodes of their operators. A group is
/// forgotten when all that it has is asked about again. Thread-safe.
class Groups {
 public:
  /// What was said of `asked`, operators of one module; `target` is the target's text.
  void learn(const std::string& target, llvm::ArrayRef<mlir::Operation*> asked,
             const std::vector<std::vector<mlir::Operation*>>& groups);

  /// Why a finished region cannot be: it has a part of a group; empty when it has none or all.
  std::string whyTorn(const std::string& target, mlir::func::FuncOp region) const;

 private:
  /// Modules of two contexts may be placed at once, and nodes of two models have one name.
  using Key = std::pair<mlir::MLIRContext*, std::string>;
  using Names = std::set<std::string>;

  mutable std::mutex mutex_;
  std::map<Key, std::vector<Names>> groups_;
};

}  // namespace tessera::plugin_host
