// The workers that make and time trials.
#pragma once

#include <string>
#include <vector>

#include "compiler/costs/record.h"
#include "compiler/worker/worker.h"

namespace tessera::driver {

/// A trial to be made and timed, and what came of it.
struct TrialTask {
  nlohmann::json question = {};  ///< trial_make (serve.h), without its id.
  std::string bytecode = {};
  costs::Outcome outcome = costs::Outcome::kOk;
  std::string reason = {};
  std::vector<double> samples = {};  ///< Seconds.
  double firstCallSeconds = 0;
  uint64_t arenaBytes = 0;
};

/// How trials are timed.
struct TrialTiming {
  size_t minSamples = 1, maxSamples = 200, maxWarmup = 20;  ///< Of each.
  std::chrono::milliseconds perTrial = {};                  ///< On average, beyond minSamples.
  /// Who cannot be the fastest is asked no more.
  bool areRivals = false;
};

class TrialTeam {
 public:
  /// Errors (kTargetFailed): the program `tessera` is not found.
  static Result<std::unique_ptr<TrialTeam>> create(size_t numWorkers,
                                                   std::vector<std::string> plugins);

  /// Makes all trials, side by side, then times them, one worker after the other, those of one
  /// worker in turns; of rivals all. A process that ends takes nothing with it but what it was
  /// doing.
  void run(std::vector<TrialTask>& tasks, const TrialTiming& timing);

 private:
  struct Member {
    worker::Worker worker;
    uint64_t process = 0;
    std::vector<size_t> made = {};  ///< Tasks whose trials the process has.
  };

  explicit TrialTeam(std::vector<std::string> plugins) : plugins_(std::move(plugins)) {}
  Result<worker::Message> ask(Member& member, const nlohmann::json& question,
                              std::span<const worker::Bytes> payloads);
  void make(Member& member, size_t index, TrialTask& task);
  void time(Member& member, std::vector<TrialTask>& tasks, const TrialTiming& timing);
  void drop(Member& member);

  std::vector<std::string> plugins_;
  std::vector<Member> members_;
};

}  // namespace tessera::driver
