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

namespace tessera::backend_testdevice {

/// Reached or not, again and again. Any thread.
class Event {
 public:
  void begin();
  /// Reached; `failure` says why the work before it failed, empty when it did not.
  void finish(std::string failure);

  /// Returns when it is reached, with why the work before it failed.
  std::string wait();
  /// Reached, and its work did not fail.
  bool isReached();

  using Clock = std::chrono::steady_clock;
  /// What makes it reached begins now.
  void start();
  /// When that began, and when it was reached.
  std::pair<Clock::time_point, Clock::time_point> times();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool isReached_ = false;
  std::string failure_;
  std::pair<Clock::time_point, Clock::time_point> times_;
};

/// Does one piece of work after the other, each in its thread.
class WorkQueue {
 public:
  WorkQueue();
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(std::function<void()> work);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  ///< An empty one ends the thread.
  std::thread thread_;                       // Last: it uses the others.
};

}  // namespace tessera::backend_testdevice
