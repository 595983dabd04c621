// What a backend is asked before anything runs.
#pragma once

#include <variant>

#include "compiler/conformance/exercise.h"

namespace tessera::conformance {

/// What it says of the operators of a case, one by one.
struct Answers {
  bool isTaken = false;               ///< Yes, to one of them at least.
  std::vector<std::string> silent;    ///< Those that it declines without a reason.
  std::vector<std::string> failures;  ///< Why it could not answer.
};
Answers askAbout(const Kit& kit, mlir::func::FuncOp function);

/// Where cases go, or what is wrong: they cannot be placed.
using Placement = std::variant<Placed, Finding>;
Placement placeCases(const Kit& kit, std::span<const mlir::func::FuncOp> functions);

}  // namespace tessera::conformance
