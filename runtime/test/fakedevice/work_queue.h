// The thread of a device, and its events.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace tessera::fakedevice {

/// Reached or not, again and again.
class Event {
 public:
  void begin() { set(false, true); }
  void finish(bool isRight) { set(true, isRight); }

  /// False when the work before it failed.
  bool wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return isReached_; });
    return isRight_;
  }
  bool isReached() {
    const std::lock_guard lock(mutex_);
    return isReached_ && isRight_;
  }

  using Clock = std::chrono::steady_clock;
  /// What made it reached was done from then on; the end is when it was reached.
  void setStart(Clock::time_point start) {
    const std::lock_guard lock(mutex_);
    times_.first = start;
  }
  std::pair<Clock::time_point, Clock::time_point> times() {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  void set(bool isReached, bool isRight) {
    const std::lock_guard lock(mutex_);
    isReached_ = isReached;
    isRight_ = isRight;
    if (isReached) times_.second = Clock::now();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool isReached_ = false;
  bool isRight_ = true;
  std::pair<Clock::time_point, Clock::time_point> times_;
};

/// Does one piece of work after the other, each in its thread.
class WorkQueue {
 public:
  WorkQueue() : thread_([this] { work(); }) {}
  ~WorkQueue() {
    add({});
    thread_.join();
  }
  /// An empty one ends the thread.
  void add(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    changed_.notify_one();
  }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !queue_.empty(); });
      const std::function<void()> next = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      if (!next) return;
      next();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::thread thread_;  // Last: it uses the others.
};

}  // namespace tessera::fakedevice
