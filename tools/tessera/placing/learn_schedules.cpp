#include "tools/tessera/placing/learn_schedules.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "tessera/runtime.hpp"
#include "tessera/tensor_compare.h"
#include "tools/tessera/inputs.h"
#include "tools/tessera/model.h"

namespace tessera::cli {

namespace {

/// Another way must be faster by this share to count, and be so once more beside all that count.
constexpr double kCandidate = 0.03, kConfirmed = 0.02;
/// Runs of each of two programs that take turns: as many as fit into that time.
constexpr double kSecondsOfTurns = 0.5;
constexpr size_t kFewestTurns = 7, kMostTurns = 60;

double medianOf(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

/// A compiled module that runs on inputs of its own.
struct Program {
  Executable executable;
  Context context;

  static Result<Program> make(Module module, std::span<const HostTensor> inputs, uint32_t threads) {
    TESSERA_TRY(const std::vector<std::byte> artifact, module.compileToMemory());
    TESSERA_TRY(Executable executable, Executable::loadMemory(artifact, {.copyMemory = true}));
    TESSERA_TRY(Context context,
                Context::create(executable, {.numThreads = static_cast<int32_t>(threads)}));
    TESSERA_TRY_VOID(bindInputs(context, inputs));
    TESSERA_TRY_VOID(context.run());
    return Program{std::move(executable), std::move(context)};
  }

  /// One run: seconds by region.
  Result<std::map<std::string, double>> time() {
    TESSERA_TRY_VOID(context.setProfiling(false));
    TESSERA_TRY_VOID(context.setProfiling(true));  // Forgets the runs before.
    TESSERA_TRY_VOID(context.run());
    std::map<std::string, double> seconds;
    for (const tessera_profile_entry& entry : context.profile())
      if (entry.count > 0)
        seconds[executable.info().regions[entry.region]->name] +=
            static_cast<double>(entry.time_ns) * 1e-9;
    return seconds;
  }
};

/// Seconds of each run of two programs, by class.
struct Turns {
  std::vector<std::vector<double>> own, other;

  /// How long the other took, as a share.
  double ratio(size_t which) const {
    std::vector<double> ratios;
    for (auto [a, b] = std::pair(own[which].begin(), other[which].begin()); a != own[which].end();
         ++a, ++b)
      ratios.push_back(*b / *a);
    return medianOf(std::move(ratios));
  }
};

class Learner {
 public:
  Learner(Module& module, std::vector<ScheduleClass> classes, std::vector<HostTensor> inputs,
          uint32_t threads)
      : module_(module),
        classes_(std::move(classes)),
        threads_(threads),
        inputs_(std::move(inputs)) {}

  Result<std::vector<LearntClass>> run(const std::function<bool()>& isStopped,
                                       const ProgressCallback& progress);

 private:
  size_t numWays() const {
    size_t most = 0;
    for (const ScheduleClass& each : classes_) most = std::max(most, each.choices.size());
    return most;
  }
  /// The module with one schedule for each class.
  Result<Program> compile(const std::vector<std::string>& schedules);
  Result<Turns> takeTurns(Program& other, double seconds);
  Result<bool> isRight(Program& other);
  Status tryWay(size_t number);
  Status confirm();
  std::vector<double> samplesOf(const Turns& turns, size_t which) const;

  Module& module_;
  std::vector<ScheduleClass> classes_;
  uint32_t threads_;
  std::vector<HostTensor> inputs_;
  std::optional<Program> own_;
  std::vector<double> ownSeconds_;  ///< By class, once it is known.
  std::vector<double> least_;       ///< Of the ways so far, as a share of the own.
  std::vector<std::string> best_;   ///< The way that took it.
  std::vector<TimedSchedule> timed_;
};

}  // namespace

Result<Program> Learner::compile(const std::vector<std::string>& schedules) {
  TESSERA_TRY(Module copy, module_.clone(""));
  for (size_t i = 0; i < classes_.size(); ++i) copy.setSchedule(classes_[i], schedules[i]);
  return Program::make(std::move(copy), inputs_, threads_);
}

Result<Turns> Learner::takeTurns(Program& other, double seconds) {
  using Clock = std::chrono::steady_clock;
  Turns turns{.own = std::vector<std::vector<double>>(classes_.size()),
              .other = std::vector<std::vector<double>>(classes_.size())};
  const auto note = [&](Program& program, std::vector<std::vector<double>>& samples) -> Status {
    TESSERA_TRY(const auto byRegion, program.time());
    for (size_t i = 0; i < classes_.size(); ++i) {
      double sum = 0;
      for (const std::string& region : classes_[i].regions) {
        const auto it = byRegion.find(region);
        if (it != byRegion.end()) sum += it->second;
      }
      samples[i].push_back(std::max(sum, 1e-9));
    }
    return {};
  };
  const auto begin = Clock::now();
  for (size_t turn = 0; turn < kMostTurns; ++turn) {
    const std::chrono::duration<double> spent = Clock::now() - begin;
    if (turn >= kFewestTurns && spent.count() > seconds) break;
    TESSERA_TRY_VOID(note(*own_, turns.own));
    TESSERA_TRY_VOID(note(other, turns.other));
  }
  return turns;
}

/// Whether outputs are those of the targets' own choices, up to rounding.
Result<bool> Learner::isRight(Program& other) {
  TESSERA_TRY_VOID(own_->context.run());
  TESSERA_TRY_VOID(other.context.run());
  TESSERA_TRY(const auto expected, collectOutputs(own_->executable, own_->context));
  TESSERA_TRY(const auto actual, collectOutputs(other.executable, other.context));
  for (size_t i = 0; i < expected.size(); ++i) {
    const TensorDifference difference = compareTensors(actual[i], expected[i], {.relative = 2e-3});
    if (!difference.isWithin && !difference.isWithinScaled) return false;
  }
  return true;
}

/// As if the own choice had taken in this turn what it takes: turns of several ways lie minutes
/// apart.
std::vector<double> Learner::samplesOf(const Turns& turns, size_t which) const {
  std::vector<double> samples;
  for (size_t i = 0; i < turns.own[which].size(); ++i)
    samples.push_back(turns.other[which][i] / turns.own[which][i] * ownSeconds_[which]);
  return samples;
}

Status Learner::tryWay(size_t number) {
  std::vector<std::string> schedules(classes_.size());
  for (size_t i = 0; i < classes_.size(); ++i)
    if (number < classes_[i].choices.size()) schedules[i] = classes_[i].choices[number];
  TESSERA_TRY(Program program, compile(schedules));
  TESSERA_TRY(const bool isRight, this->isRight(program));
  if (!isRight) return targetFailed("schedules change what the module computes");
  TESSERA_TRY(const Turns turns, takeTurns(program, kSecondsOfTurns));
  for (size_t i = 0; i < classes_.size(); ++i) {
    const ScheduleClass& each = classes_[i];
    if (ownSeconds_[i] == 0) {
      ownSeconds_[i] = medianOf(turns.own[i]);
      timed_.push_back({.target = each.target,
                        .shapeClass = each.shapeClass,
                        .schedule = "",
                        .samples = turns.own[i]});
    }
    if (schedules[i].empty()) continue;
    timed_.push_back({.target = each.target,
                      .shapeClass = each.shapeClass,
                      .schedule = schedules[i],
                      .samples = samplesOf(turns, i)});
    if (turns.ratio(i) >= least_[i]) continue;
    least_[i] = turns.ratio(i);
    best_[i] = schedules[i];
  }
  return {};
}

/// The least of many ways is faster by luck more often than not: all that count run once more, for
/// longer, and what they take then is kept.
Status Learner::confirm() {
  for (size_t i = 0; i < classes_.size(); ++i)
    if (least_[i] > 1 - kCandidate) best_[i].clear();
  if (std::ranges::all_of(best_, &std::string::empty)) return {};
  TESSERA_TRY(Program program, compile(best_));
  TESSERA_TRY(const Turns turns, takeTurns(program, 3 * kSecondsOfTurns));
  for (size_t i = 0; i < classes_.size(); ++i) {
    if (best_[i].empty()) continue;
    for (TimedSchedule& timed : timed_)
      if (timed.target == classes_[i].target && timed.shapeClass == classes_[i].shapeClass &&
          timed.schedule == best_[i])
        timed.samples = samplesOf(turns, i);
    least_[i] = turns.ratio(i);
    if (least_[i] > 1 - kConfirmed) best_[i].clear();
  }
  return {};
}

Result<std::vector<LearntClass>> Learner::run(const std::function<bool()>& isStopped,
                                              const ProgressCallback& progress) {
  ownSeconds_.assign(classes_.size(), 0);
  least_.assign(classes_.size(), 1);
  best_.assign(classes_.size(), "");
  TESSERA_TRY(own_, compile(best_));
  const size_t ways = numWays();
  for (size_t way = 0; way < ways; ++way) {
    if (isStopped()) break;
    if (progress) progress("schedules", way, ways);
    TESSERA_TRY_VOID(tryWay(way));
  }
  if (timed_.empty()) return std::vector<LearntClass>();
  TESSERA_TRY_VOID(confirm());
  TESSERA_TRY_VOID(module_.keepSchedules(timed_));
  std::vector<LearntClass> learnt;
  for (size_t i = 0; i < classes_.size(); ++i)
    learnt.push_back({.shapeClass = classes_[i].shapeClass,
                      .ownSeconds = ownSeconds_[i],
                      .schedule = best_[i],
                      .bestSeconds = ownSeconds_[i] * (best_[i].empty() ? 1 : least_[i])});
  return learnt;
}

Result<std::vector<LearntClass>> learnSchedules(Module& module, const InputOptions& inputs,
                                                uint32_t threads,
                                                const std::function<bool()>& isStopped,
                                                const ProgressCallback& progress) {
  TESSERA_TRY(std::vector<ScheduleClass> classes, module.scheduleClasses());
  std::erase_if(classes, [](const ScheduleClass& each) { return each.isKnown; });
  if (classes.empty()) return std::vector<LearntClass>();
  TESSERA_TRY(std::vector<HostTensor> tensors,
              gatherInputs(module.inputs(), inputs, /*fillMissing=*/true));
  return Learner(module, std::move(classes), std::move(tensors), threads).run(isStopped, progress);
}

}  // namespace tessera::cli
