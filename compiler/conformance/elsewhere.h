// A backend is asked, and runs cases, in a process of its own: one that crashes fails a case
// instead of ending the kit.
#pragma once

#include "compiler/conformance/check_cases.h"
#include "compiler/conformance/questions.h"
#include "compiler/worker/worker.h"

namespace tessera::conformance {

class Elsewhere {
 public:
  /// Null where no process can be started, or could not have what the kit has: runtime halves that
  /// are given as addresses.
  static std::unique_ptr<Elsewhere> make(const Kit& kit);

  /// checkCases, asked of the process. Cases that end it, or that it does not answer about in time,
  /// are looked for by halves: findings of the check "crash".
  CasesOutcome check(const Kit& kit, std::span<const Case* const> cases);

  /// askAbout and placeCases likewise: a finding of the check "crash" where there is no answer.
  std::variant<Answers, Finding> askAbout(const Kit& kit, mlir::func::FuncOp function);
  Placement place(const Kit& kit, std::span<const mlir::func::FuncOp> functions);

 private:
  /// The answer to `call`, which has the functions and their names.
  Result<worker::Message> ask(const Kit& kit, const char* call,
                              std::span<const mlir::func::FuncOp> functions,
                              nlohmann::json names = nlohmann::json::array());
  explicit Elsewhere(worker::WorkerOptions options) : worker_(std::move(options)) {}

  worker::Worker worker_;
};

}  // namespace tessera::conformance
