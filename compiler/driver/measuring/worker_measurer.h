// Measuring in processes of their own.
#pragma once

#include <map>

#include "compiler/costs/store.h"
#include "compiler/driver/measuring/code_version.h"
#include "compiler/driver/measuring/reference_values.h"
#include "compiler/driver/measuring/trial_team.h"
#include "compiler/driver/measuring/undisturbed_speed.h"
#include "compiler/placement/costing/measurer.h"
#include "compiler/placement/timing/caches.h"
#include "tessera/compile.h"

namespace tessera::driver {

struct MeasuringOptions {
  std::vector<backend_registry::Plugin> plugins = {};  ///< Of the targets, for the workers.
  uint32_t threads = 0;                                ///< Of a run; 0: all cores.
  costs::Store* store = nullptr;                       ///< Where times are kept; may be null.
  backend_api::CodeCache* code = nullptr;              ///< What trials compiled goes there.
  uint64_t seed = 1;                                   ///< Of the model's inputs.
  bool isIsolated = false;                             ///< Backends of this compiler are.
  PlacementSearch search = {};
  std::function<bool()> isCancelled = {};  ///< True: nothing is measured any more, at once.
};

/// One run of a model on the reference.
struct ReferenceRun {
  SharedMemory memory;
  ReferenceValues values;

  /// Errors: those of ReferenceValues::make.
  static Result<ReferenceRun> make(const placement::OperatorGraph& graph, uint64_t seed);
};

/// Workers compile side by side and run alone, one after the other. What the store has is not
/// measured again.
class WorkerMeasurer final : public placement::Measurer {
 public:
  /// Errors: the program `tessera` is not found.
  static Result<std::unique_ptr<WorkerMeasurer>> create(const placement::OperatorGraph& graph,
                                                        ReferenceRun run,
                                                        const MeasuringOptions& options);

  std::vector<placement::Measurement> measure(llvm::ArrayRef<placement::Subject> subjects,
                                              placement::Effort effort) override;
  std::vector<placement::Measurement> measureWhole(llvm::ArrayRef<placement::Subject> subjects,
                                                   bool areRivals) override;

  void renew() override { team_->renew(); }
  bool isPatient() const override;
  std::vector<std::string> remarks() const override;
  /// Targets of backends of this compiler that end the process in which they are asked about the
  /// model's operators, and how. Those that are asked elsewhere anyway are not among them.
  Result<std::vector<std::pair<target::Target, std::string>>> whoCannotBeAsked(
      mlir::ModuleOp module);
  /// Why the store did not take a measurement, the first time.
  const std::optional<Error>& storeFailure() const { return storeFailure_; }

 private:
  WorkerMeasurer(const MeasuringOptions& options, backend_api::Owners owners, SharedMemory memory,
                 ReferenceValues values, std::unique_ptr<TrialTeam> team);
  std::vector<placement::Measurement> run(llvm::ArrayRef<placement::Subject> subjects,
                                          const TrialTiming& timing, bool isWhole);
  Result<TrialTask> taskOf(const placement::Subject& subject, bool isWhole);
  Result<nlohmann::json> describe(llvm::ArrayRef<mlir::Value> origins) const;
  Status shareConstants(mlir::ModuleOp module, nlohmann::json& constants);
  placement::RestOfModel restOf(const placement::Subject& subject) const;
  costs::Key keyOf(const placement::Subject& subject) const;
  std::optional<placement::Measurement> findStored(const placement::Subject& subject,
                                                   const TrialTiming& timing);
  void keep(const placement::Subject& subject, const TrialTask& task);
  void countLosses(const placement::Subject& subject, const TrialTask& task);

  MeasuringOptions options_;
  SharedMemory memory_;
  ReferenceValues values_;
  std::unique_ptr<TrialTeam> team_;
  std::map<std::string, Extent> constants_;  ///< By hash: those in the memory.
  std::string machine_;                      ///< Of keys.
  UndisturbedSpeed speed_;
  CodeVersions versions_;
  backend_api::Owners owners_;
  uint32_t numThreads_ = 1;                     ///< Of runs.
  size_t constantBytes_ = 0, bufferBytes_ = 0;  ///< That a run of the model touches.
  /// By target: trials of it that ended their process.
  struct Losses {
    size_t numHung = 0, numCrashed = 0;

    bool areTooMany() const;
  };
  std::map<std::string, Losses> losses_;
  std::optional<Error> storeFailure_;
};

}  // namespace tessera::driver
