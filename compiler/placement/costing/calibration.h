// What parts take in the midst of a model, beyond what they take by themselves.
#pragma once

#include <vector>

#include "compiler/ir/tsr.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera::placement {

/// A part of a plan that ran as a whole.
struct TimedPart {
  ir::TargetAttr before = {};  ///< Whose code ran right before it; null: it was the first.
  ir::TargetAttr target = {};
  double alone = 0;    ///< Seconds, measured by itself.
  double inModel = 0;  ///< In the model.
  /// The search chose it for being cheap: it is dearer more often than not, which says nothing of
  /// others.
  bool isChosen = false;
};

/// Medians of what was seen, so that a few odd parts say nothing, drawn towards "nothing is
/// different" where little was seen: of each target a factor, from parts long enough for it, which
/// count by how long they are, and for each pair of targets that follow each other what a change
/// costs beyond that, which may be less than nothing: who comes behind its own kind finds threads
/// awake. What was chosen counts where little else was seen.
class Calibration {
 public:
  Calibration() = default;
  explicit Calibration(const std::vector<TimedPart>& parts);

  /// Seconds in a model, behind code of `before`.
  double inModel(ir::TargetAttr before, ir::TargetAttr target, double alone) const;
  /// The same behind the target's own code.
  double inModel(ir::TargetAttr target, double alone) const;
  /// Seconds that a call takes longer behind code of `before` than behind its own; 0 or more.
  double ofChange(ir::TargetAttr before, ir::TargetAttr target) const;

 private:
  double factorOf(ir::TargetAttr target) const;
  /// Beyond the factor, behind code of `before`; where that was not seen, whoever comes before.
  double restOf(ir::TargetAttr before, ir::TargetAttr target) const;

  llvm::DenseMap<mlir::Attribute, double> factors_;
  llvm::DenseMap<mlir::Attribute, double> anyChange_;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, double> changes_;
};

}  // namespace tessera::placement
