// What the devices did, in order, for tests to look at and to hold up.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tessera::backend_testdevice {

enum class Work : uint8_t { kRegion, kCopyIn, kCopyOut, kPeerCopy };

/// The begin or the end of a piece of work.
struct Mark {
  Work work = Work::kRegion;
  uint32_t device = 0;      ///< Whose thread does it; of a peer copy, the destination's.
  std::string region = {};  ///< Of Work::kRegion.
  size_t sizeBytes = 0;     ///< Of copies.
  bool isEnd = false;
};

/// One for the process. Any thread.
class Journal {
 public:
  /// Forgets what happened, and what `hold` said.
  void clear();
  std::vector<Mark> marks();
  /// How often a kind of work ended.
  size_t count(Work work);

  void add(const Mark& mark);

  /// From now on, work that began like `begun` goes on only when a mark like `until` was added;
  /// none within `limit`: it fails. Marks are alike by work, device and end.
  void hold(const Mark& begun, const Mark& until,
            std::chrono::milliseconds limit = std::chrono::seconds(5));
  /// Waits for what `hold` said of work that began; false when it did not come.
  bool pass(const Mark& begun);

  /// Waits for the next release(), for ever.
  void hang();
  void release();

 private:
  struct Hold {
    Mark begun, until;
    std::chrono::milliseconds limit;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Mark> marks_;
  std::vector<Hold> holds_;
  uint64_t numReleases_ = 0;
};

Journal& journal();

}  // namespace tessera::backend_testdevice
