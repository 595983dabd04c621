#include "compiler/driver/measuring/trial_team.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace tessera::driver {

using nlohmann::json;
using worker::listOf, worker::Message, worker::numberOf, worker::textOf;

/// Of one question: whoever takes longer hangs.
static constexpr std::chrono::minutes kLongest(5);

Result<std::unique_ptr<TrialTeam>> TrialTeam::create(size_t numWorkers, uint32_t numThreads,
                                                     double patience,
                                                     std::vector<std::string> plugins,
                                                     backend_api::CodeCache& code,
                                                     std::function<bool()> isCancelled) {
  TESSERA_TRY(const std::string program, worker::workerProgram());
  auto team = std::unique_ptr<TrialTeam>(
      new TrialTeam(numThreads, patience, std::move(plugins), code, isCancelled));
  // Candidates may crash as often as they like: each is another one.
  const worker::WorkerOptions options{
      .command = {program, "worker"},
      .timeLimit = std::min<std::chrono::milliseconds>(worker::timeLimitOfEnvironment(), kLongest),
      .memoryLimit = worker::memoryLimitOfEnvironment(),
      .maxFailures = SIZE_MAX,
      .isCancelled = std::move(isCancelled)};
  team->timeLimit_ = options.timeLimit;
  for (size_t i = 0; i < numWorkers; ++i)
    team->members_.push_back({.worker = worker::Worker(options)});
  return team;
}

Status TrialTeam::begin(Member& member) {
  TESSERA_TRY(const uint64_t process, member.worker.start());
  if (process == member.process) return {};
  member.process = process;
  member.made.clear();
  member.numShared = 0;
  const json begin = {{"call", "trial_begin"},
                      {"plugins", plugins_},
                      {"threads", numThreads_},
                      {"latency_ns", std::llround(core_.latency * 1e9)},
                      {"throughput_ns", std::llround(core_.throughput * 1e9)}};
  TESSERA_TRY(const Message answer, member.worker.ask(begin, {}));
  if (answer.header.contains("failed")) return targetFailed(textOf(answer.header, "failed"));
  return {};
}

Result<Message> TrialTeam::ask(Member& member, const json& question,
                               std::span<const worker::Bytes> payloads) {
  TESSERA_TRY_VOID(begin(member));
  return member.worker.ask(question, payloads);
}

/// 0 where it is no number of more.
static double secondsOf(const json& object, const char* key) {
  const json seconds = object.value(key, json());
  return seconds.is_number() ? std::max(0.0, seconds.get<double>()) : 0;
}

static void fail(TrialTask& task, const worker::Worker& worker, const Error& error) {
  task.outcome = worker.wasLate() ? costs::Outcome::kTimedOut : costs::Outcome::kCrashed;
  task.reason = error.message;
}

void TrialTeam::make(Member& member, size_t index, TrialTask& task) {
  if (isCancelled()) return;
  task.question["id"] = index;
  if (const Status begun = begin(member); !begun) {
    task.outcome = costs::Outcome::kFailed;
    task.reason = begun.error().message;
    task.isTried = false;
    return;
  }
  std::vector<worker::Bytes> payloads = {std::as_bytes(std::span(task.bytecode))};
  SharedCode code = shareCode(code_, member.numShared);
  task.question[kCodeKey] = std::move(code.keys);
  for (const auto& [key, bytes] : code.entries) payloads.emplace_back(*bytes);
  Result<Message> answer = ask(member, task.question, payloads);
  if (!answer && isCancelled()) return;
  if (!answer) {
    member.made.clear();  // They went with their process.
    return fail(task, member.worker, answer.error());
  }
  takeSharedCode(*answer, code_);
  const auto outcome = costs::parseOutcome(textOf(answer->header, "outcome"));
  task.outcome = outcome ? *outcome : costs::Outcome::kFailed;
  task.reason = textOf(answer->header, outcome ? "reason" : "failed");
  if (task.outcome != costs::Outcome::kOk) return;
  task.firstCallSeconds = secondsOf(answer->header, "first_call");
  task.memoryBytes = numberOf(answer->header, "memory");
  member.made.push_back(index);
}

