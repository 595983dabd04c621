// A process that is asked what may end it.
#pragma once

#include <functional>
#include <optional>

#include "compiler/worker/process.h"

namespace tessera::worker {

struct WorkerOptions {
  std::vector<std::string> command;  ///< Program and arguments.
  /// For one call, from the first byte of the question to the last of the answer.
  std::chrono::milliseconds timeLimit = std::chrono::minutes(10);
  /// Bytes of memory that a process may have for itself; 0: as many as there are.
  uint64_t memoryLimit = 0;
  /// After so many processes that did not answer none is started any more.
  size_t maxFailures = 3;
  /// Asked while an answer is waited for: true ends the process. May be empty.
  std::function<bool()> isCancelled = {};
};

/// The time limit of WorkerOptions, or what TESSERA_WORKER_TIME_LIMIT says in seconds.
std::chrono::milliseconds timeLimitOfEnvironment();
/// Most of the machine's memory, or what TESSERA_WORKER_MEMORY_LIMIT says in MiB.
uint64_t memoryLimitOfEnvironment();

/// Starts the process when it is needed, and another one after it crashed. Not thread-safe.
class Worker {
 public:
  explicit Worker(WorkerOptions options) : options_(std::move(options)) {}

  /// The number of the running process, which is started if there is none: what an earlier one was
  /// told is forgotten. Errors (kTargetFailed): it cannot be started; it was given up.
  Result<uint64_t> start();

  /// Asks the process that start() named and returns its answer; if that one died since, no other
  /// is asked, which was told nothing. A message whose header has "note" goes to `note`, if there
  /// is one, and is no answer. Errors (kTargetFailed), about "it": the process crashed or ended,
  /// did not answer in time, sent what is no message, or the call was cancelled; it is gone then.
  Result<Message> ask(const nlohmann::json& header, std::span<const Bytes> payloads,
                      const std::function<void(const Message&)>& note = {});

  /// Whether the last process that failed was given up because it took too long.
  bool wasLate() const { return lastState_ == Channel::State::kLate; }

  /// Ends the process. The next one that is needed knows nothing of it.
  void stop() { process_.reset(); }

  /// The time limit of calls from now on.
  void setTimeLimit(std::chrono::milliseconds limit) { options_.timeLimit = limit; }

  /// For an answer that makes no sense: ends the process and counts as a failure.
  Error reject(const std::string& what);

 private:
  Error fail(Channel::State state);
  bool isCancelled(Deadline deadline);

  WorkerOptions options_;
  std::optional<Process> process_;
  bool hasAnswered_ = false;  ///< This process, the last question.
  uint64_t started_ = 0;
  size_t failures_ = 0;
  std::string lastFailure_;
  Channel::State lastState_ = Channel::State::kDone;  ///< Of the channel, when it failed.
};

}  // namespace tessera::worker
