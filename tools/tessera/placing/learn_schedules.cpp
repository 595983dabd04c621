#include "tools/tessera/placing/learn_schedules.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "tessera/runtime.hpp"
#include "tessera/tensor_compare.h"
#include "tools/tessera/inputs.h"
#include "tools/tessera/model.h"

namespace tessera::cli {

namespace {

/// Runs of each of two programs that take turns: as many as fit into that time.
constexpr double kSecondsOfTurns = 0.5;
constexpr size_t kFewestTurns = 7, kMostTurns = 60;
/// Relative to the greatest value: sums in another order, and of Winograd's algorithm.
constexpr double kSameResults = 2e-3;

/// The middle one, or the mean of the two, as those who read the store take it.
double medianOf(std::vector<double> samples) {
  std::ranges::sort(samples);
  const size_t size = samples.size();
  return (samples[(size - 1) / 2] + samples[size / 2]) / 2;
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

  /// How long the other took in each turn, as a share.
  std::vector<double> ratios(size_t which) const {
    std::vector<double> ratios;
    for (size_t i = 0; i < own[which].size(); ++i)
      ratios.push_back(other[which][i] / own[which][i]);
    return ratios;
  }
};

/// A schedule of a class that was timed.
struct Tried {
  std::string schedule;
  std::vector<double> ratios;  ///< To the target's own choice.
  bool isConfirmed = false;
};

/// A class, and what is known of it.
struct Lesson {
  ScheduleClass about;
  std::vector<double> ownSamples = {};  ///< Seconds; empty before the first turns.
  std::vector<Tried> tried = {};

  double ownSeconds() const { return medianOf(ownSamples); }
  /// The fastest of those that are worthwhile; null: the target's own choice.
  Tried* best() {
    Tried* best = nullptr;
    double least = 1 - kWorthwhileSchedule;
    for (Tried& each : tried) {
      const double ratio = medianOf(each.ratios);
      if (ratio >= least) continue;
      least = ratio;
      best = &each;
    }
    return best;
  }
};

class Learner {
 public:
  Learner(Module& module, std::vector<ScheduleClass> classes, std::vector<HostTensor> inputs,
          uint32_t threads)
      : module_(module), threads_(threads), inputs_(std::move(inputs)) {
    for (ScheduleClass& each : classes) lessons_.push_back({.about = std::move(each)});
  }

  Result<std::vector<LearntClass>> run(const std::function<bool()>& isStopped,
                                       const ProgressCallback& progress);

 private:
  /// The module with a schedule for each class.
  Result<Program> compile(const std::vector<std::string>& schedules);
  Result<Turns> takeTurns(Program& other, double seconds);
  Result<bool> givesTheSame(Program& other, const std::vector<std::string>& schedules);
  Status tryChoices(size_t number);
  Result<bool> confirm();
  Status keep() const;