static std::vector<double> numbersOf(const json& object, const char* key) {
  std::vector<double> numbers;
  for (const json& each : listOf(object, key))
    if (each.is_number()) numbers.push_back(each.get<double>());
  return numbers;
}

static std::vector<placement::Turn> turnsOf(const json& trial) {
  const std::vector<double> seconds = numbersOf(trial, "turns"), calm = numbersOf(trial, "calm");
  std::vector<placement::Turn> turns;
  for (size_t i = 0; i < std::min(seconds.size(), calm.size()); ++i)
    turns.push_back({.seconds = seconds[i], .isCalm = calm[i] != 0});
  return turns;
}

static std::vector<std::string> textsOf(const json& object, const char* key) {
  std::vector<std::string> texts;
  for (const json& each : listOf(object, key))
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

void TrialTeam::noteYardstick(const Message& answer) {
  if (const double seconds = secondsOf(answer.header, "yardstick"); seconds > 0)
    seenYardsticks_.push_back(seconds);
}

MachineSpeed TrialTeam::calibrate(std::chrono::milliseconds duration, const MachineSpeed& known) {
  core_ = known.core;
  const json question = {{"call", "trial_calibrate"}, {"milliseconds", duration.count()}};
  const Result<Message> answer = ask(members_.front(), question, {});
  if (!answer) return {};
  core_ = {.latency = secondsOf(answer->header, "latency"),
           .throughput = secondsOf(answer->header, "throughput")};
  return {.yardstickSeconds = secondsOf(answer->header, "yardstick"), .core = core_};
}

std::chrono::milliseconds TrialTeam::limitOf(const Member& member,
                                             const std::vector<TrialTask>& tasks,
                                             const TrialTiming& timing, double patience) const {
  // A first call takes longer than those after it; each is made this often, or less.
  constexpr double kMostCalls = 60;
  double seconds = patience;
  for (const size_t index : member.made) seconds += tasks[index].firstCallSeconds * kMostCalls;
  return timeLimit_ + timing.perTrial * static_cast<int64_t>(member.made.size()) +
         std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
}

std::optional<std::string> TrialTeam::rehearse(json question, const std::string& bytecode) {
  question["call"] = "trial_rehearse";
  Member& member = members_.front();
  if (!begin(member)) return std::nullopt;  // That is nobody's fault.
  const worker::Bytes payload = std::as_bytes(std::span(bytecode));
  const Result<Message> answer = ask(member, question, {&payload, 1});
  if (answer || isCancelled()) return std::nullopt;
  return answer.error().message;
}

/// A part of it is left for whole models, on which more depends.
double TrialTeam::patienceWithParts() const {
  constexpr double kShareOfWholeModels = 0.4;
  return std::max(0.0, patience_ - allPatience_ * kShareOfWholeModels);
}

bool TrialTeam::time(Member& member, std::vector<TrialTask>& tasks, const TrialTiming& timing) {
  const std::vector<size_t> made = member.made;
  if (made.empty()) return true;
  const double patience =
      std::min(timing.areInTurns ? patience_ : patienceWithParts(), timing.patience);
  const json question = {{"call", "trial_time"},
                         {"ids", made},
                         {"are_rivals", timing.areRivals ? 1U : 0U},
                         {"min_samples", timing.minSamples},
                         {"max_samples", timing.maxSamples},
                         {"max_warmup", timing.maxWarmup},
                         {"half_width_ppm", static_cast<uint64_t>(timing.relativeHalfWidth * 1e6)},
                         {"num_traced", timing.numTraced},
                         {"patience", static_cast<uint64_t>(patience * 1e3)},
                         {"yardstick_ns", static_cast<uint64_t>(yardstick_ * 1e9)},
                         {"milliseconds", timing.perTrial.count() * made.size()}};
  member.worker.setTimeLimit(limitOf(member, tasks, timing, patience));
  const Result<Message> answer = ask(member, question, {});
  member.worker.setTimeLimit(timeLimit_);
  if (!answer) {
    if (made.size() == 1 && !isCancelled())
      fail(tasks[made.front()], member.worker, answer.error());
    return false;
  }
  noteYardstick(*answer);
  patience_ = std::max(0.0, patience_ - secondsOf(answer->header, "waited"));
  for (std::string& remark : textsOf(answer->header, "remarks"))
    machineRemarks_.insert(std::move(remark));
  const json trials = listOf(answer->header, "trials");
  for (size_t i = 0; i < made.size() && i < trials.size(); ++i) {
    TrialTask& task = tasks[made[i]];
    task.reason = textOf(trials[i], "reason");
    if (!task.reason.empty())
      task.outcome =
          numberOf(trials[i], "is_wrong") != 0 ? costs::Outcome::kWrong : costs::Outcome::kFailed;
    task.seconds = numbersOf(trials[i], "seconds");
    task.turns = turnsOf(trials[i]);
    task.calls = numbersOf(trials[i], "calls");
    task.disturbedYardstick = secondsOf(trials[i], "disturbed_yardstick");
    task.remarks = textsOf(trials[i], "remarks");
  }
  return true;
}

void TrialTeam::drop(Member& member) {
  if (!member.made.empty() && !isCancelled())
    (void)ask(member, {{"call", "trial_drop"}, {"ids", member.made}}, {});
  member.made.clear();
}

/// Together, in one process: what ends it is found out, and the rest goes again.
void TrialTeam::runInTurns(std::vector<TrialTask>& tasks, const TrialTiming& timing) {
  Member& member = members_.front();
  const auto runs = [](const TrialTask& task) { return task.outcome == costs::Outcome::kOk; };
  for (size_t attempt = 0; attempt <= tasks.size() && !isCancelled(); ++attempt) {
    drop(member);
    for (size_t index = 0; index < tasks.size(); ++index)
      if (runs(tasks[index])) make(member, index, tasks[index]);
    if (static_cast<size_t>(std::ranges::count_if(tasks, runs)) != member.made.size()) continue;
    if (time(member, tasks, timing) || isCancelled()) break;
    bool isFound = false;
    for (size_t index = 0; index < tasks.size(); ++index) {
      if (!runs(tasks[index])) continue;
      make(member, index, tasks[index]);
      time(member, tasks, timing);
      drop(member);
      tasks[index].turns.clear();  // They are no pairs.
      isFound = isFound || !runs(tasks[index]);
    }
    if (!isFound) break;  // Together they take too much: each has its time, but no pairs.
  }
  drop(member);
}

/// Side by side made, one worker after the other timed.
void TrialTeam::runParts(std::vector<TrialTask>& tasks, const TrialTiming& timing,
                         const Finished& finished) {
  std::atomic<size_t> next = 0;
  const auto makeSome = [&](Member& member) {
    for (size_t index = next++; index < tasks.size(); index = next++)
      make(member, index, tasks[index]);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < members_.size(); ++i) others.emplace_back(makeSome, std::ref(members_[i]));
  makeSome(members_.front());
  for (std::thread& other : others) other.join();
  const auto finish = [&](size_t index) {
    if (finished) finished(index);
  };
  for (size_t index = 0; index < tasks.size(); ++index)
    if (tasks[index].outcome != costs::Outcome::kOk) finish(index);
  for (Member& member : members_) {
    const std::vector<size_t> made = member.made;
    if (time(member, tasks, timing)) std::ranges::for_each(made, finish);
    drop(member);
  }
  // Those whose process ended under another one: each by itself.
  for (size_t index = 0; index < tasks.size() && !isCancelled(); ++index) {
    TrialTask& task = tasks[index];
    if (task.outcome != costs::Outcome::kOk || !task.seconds.empty()) continue;
    make(members_.front(), index, task);
    time(members_.front(), tasks, timing);
    drop(members_.front());
    finish(index);
  }
}

void TrialTeam::run(std::vector<TrialTask>& tasks, const TrialTiming& timing,
                    double yardstickSeconds, const Finished& finished) {
  machineRemarks_.clear();
  yardstick_ = yardstickSeconds;
  seenYardsticks_.clear();
  if (timing.areInTurns)
    runInTurns(tasks, timing);
  else
    runParts(tasks, timing, finished);
  for (TrialTask& task : tasks) {
    if (task.outcome != costs::Outcome::kOk || !task.seconds.empty()) continue;
    task.isInterrupted = isCancelled();
    if (task.isInterrupted) continue;
    task.outcome = costs::Outcome::kFailed;
    task.reason = "it was not timed";
  }
}

}  // namespace tessera::driver
