// Cases run in a process of their own: a backend that crashes fails a case instead of ending the
// kit.
#pragma once

#include "compiler/conformance/check_cases.h"
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

 private:
  Result<worker::Message> ask(const Kit& kit, std::span<const Case* const> cases);
  explicit Elsewhere(worker::WorkerOptions options) : worker_(std::move(options)) {}

  worker::Worker worker_;
};

}  // namespace tessera::conformance
