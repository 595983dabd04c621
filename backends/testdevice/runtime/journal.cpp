#include "backends/testdevice/runtime/journal.h"

#include <algorithm>

namespace tessera::backend_testdevice {

void Journal::clear() {
  const std::lock_guard lock(mutex_);
  marks_.clear();
  holds_.clear();
}

std::vector<Mark> Journal::marks() {
  const std::lock_guard lock(mutex_);
  return marks_;
}

size_t Journal::count(Work work) {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::ranges::count_if(
      marks_, [&](const Mark& mark) { return mark.work == work && mark.isEnd; }));
}

void Journal::add(const Mark& mark) {
  const std::lock_guard lock(mutex_);
  marks_.push_back(mark);
  changed_.notify_all();
}

static bool isAlike(const Mark& a, const Mark& b) {
  return a.work == b.work && a.device == b.device && a.isEnd == b.isEnd;
}

void Journal::hold(const Mark& begun, const Mark& until, std::chrono::milliseconds limit) {
  const std::lock_guard lock(mutex_);
  holds_.push_back({.begun = begun, .until = until, .limit = limit});
}

bool Journal::pass(const Mark& begun) {
  std::unique_lock lock(mutex_);
  const auto found =
      std::ranges::find_if(holds_, [&](const Hold& each) { return isAlike(each.begun, begun); });
  if (found == holds_.end()) return true;
  const Hold hold = *found;
  return changed_.wait_for(lock, hold.limit, [&] {
    return std::ranges::any_of(marks_, [&](const Mark& mark) { return isAlike(mark, hold.until); });
  });
}

void Journal::hang() {
  std::unique_lock lock(mutex_);
  const uint64_t before = numReleases_;
  changed_.wait(lock, [&] { return numReleases_ > before; });
}

void Journal::release() {
  const std::lock_guard lock(mutex_);
  ++numReleases_;
  changed_.notify_all();
}

Journal& journal() {
  static Journal one;
  return one;
}

}  // namespace tessera::backend_testdevice
