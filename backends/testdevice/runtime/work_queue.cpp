#include "backends/testdevice/runtime/work_queue.h"

#include <utility>

namespace tessera::backend_testdevice {

void Event::begin() {
  const std::lock_guard lock(mutex_);
  isReached_ = false;
  failure_.clear();
}

void Event::finish(std::string failure) {
  const std::lock_guard lock(mutex_);
  isReached_ = true;
  failure_ = std::move(failure);
  times_.second = Clock::now();
  changed_.notify_all();
}

void Event::start() {
  const std::lock_guard lock(mutex_);
  times_.first = Clock::now();
}

std::pair<Event::Clock::time_point, Event::Clock::time_point> Event::times() {
  const std::lock_guard lock(mutex_);
  return times_;
}

std::string Event::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return isReached_; });
  return failure_;
}

bool Event::isReached() {
  const std::lock_guard lock(mutex_);
  return isReached_ && failure_.empty();
}

WorkQueue::WorkQueue() : thread_([this] { work(); }) {}

WorkQueue::~WorkQueue() {
  add({});
  thread_.join();
}

void WorkQueue::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  changed_.notify_one();
}

void WorkQueue::work() {
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

}  // namespace tessera::backend_testdevice
