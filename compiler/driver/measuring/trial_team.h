// The workers that make and time trials.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/costs/record.h"
#include "compiler/driver/measuring/shared_code.h"
#include "compiler/driver/measuring/undisturbed_speed.h"
#include "compiler/placement/timing/paired.h"
#include "compiler/worker/worker.h"

namespace tessera::driver {

/// A trial to be made and timed, and what came of it.
struct TrialTask {
  nlohmann::json question = {};  ///< trial_make (serve.h), without its id.
  std::string bytecode = {};
  costs::Outcome outcome = costs::Outcome::kOk;
  std::string reason = {};
  std::vector<double> seconds = {};         ///< As on a machine that nobody disturbs.
  std::vector<placement::Turn> turns = {};  ///< The i-th was taken beside the others' i-th.
  std::vector<double> calls = {};  ///< Seconds of each call of a region, where it was asked for.
  std::vector<std::string> remarks = {};  ///< What was wrong with them (timing/diagnosis.h).
  double disturbedYardstick = 0;  ///< Where the machine was disturbed all along (race.h), else 0.
  bool isTried = true;            ///< False: no process could be started, which is not its fault.
  bool isInterrupted = false;     ///< Cancelled before it was timed; nothing else counts.
  double firstCallSeconds = 0;
  uint64_t memoryBytes = 0;
};

/// How trials are timed.
struct TrialTiming {
  size_t minSamples = 1, maxSamples = 200, maxWarmup = 20;  ///< Of each.
  std::chrono::milliseconds perTrial = {};                  ///< On average, beyond minSamples.
  double relativeHalfWidth = 0.02;  ///< Of an interval that is narrow enough.
  double patience = 0;      ///< Seconds with a machine that is disturbed; of all tasks together.
  size_t numTraced = 0;     ///< Runs in which each call is timed.
  bool areInTurns = false;  ///< All are timed in one process.
  bool areRivals = false;   ///< Who cannot be the fastest is asked no more.
};

class TrialTeam {
 public:
  /// Errors (kTargetFailed): the program `tessera` is not found.
  /// `patience`: seconds that it waits for a calm machine, all in all. Virtual machines have phases
  /// of half a minute in which their cores are far from each other.
  /// What one of them compiles is in `code` afterwards, and what is there no one compiles again.
  /// `isCancelled`: true ends whatever they do; may be empty.
  static Result<std::unique_ptr<TrialTeam>> create(size_t numWorkers, uint32_t numThreads,
                                                   double patience,
                                                   std::vector<std::string> plugins,
                                                   backend_api::CodeCache& code,
                                                   std::function<bool()> isCancelled);

  /// Makes all trials, side by side, then times them, one worker after the other, those of one
  /// worker in turns, or all. A process that ends takes nothing with it but what it was doing.
  /// `yardstickSeconds`: of a machine that nobody disturbs. `finished` is told of each task that is
  /// not in turns with all as soon as nothing more happens to it; may be empty.
  using Finished = std::function<void(size_t task)>;
  void run(std::vector<TrialTask>& tasks, const TrialTiming& timing, double yardstickSeconds,
           const Finished& finished);
  /// Ends the process of those that run in turns: the next ones run in another.
  void renew() { members_.front().worker.stop(); }
  /// Why a worker does not outlive questions about a module's operators; nothing where it does. The
  /// question has the module's constants, and the target.
  std::optional<std::string> rehearse(nlohmann::json question, const std::string& bytecode);
  /// How fast the machine is now; zeros where that cannot be had. From then on all workers compare
  /// samples with the core that `known` or else this one tells of.
  MachineSpeed calibrate(std::chrono::milliseconds duration, const MachineSpeed& known);
  /// What the yardstick took undisturbed beside the last tasks: one number for each race.
  const std::vector<double>& yardsticks() const { return seenYardsticks_; }
  /// Whether it still waits for a calm machine where it times parts.
  bool isPatient() const { return patienceWithParts() > 0; }
  /// What was wrong with the machine while it ran them, in sentences.
  const std::set<std::string>& machineRemarks() const { return machineRemarks_; }

 private:
  struct Member {
    worker::Worker worker;
    uint64_t process = 0;
    std::vector<size_t> made = {};  ///< Tasks whose trials the process has.
    size_t numShared = 0;           ///< Entries of the code cache that it has.
  };

  TrialTeam(uint32_t numThreads, double patience, std::vector<std::string> plugins,
            backend_api::CodeCache& code, std::function<bool()> isCancelled)
      : numThreads_(numThreads),
        allPatience_(patience),
        plugins_(std::move(plugins)),
        code_(code),
        isCancelled_(std::move(isCancelled)) {}
  bool isCancelled() const { return isCancelled_ && isCancelled_(); }
  Status begin(Member& member);
  Result<worker::Message> ask(Member& member, const nlohmann::json& question,
                              std::span<const worker::Bytes> payloads);
  void make(Member& member, size_t index, TrialTask& task);
  void runInTurns(std::vector<TrialTask>& tasks, const TrialTiming& timing);
  void runParts(std::vector<TrialTask>& tasks, const TrialTiming& timing, const Finished& finished);
  /// False: its process ended.
  bool time(Member& member, std::vector<TrialTask>& tasks, const TrialTiming& timing);
  void noteYardstick(const worker::Message& answer);
  double patienceWithParts() const;
  void drop(Member& member);
  /// How long a question that asks for times may take.
  std::chrono::milliseconds limitOf(const Member& member, const std::vector<TrialTask>& tasks,
                                    const TrialTiming& timing, double patience) const;

  uint32_t numThreads_;
  double allPatience_;
  double patience_ = allPatience_;  ///< What is left of it.
  std::vector<std::string> plugins_;
  backend_api::CodeCache& code_;
  std::function<bool()> isCancelled_;
  std::vector<Member> members_;
  std::chrono::milliseconds timeLimit_ = {};  ///< Of a question that makes one trial.
  std::set<std::string> machineRemarks_;      ///< Of the last run.
  placement::CoreSpeed core_;                 ///< What samples are compared with.
  double yardstick_ = 0;                      ///< The last run's, given.
  std::vector<double> seenYardsticks_;        ///< Of the last run.
};

}  // namespace tessera::driver
