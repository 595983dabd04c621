// Names for the values and nodes of one model.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Value.h"

namespace tessera::onnx {

/// Hands out each name once: a second "conv1" becomes "conv1_2". The same requests in the same
/// order give the same names.
class UniqueNames {
 public:
  /// `wanted`, where it is free, else the first free one of wanted_2, wanted_3, ...
  std::string take(std::string_view wanted);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> nextNumber_;
};

/// Names of values; one set for the graph and all its subgraphs, since a name in a subgraph hides
/// nothing outside.
class ValueNames {
 public:
  bool contains(mlir::Value value) const { return names_.contains(value); }
  /// Gives `value` a free name that is `wanted` or like it.
  const std::string& assign(mlir::Value value, std::string_view wanted);
  /// The name of a value that has one; empty otherwise.
  std::string_view find(mlir::Value value) const;
  /// A free name for what is no value of the function.
  std::string take(std::string_view wanted) { return unique_.take(wanted); }
  /// Gives `value` a name taken before.
  void set(mlir::Value value, std::string name) { names_[value] = std::move(name); }

 private:
  UniqueNames unique_;
  llvm::DenseMap<mlir::Value, std::string> names_;
};

}  // namespace tessera::onnx
