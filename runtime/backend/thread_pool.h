// The one thread pool of the process: helpers that take pieces of other threads' ranges.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/backend/parallel_for.h"

namespace tessera::runtime {

/// A caller works on its range itself, piece after piece, and helpers that are awake take pieces
/// too. Nobody waits for a helper that has not begun: one that another process keeps from its core
/// costs what it would have done, and no more. Pieces are taken from where a thread began in the
/// last call of the same size, so that what it wrote is still in its cache; who has nothing left
/// takes from others.
class ThreadPool {
 public:
  /// That of this process, never destroyed: helpers outlive static destructors.
  static ThreadPool& get();

  /// As parallelFor, for n and numThreads of at least 2.
  void run(int64_t n, int32_t numThreads, ParallelBody body, void* context);

  /// As slotOfThread.
  static int32_t currentSlot();
  /// Threads that work on a job at most, its caller among them: the cores of the process.
  int32_t mostThreads() const { return mostThreads_; }

 private:
  /// What one thread begins with, [next, end).
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    std::atomic<bool> isTaken{false};  ///< A thread has the number of this share.
    int64_t end = 0;
  };

  /// The call of one caller. Jobs are never freed, so that helpers may look at those that ended.
  struct alignas(64) Job {
    std::atomic<bool> isOwned{false};
    std::atomic<uint32_t> state{kClosed};  ///< Helpers inside, and the flags below.
    int32_t numShares = 0;
    int64_t piece = 1;
    ParallelBody body = nullptr;
    void* context = nullptr;
    std::vector<Share> shares;  ///< One for each thread that there can be.
  };
  static constexpr uint32_t kClosed = 1U << 31;  ///< No helper may enter.
  /// The caller sleeps until the last one leaves.
  static constexpr uint32_t kIsAwaited = 1U << 30;

  ThreadPool();
  void reset();
  Job* ownJob();
  static void work(Job& job, int32_t thread);
  static void helpWith(Job& job, int32_t helper);
  static void awaitHelpers(Job& job);
  void addHelpers();
  void wakeHelpers();
  [[noreturn]] void helpForever(int32_t helper);

  const int32_t mostThreads_;
  std::array<Job, 64> jobs_;                    ///< Callers at once; any beyond work alone.
  std::atomic<int32_t> numJobs_{0};             ///< The first of `jobs_`, of which each was used.
  std::atomic<int32_t> numHelpers_{0};          ///< Threads that were started.
  std::atomic<int32_t> numWanted_{0};           ///< Helpers that the open jobs have room for.
  std::atomic<int32_t> numSleepers_{0};         ///< Helpers that wait for `epoch_` to change.
  alignas(64) std::atomic<uint32_t> epoch_{0};  ///< Counts opened jobs.
};

}  // namespace tessera::runtime
