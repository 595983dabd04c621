// Several cases as one module: placed, compiled and run together, since compiling each by itself
// takes most of the time. They share nothing in it.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "compiler/backend_api/backend.h"
#include "compiler/conformance/case.h"
#include "tessera/conformance.h"

namespace tessera::conformance {

/// What stays the same from case to case.
struct Kit {
  mlir::MLIRContext& context;
  const ConformanceOptions& options;
  std::string kind;  ///< Of the target.
  bool isHost;       ///< Nobody else takes what it leaves.
  /// The target, in full, on each device whose memory it claims, by the memory's name; empty unless
  /// there are several and the target leaves open which.
  std::map<std::string, std::string> devices;
  std::string library;           ///< The plugin that it comes from; empty when it is built in.
  backend_api::Owner owner;      ///< The target, to be asked directly.
  std::filesystem::path folder;  ///< For files that go with the kit.
};

/// The kind in a target's text.
std::string kindOf(const std::string& target);

/// @main has the inputs and outputs of all functions, in order; operators of the function at
/// `index` say that they come from node "case <index>".
mlir::OwningOpRef<mlir::ModuleOp> joined(mlir::MLIRContext& context,
                                         std::span<const mlir::func::FuncOp> functions);
/// The index in a name of a node; nothing when it is no case's.
std::optional<size_t> caseInNode(const std::string& node);

/// With the kit's session; targets and rules as CompileOptions has them.
CompileOptions compileOptions(const Kit& kit, const std::string& targets,
                              const std::string& pins = "");

/// The module as the compiler loads it, behind phase simplify, whose passes would change what is
/// tested.
Result<Module> loadJoined(const Kit& kit, mlir::ModuleOp module, const std::string& targets,
                          const std::string& pins = "");

/// What becomes of each function.
struct Placed {
  std::vector<bool> isTaken;          ///< The target owns an operator of it.
  std::set<std::string> operators;    ///< That the target owns, whoever put them there.
  std::vector<std::string> patterns;  ///< Entries of the pattern table that matched.
};
/// `targets` as CompileOptions has them.
Result<Placed> place(const Kit& kit, std::span<const mlir::func::FuncOp> functions,
                     const std::string& targets);

}  // namespace tessera::conformance
