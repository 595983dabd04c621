// A candidate that a worker made and runs.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/aligned_memory.h"
#include "compiler/driver/measuring/surroundings.h"
#include "compiler/placement/timing/caches.h"
#include "mlir/IR/BuiltinOps.h"
#include "tessera/compile.h"
#include "tessera/runtime.hpp"

namespace tessera::driver {

enum class InstructionKind : uint8_t {
  kCall,
  kCopy,
  kBorder,  ///< A call or copy that only brings values across the border of what is timed.
};

/// What a trial runs on and what must come out: row-major tensors, whose bytes outlive the trial.
struct TrialData {
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> expected;  ///< Empty: nothing is compared.
  uint32_t threads = 0;              ///< 0: all cores.
  /// Whole runs are timed, not what regions take: for plans.
  bool isWhole = false;
  /// Of a part: what the rest of the model does before each run, and what it does it to.
  Surroundings* surroundings = nullptr;
  placement::RestOfModel rest = {};
  std::vector<InstructionKind> program = {};  ///< Of the host program.
};

/// Why there is no trial.
struct TrialFailure {
  enum class Kind : uint8_t { kDeclined, kFailed, kWrong } kind = Kind::kFailed;
  std::string reason;
};

/// Code that is loaded and ran once.
class Trial {
 public:
  /// `artifact` refers to the constants that `findConstant` has; those outlive it.
  static Result<std::unique_ptr<Trial>> load(
      std::vector<std::byte> artifact, TrialData data,
      std::function<std::span<const std::byte>(const char*)> findConstant);

  /// What the last run got wrong; empty when nothing.
  Result<std::string> whatIsWrong();
  /// What one more run gets wrong, for which nothing of those before it is left in memory.
  Result<std::string> whatIsWrongByNow();

  /// One run, in seconds: what its regions and its copies took but for those at the border, or the
  /// whole. Errors: those of the runtime.
  Result<double> time();

  /// The same of each call of a region, of a whole run.
  Result<std::vector<double>> timeCalls();

  double firstCallSeconds() const { return firstCallSeconds_; }
  uint64_t memoryBytes() const { return context_->memoryBytes(); }

 private:
  Trial() = default;
  Status setInputs();
  Status comeBehindOthers();
  Status warmUpWhole();

  std::vector<std::byte> artifact_;
  TrialData data_;
  std::vector<base::AlignedMemory> inputs_;  ///< Of its own: others may write them.
  Executable::LoadOptions options_;          ///< Referred to by the executable.
  std::optional<Executable> executable_;
  std::optional<Context> context_;
  double firstCallSeconds_ = 0;
  double runSeconds_ = 0;  ///< Of the last run; 0 before it.
};

}  // namespace tessera::driver
