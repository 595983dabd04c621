// The conformance kit: whether a backend computes what it claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/backend_runtime.h"
#include "tessera/compile.h"
#include "tessera/export.h"
#include "tessera/status.h"

namespace tessera {

struct ConformanceOptions {
  /// Owned together by the caller and the modules compiled meanwhile. Null: one of its own.
  std::shared_ptr<Session> session;
  std::string target;  ///< The backend, with attributes: "native -mcpu=x86-64-v3".
  size_t numCases = 600;
  /// Whether operators and patterns that the backend lists and no case reached are failures: there
  /// have to be enough cases.
  bool needsAll = false;
  uint64_t seed = 1;  ///< Equal seeds give equal cases, as long as the kit is the same.
  /// Text of a module, as the kit prints it for a failure: this case alone. Empty: all.
  std::string module;
  /// Name of a case: this one alone, though `numCases` may not reach it. Empty: all.
  std::string caseName;
  /// Stops looking for a smaller case that fails, too, after so many tries; 0: does not look.
  size_t numShrinkTries = 60;
  /// Runtime halves beside those that the runtime finds (tessera_load_options.backends).
  std::vector<const tessera_backend_runtime*> runtimes;
  ProgressCallback progress;
};

/// Something that a backend does wrong.
struct ConformanceFailure {
  std::string check;     ///< One of conformanceChecks().
  std::string caseName;  ///< Empty where no case is at fault.
  std::string what;      ///< One sentence.
  /// The smallest case found that fails in this way, as the text of a module; empty without a case.
  std::string module;
};

/// What was tried of one operator.
struct ConformanceOperator {
  std::string name;                ///< "conv"
  std::vector<std::string> types;  ///< Element types of cases that ran: "f32".
  size_t numCases = 0;             ///< Cases with it that the backend took and that ran.
  size_t numDeclined = 0;          ///< Cases with it that the backend took no part of.
  size_t numFailed = 0;
};

struct ConformanceReport {
  std::string backend;  ///< Kind of the target.
  std::string version;
  std::string target;  ///< As asked for.
  uint64_t seed = 0;
  size_t numCases = 0;     ///< That ran.
  size_t numDeclined = 0;  ///< That the backend took no part of.
  /// That it took, with nothing to compare with: the reference implementations refuse them, or they
  /// are too much work.
  size_t numNotEvaluated = 0;
  size_t numLayouts = 0;  ///< Regions run on blocked values, with their padding looked at.
  std::vector<ConformanceOperator> operators;  ///< By name.
  /// Operators that the backend lists and no case reached.
  std::vector<std::string> missedOperators;
  std::vector<std::string> patterns;        ///< Entries of its pattern table that a case reached.
  std::vector<std::string> missedPatterns;  ///< Those that none did.
  /// Memory of devices that regions ran on, side by side; of backends that claim several.
  std::vector<std::string> memorySpaces;
  std::vector<ConformanceFailure> failures;
};

/// The names of all checks, each with what it is about in one sentence.
struct ConformanceCheck {
  std::string name, what;
};
TESSERA_API std::vector<ConformanceCheck> conformanceChecks();

/// Runs cases through artifact and runtime and compares with the reference implementations. A
/// backend's mistakes are in the report. Errors: kUsage, no such backend or case, a target that
/// makes no code; kInvalidInput, a module that is no case.
TESSERA_API Result<ConformanceReport> checkConformance(const ConformanceOptions& options);

}  // namespace tessera
