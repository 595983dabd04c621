// Owners that do not get a region: what the module says (`tessera.exclusions`, an array of
// {region = "<class>", target = #tsr.target<...>, reason = "...", node = "<ONNX node>"}, a region
// that is placed again without that target whenever it arises), and how it is carried to operators.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/module_attributes.h"
#include "compiler/ir/tsr.h"

namespace tessera::partition {

/// A region function's class, 32 hexadecimal digits; what exclusions name.
inline constexpr llvm::StringLiteral kRegionClass = "tessera.region_class";

/// The class of a region function: equal for regions that differ in names, locations and owners
/// only. A hash of its text, so types and attributes count, but for what placing notes.
std::string regionClass(mlir::func::FuncOp region);

/// One entry of `tessera.exclusions`.
struct Exclusion {
  /// Empty for an operator whose layouts cannot be had where it stands, or about which its target
  /// could not answer: it is asked again whenever the module is placed, and the entry tells people.
  std::string regionClass;
  ir::TargetAttr target;
  std::string reason;
  std::string node;       ///< The first ONNX node that is concerned; empty when none is known.
  bool isPruned = false;  ///< Given up by the target's own rules for regions: no failure.
};
/// What the module says; entries of another form, as in a module written by hand, count as none.
std::vector<Exclusion> exclusionsOf(mlir::ModuleOp module);

/// Why `target` does not get regions of this class; nothing when it may.
std::optional<std::string> whyExcluded(mlir::ModuleOp module, llvm::StringRef regionClass,
                                       ir::TargetAttr target);
/// Adds an exclusion to the module; no more than once for a class and a target.
void addExclusion(mlir::ModuleOp module, const Exclusion& exclusion);
/// The first ONNX node that `op`, a region function or an operator, comes from; empty when none is
/// known.
std::string firstNodeOf(mlir::Operation* op);

/// Takes an operator from `target` for good: it is not asked again.
void withdraw(mlir::Operation* op, ir::TargetAttr target, llvm::StringRef reason);
/// Why `target` was withdrawn from the operator, or from one inside of it where it is a composite;
/// nothing when it was not.
std::optional<std::string> whyWithdrawn(mlir::Operation* op, ir::TargetAttr target);
/// What was withdrawn from `from` itself is withdrawn from `to` as well, and what is preferred for
/// it is for `to`, which may have a preference of its own.
void copyRules(mlir::Operation* from, mlir::Operation* to);
/// The number of an operator in the module before the phase, while operators are numbered
/// (refusals.h).
inline constexpr llvm::StringLiteral kOperatorNumber = "tessera.operator";

/// The operator's attribute that says, from marks or merging to outlining, which region it is in.
inline constexpr llvm::StringLiteral kRegionNumber = "tessera.region";
/// The operator's attribute that lists the targets that would take it, its owner among them.
inline constexpr llvm::StringLiteral kWillingAttribute = "tessera.willing";
/// The operator's attribute that names the target which a rule of the user prefers.
inline constexpr llvm::StringLiteral kPreferAttribute = "tessera.prefer";

/// The target that a rule prefers for the operator, or for the first inside of it where it is a
/// composite; null when none does.
ir::TargetAttr preferenceOf(mlir::Operation* op);
/// The attribute of control flow that a rule's target must have: names the rule.
inline constexpr llvm::StringLiteral kMustAttribute = "tessera.must";

/// Forgets withdrawals, numbers, preferences and who was willing, of all operators inside of
/// `root`: their work is done.
void erasePlacementNotes(mlir::Operation* root);

}  // namespace tessera::partition