  Module& module_;
  std::vector<Lesson> lessons_;
  uint32_t threads_;
  std::vector<HostTensor> inputs_;
  std::optional<Program> own_;
};

}  // namespace

Result<Program> Learner::compile(const std::vector<std::string>& schedules) {
  TESSERA_TRY(Module copy, module_.clone(""));
  for (size_t i = 0; i < lessons_.size(); ++i) copy.setSchedule(lessons_[i].about, schedules[i]);
  return Program::make(std::move(copy), inputs_, threads_);
}

Result<Turns> Learner::takeTurns(Program& other, double seconds) {
  using Clock = std::chrono::steady_clock;
  Turns turns{.own = std::vector<std::vector<double>>(lessons_.size()),
              .other = std::vector<std::vector<double>>(lessons_.size())};
  const auto note = [&](Program& program, std::vector<std::vector<double>>& samples) -> Status {
    TESSERA_TRY(const auto byRegion, program.time());
    for (size_t i = 0; i < lessons_.size(); ++i) {
      double sum = 0;
      for (const std::string& region : lessons_[i].about.regions) {
        const auto it = byRegion.find(region);
        if (it != byRegion.end()) sum += it->second;
      }
      samples[i].push_back(std::max(sum, 1e-9));  // A region may lie in a branch not taken.
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

/// Whether outputs are those of the targets' own choices, up to rounding: not so where ranks or
/// thresholds make much of that, which is said. Integers are such ranks.
Result<bool> Learner::givesTheSame(Program& other, const std::vector<std::string>& schedules) {
  TESSERA_TRY_VOID(own_->context.run());
  TESSERA_TRY_VOID(other.context.run());
  TESSERA_TRY(const auto expected, collectOutputs(own_->executable, own_->context));
  TESSERA_TRY(const auto actual, collectOutputs(other.executable, other.context));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!isFloat(expected[i].type)) continue;
    const TensorDifference difference =
        compareTensors(actual[i], expected[i], {.relative = kSameResults});
    if (difference.isWithin || difference.isWithinScaled) continue;
    std::string which;
    for (size_t k = 0; k < lessons_.size(); ++k)
      if (!schedules[k].empty())
        which += (which.empty() ? "" : "; ") + schedules[k] + " of " + lessons_[k].about.shapeClass;
    std::fprintf(stderr,
                 "note: output '%s' differs by up to %g with schedules that are left out: %s\n",
                 expected[i].name.c_str(), difference.greatest, which.c_str());
    return false;
  }
  return true;
}

/// Choice `number` of every class that has so many.
Status Learner::tryChoices(size_t number) {
  std::vector<std::string> schedules(lessons_.size());
  for (size_t i = 0; i < lessons_.size(); ++i) {
    const std::vector<std::string>& choices = lessons_[i].about.choices;
    if (number < choices.size()) schedules[i] = choices[number];
  }
  TESSERA_TRY(Program program, compile(schedules));
  TESSERA_TRY(const bool isRight, givesTheSame(program, schedules));
  if (!isRight) return {};
  TESSERA_TRY(const Turns turns, takeTurns(program, kSecondsOfTurns));
  for (size_t i = 0; i < lessons_.size(); ++i) {
    if (lessons_[i].ownSamples.empty()) lessons_[i].ownSamples = turns.own[i];
    if (!schedules[i].empty())
      lessons_[i].tried.push_back({.schedule = schedules[i], .ratios = turns.ratios(i)});
  }
  return {};
}

/// The least of many is fast by luck more often than not: the best of each class, all together, run
/// once more and for longer, and what they take then counts. False: all were confirmed before.
Result<bool> Learner::confirm() {
  std::vector<std::string> schedules(lessons_.size());
  std::vector<Tried*> asked(lessons_.size());
  for (size_t i = 0; i < lessons_.size(); ++i) {
    Tried* best = lessons_[i].best();
    if (best == nullptr) continue;
    schedules[i] = best->schedule;
    if (!best->isConfirmed) asked[i] = best;
  }
  if (std::ranges::all_of(asked, [](const Tried* each) { return each == nullptr; })) return false;
  TESSERA_TRY(Program program, compile(schedules));
  TESSERA_TRY(const bool isRight, givesTheSame(program, schedules));
  TESSERA_TRY(const Turns turns, takeTurns(program, 3 * kSecondsOfTurns));
  for (size_t i = 0; i < lessons_.size(); ++i) {
    if (asked[i] == nullptr) continue;
    asked[i]->ratios = isRight ? turns.ratios(i) : std::vector<double>{1};
    asked[i]->isConfirmed = true;
  }
  return true;
}

/// Samples are as if the own choice had taken in each turn what it takes: turns of several
/// schedules lie minutes apart.
Status Learner::keep() const {
  std::vector<TimedSchedule> timed;
  const auto add = [&](const Lesson& lesson, const std::string& schedule,
                       std::vector<double> samples) {
    timed.push_back({.target = lesson.about.target,
                     .shapeClass = lesson.about.shapeClass,
                     .schedule = schedule,
                     .samples = std::move(samples)});
  };
  for (const Lesson& lesson : lessons_) {
    add(lesson, "", lesson.ownSamples);
    for (const Tried& each : lesson.tried) {
      std::vector<double> samples = each.ratios;
      for (double& sample : samples) sample *= lesson.ownSeconds();
      add(lesson, each.schedule, std::move(samples));
    }
  }
  return module_.keepSchedules(timed);
}

Result<std::vector<LearntClass>> Learner::run(const std::function<bool()>& isStopped,
                                              const ProgressCallback& progress) {
  TESSERA_TRY(own_, compile(std::vector<std::string>(lessons_.size())));
  size_t most = 0;
  for (const Lesson& lesson : lessons_) most = std::max(most, lesson.about.choices.size());
  for (size_t number = 0; number < most && !isStopped(); ++number) {
    if (progress) progress("schedules", number, most);
    TESSERA_TRY_VOID(tryChoices(number));
  }
  std::vector<LearntClass> learnt;
  if (lessons_.front().ownSamples.empty()) return learnt;
  for (bool isUnsettled = true; isUnsettled;) {
    TESSERA_TRY(isUnsettled, confirm());
  }
  TESSERA_TRY_VOID(keep());
  for (Lesson& lesson : lessons_) {
    const Tried* best = lesson.best();
    const double share = best == nullptr ? 1 : medianOf(best->ratios);
    learnt.push_back({.shapeClass = lesson.about.shapeClass,
                      .ownSeconds = lesson.ownSeconds(),
                      .schedule = best == nullptr ? "" : best->schedule,
                      .bestSeconds = lesson.ownSeconds() * share});
  }
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
