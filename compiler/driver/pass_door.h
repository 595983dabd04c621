// The one door through which every pass runs: timing, printing, disabling, verifying.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "compiler/target/phase.h"
#include "mlir/Pass/PassManager.h"
#include "tessera/compile.h"
#include "tessera/status.h"

namespace tessera::driver {

struct PassDoorOptions {
  std::set<std::string> disabledPasses;
  std::set<std::string> printAfter;  ///< Names of passes or phases.
  std::function<void(const std::string& after, const std::string& text)> print = {};
  /// Textual pipelines, run behind the other passes of their phase.
  std::vector<std::pair<target::Phase, std::string>> addedPasses = {};
};

/// Runs the passes of one module's context. Lives as long as the context is used for passes.
class PassDoor {
 public:
  PassDoor(mlir::MLIRContext& context, PassDoorOptions options);
  ~PassDoor();
  PassDoor(const PassDoor&) = delete;
  PassDoor& operator=(const PassDoor&) = delete;

  /// Builds a pipeline with `build` and runs it on `module`, which is verified after each pass.
  Status run(mlir::ModuleOp module, target::Phase phase,
             const std::function<void(mlir::OpPassManager&)>& build);

  /// Whether the pipeline runs as it is: no pass is added, left out or looked behind.
  bool isPlain() const {
    return options_.addedPasses.empty() && options_.disabledPasses.empty() &&
           options_.printAfter.empty();
  }

  /// In the order in which passes ran first.
  std::vector<PassTiming> timings() const;

 private:
  void addTiming(const std::string& pass, std::string target, double seconds);
  void runAction(llvm::function_ref<void()> transform, const mlir::tracing::Action& action);

  mlir::MLIRContext& context_;
  PassDoorOptions options_;
  target::Phase phase_ = target::Phase::kImport;
  mutable std::mutex mutex_;
  std::vector<PassTiming> timings_;
};

/// The text of an operation with locations, as saved modules have it.
std::string printOperation(mlir::Operation* op);

}  // namespace tessera::driver
