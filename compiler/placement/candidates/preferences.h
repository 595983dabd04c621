// What rules of the user say about operators that they prefer somewhere.
#pragma once

#include "compiler/partition/owner_index.h"
#include "compiler/placement/operator_graph.h"
#include "llvm/ADT/ArrayRef.h"

namespace tessera::placement {

/// The targets that rules prefer for operators of a module to which apply-pins was applied, where
/// they take them.
class Preferences {
 public:
  Preferences(const OperatorGraph& graph, const partition::OwnerIndex& owners);

  /// Whether none of these nodes would rather be another target's.
  bool allow(llvm::ArrayRef<uint32_t> nodes, ir::TargetAttr target) const;

 private:
  llvm::DenseMap<uint32_t, ir::TargetAttr> targets_;  ///< By node.
};

}  // namespace tessera::placement
