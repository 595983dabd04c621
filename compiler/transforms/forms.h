// Forms of a module that targets may need before they are asked about operators.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/Pass/PassManager.h"

namespace tessera::transforms {

/// One form: what a module that has it does not hold, and the pass that gives it the form.
struct Form {
  std::string_view name;
  std::string_view summary;
  /// Null: phase simplify gives every module this form.
  void (*addPass)(mlir::OpPassManager& manager);
};

/// Null when no form has that name.
const Form* findForm(std::string_view name);

/// All forms, in the order in which they are established: a later one keeps the earlier ones.
std::span<const Form> forms();

/// Adds the passes that establish these forms, each once and in the order of the table, whoever
/// needs them and however often; names that no form has are passed over.
void addForms(const std::vector<std::string>& names, mlir::OpPassManager& manager);

}  // namespace tessera::transforms
