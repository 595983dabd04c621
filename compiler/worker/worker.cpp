#include "compiler/worker/worker.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace tessera::worker {

std::chrono::milliseconds timeLimitOfEnvironment() {
  const char* text = std::getenv("TESSERA_WORKER_TIME_LIMIT");
  double seconds = 0;
  if (text != nullptr) {
    const char* end = text + std::strlen(text);
    if (std::from_chars(text, end, seconds).ptr != end) seconds = 0;
  }
  constexpr double kMaxSeconds = 1e6;
  if (!(seconds > 0) || seconds > kMaxSeconds) return WorkerOptions{}.timeLimit;
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
}

uint64_t memoryLimitOfEnvironment() {
  constexpr uint64_t kMiB = uint64_t{1} << 20, kTenths = 8;
  if (const char* text = std::getenv("TESSERA_WORKER_MEMORY_LIMIT")) {
    uint64_t mebibytes = 0;
    const char* end = text + std::strlen(text);
    if (std::from_chars(text, end, mebibytes).ptr == end && mebibytes > 0 &&
        mebibytes < UINT64_MAX / kMiB)
      return mebibytes * kMiB;
  }
  const auto pages = static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  const auto pageSize = static_cast<uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return pages * pageSize / 10 * kTenths;
}

Result<uint64_t> Worker::start() {
  // Who died between two questions takes none with it.
  if (process_ && hasAnswered_ && !process_->channel().isOpenAtOtherEnd())
    (void)fail(Channel::State::kClosed);
  if (process_) return started_;
  if (failures_ >= options_.maxFailures)
    return targetFailed("it was given up after " + std::to_string(failures_) +
                        " failures, the last one: " + lastFailure_);
  TESSERA_TRY(process_, Process::start(options_.command));
  if (options_.memoryLimit > 0) process_->limitMemory(options_.memoryLimit);
  hasAnswered_ = false;
  return ++started_;
}

static std::string seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(static_cast<double>(time.count()) / 1e3);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

Error Worker::fail(Channel::State state) {
  const std::string ending = describe(process_->end());
  process_.reset();
  lastState_ = state;
  ++failures_;
  if (state == Channel::State::kLate)
    lastFailure_ = "it did not answer within " + seconds(options_.timeLimit);
  else if (state == Channel::State::kGarbled)
    lastFailure_ = "it answered with what is no message";
  else
    lastFailure_ = "it " + (ending.empty() ? "closed its connection" : ending);
  return targetFailed(lastFailure_);
}

Error Worker::reject(const std::string& what) {
  process_.reset();
  ++failures_;
  lastState_ = Channel::State::kDone;
  lastFailure_ = what;
  return targetFailed(what);
}

/// Waits until something comes or the deadline is over, unless nobody wants it any more.
bool Worker::isCancelled(Deadline deadline) {
  constexpr std::chrono::milliseconds kAtOnce(100);
  while (options_.isCancelled) {
    if (options_.isCancelled()) return true;
    const Deadline next = std::min(deadline, std::chrono::steady_clock::now() + kAtOnce);
    if (process_->channel().waitForMore(next) || next == deadline) return false;
  }
  return false;
}

Result<Message> Worker::ask(const nlohmann::json& header, std::span<const Bytes> payloads,
                            const std::function<void(const Message&)>& note) {
  if (!process_) TESSERA_TRY_VOID(start());
  const Deadline deadline = std::chrono::steady_clock::now() + options_.timeLimit;
  const Channel::State sent = process_->channel().send(header, payloads, deadline);
  if (sent != Channel::State::kDone) return fail(sent);
  while (true) {
    if (isCancelled(deadline)) return reject("it was interrupted");
    Channel::Received received = process_->channel().receive(deadline);
    if (received.state != Channel::State::kDone) return fail(received.state);
    hasAnswered_ = !received.message.header.contains("note");
    if (hasAnswered_) return std::move(received.message);
    if (note) note(received.message);
  }
}

}  // namespace tessera::worker
