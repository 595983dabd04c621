#include "compiler/driver/measuring/worker_measurer.h"

#include <algorithm>
#include <ctime>
#include <thread>

#include "base/cache_folder.h"
#include "compiler/backend_api/backend.h"
#include "compiler/costs/machine.h"
#include "compiler/driver/pipeline.h"
#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/passes.h"
#include "compiler/placement/plan_memory.h"
#include "compiler/placement/timing/summary.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "tessera/compile.h"

namespace tessera::driver {

using costs::Outcome;
using nlohmann::json;
using placement::Measurement;
using placement::Subject;

/// How many trials are alive at once.
static constexpr size_t kTrialsAtOnce = 16;
/// Intervals need six samples. What a glance sees is a bound: on a disturbed machine, too, if a low
/// one.
static constexpr TrialTiming kGlance{
    .minSamples = 3, .maxSamples = 3, .maxWarmup = 1, .patience = 0.5};
static constexpr TrialTiming kCareful{
    .minSamples = 7, .perTrial = std::chrono::milliseconds(60), .patience = 3};
static constexpr TrialTiming kAgain{
    .minSamples = 7, .perTrial = std::chrono::milliseconds(60), .patience = 20};
static constexpr TrialTiming kWhole{.minSamples = 9,
                                    .perTrial = std::chrono::milliseconds(2000),
                                    .patience = 60,
                                    .numTraced = 5,
                                    .areInTurns = true};

/// Of large constants, each once.
static size_t constantBytes(mlir::ModuleOp module) {
  const auto& store = module.getContext()->getLoadedDialect<ir::TsrDialect>()->constants();
  size_t bytes = 0;
  for (const std::string& hash : ir::blobHashes(module)) bytes += store.find(hash).bytes.size();
  return bytes;
}

/// Of a whole model: the most that is computed and still needed.
static size_t bufferBytes(const placement::OperatorGraph& graph) {
  return placement::peakLiveBytes(graph, llvm::to_vector(llvm::seq<uint32_t>(0, graph.size())));
}

placement::RestOfModel WorkerMeasurer::restOf(const Subject& subject) const {
  switch (options_.search.weights) {
    case WeightCaching::kCold:
      return placement::sweepingAll(numThreads_);
    case WeightCaching::kWarm:
      return {};
    case WeightCaching::kAsInModel:
      break;
  }
  const size_t own = constantBytes(subject.module) + subject.liveBytes;
  const size_t all = constantBytes_ + bufferBytes_;
  return placement::restOfModel(all - std::min(own, all), bufferBytes_, numThreads_);
}

WorkerMeasurer::WorkerMeasurer(const MeasuringOptions& options, backend_api::Owners owners,
                               SharedMemory memory, ReferenceValues values,
                               std::unique_ptr<TrialTeam> team)
    : options_(options),
      memory_(std::move(memory)),
      values_(std::move(values)),
      team_(std::move(team)),
      machine_(costs::thisMachine().fingerprint()),
      speed_(options.store, machine_, options.threads),
      versions_(options.plugins),
      owners_(std::move(owners)) {}

/// Not more than a part of the budget.
static double patienceOf(const PlacementSearch& search) {
  constexpr double kShare = 0.3;
  return search.budgetSeconds > 0 ? std::min(search.patienceSeconds, search.budgetSeconds * kShare)
                                  : search.patienceSeconds;
}

/// How long the machine's speed is looked at, or up to three times as long (Yardstick::calibrate).
static std::chrono::milliseconds calibrationOf(const PlacementSearch& search) {
  constexpr double kUsual = 1, kShare = 0.04;
  const double seconds =
      search.budgetSeconds > 0 ? std::min(kUsual, search.budgetSeconds * kShare) : kUsual;
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
}

Result<ReferenceRun> ReferenceRun::make(const placement::OperatorGraph& graph, uint64_t seed) {
  constexpr uint64_t kMostKeptBytes = uint64_t{1} << 30;
  const ReferenceCache cache(base::cacheFolder("reference"), kMostKeptBytes);
  TESSERA_TRY(SharedMemory memory, SharedMemory::create());
  TESSERA_TRY(ReferenceValues values, ReferenceValues::make(graph, memory, seed, &cache));
  return ReferenceRun{.memory = std::move(memory), .values = std::move(values)};
}

Result<std::unique_ptr<WorkerMeasurer>> WorkerMeasurer::create(
    const placement::OperatorGraph& graph, ReferenceRun run, const MeasuringOptions& options) {
  constexpr size_t kMostWorkers = 4;
  TESSERA_TRY(backend_api::Owners owners,
              backend_api::ownersOf(graph.entry()->getParentOfType<mlir::ModuleOp>()));
  const size_t numWorkers =
      std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostWorkers);
  std::vector<std::string> files;
  for (const backend_registry::Plugin& plugin : options.plugins) files.push_back(plugin.file);
  const uint32_t numThreads =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  TESSERA_TRY(std::unique_ptr<TrialTeam> team,
              TrialTeam::create(numWorkers, numThreads, patienceOf(options.search),
                                std::move(files), *options.code, options.isCancelled));
  auto measurer = std::unique_ptr<WorkerMeasurer>(new WorkerMeasurer(
      options, std::move(owners), std::move(run.memory), std::move(run.values), std::move(team)));
  measurer->numThreads_ = numThreads;
  measurer->constantBytes_ = constantBytes(graph.entry()->getParentOfType<mlir::ModuleOp>());
  measurer->bufferBytes_ = bufferBytes(graph);
  measurer->speed_.noteCalibration(
      measurer->team_->calibrate(calibrationOf(options.search), measurer->speed_.get()));
  return measurer;
}

/// How keys call it.
static std::string nameOf(const placement::RestOfModel& rest) {
  if (rest.bytes == 0) return "";
  return " behind " + std::to_string(rest.bytes) + (rest.leavesBuffersNear ? " near" : "");
}

static Measurement measurementOf(Outcome outcome, const std::string& reason,
                                 const std::vector<double>& samples) {
  Measurement measurement{.outcome = outcome, .reason = reason};
  if (outcome != Outcome::kOk || samples.empty()) return measurement;
  const placement::Summary summary = placement::summarize(samples);
  measurement.seconds = summary.median;
  measurement.low = summary.low;
  measurement.high = summary.high;
  measurement.least = std::ranges::min(samples);
  return measurement;
}

static std::string textOf(ir::TargetAttr target) {
  return target ? backend_api::fromAttribute(target).toString() : "";
}

costs::Key WorkerMeasurer::keyOf(const Subject& subject) const {
  const backend_api::Owner* owner =
      subject.target ? backend_api::findOwner(owners_, subject.target) : nullptr;
  return {.subgraph = subject.name + nameOf(restOf(subject)),
          .target = textOf(subject.target),
          // Conversions are nobody's in particular.
          .version = owner != nullptr ? versions_.of(*owner) : versions_.of(owners_),
          .machine = machine_,
          .threads = options_.threads};
}

/// What was taken at several times counts together: a few samples each time are as many in the end.
/// The newest record of one that ran tells the rest, or of one that failed when nothing ever ran;
/// who was wrong once is not trusted again.
static costs::Record together(const std::vector<costs::Record>& records) {
  const auto rank = [](const costs::Record& record) {
    const int trust = record.outcome == Outcome::kWrong ? 2 : record.outcome == Outcome::kOk;
    return std::pair(trust, record.date);
  };
  costs::Record all = *std::ranges::max_element(records, {}, rank);
  all.samples.clear();
  for (const costs::Record& record : records) llvm::append_range(all.samples, record.samples);
  return all;
}

std::optional<Measurement> WorkerMeasurer::findStored(const Subject& subject,
                                                      const TrialTiming& timing) {
  if (options_.store == nullptr) return std::nullopt;
  auto records = options_.store->find(keyOf(subject));
  if (!records || records->empty()) return std::nullopt;
  const auto isDisturbed = [&](const costs::Record& record) {
    constexpr double kTooSlow = 1.1;
    return record.yardstickSeconds > speed_.get().yardstickSeconds * kTooSlow;
  };
  const bool areAllDisturbed = std::ranges::all_of(*records, isDisturbed);
  if (!areAllDisturbed) std::erase_if(*records, isDisturbed);
  const costs::Record known = together(*records);
  if (known.outcome == Outcome::kOk && known.samples.size() < timing.minSamples)
    return std::nullopt;
  Measurement measurement = measurementOf(known.outcome, known.reason, known.samples);
  measurement.memoryBytes = known.workspaceBytes;
  measurement.key = known.key.subgraph;
  measurement.isDisturbed = areAllDisturbed;
  return measurement;
}

void WorkerMeasurer::keep(const Subject& subject, const TrialTask& task) {
  if (options_.store == nullptr || !task.isTried) return;
  const auto added = options_.store->add(
      {{.key = keyOf(subject),
        .outcome = task.outcome,
        .reason = task.reason,
        .samples = task.seconds,
        .yardstickSeconds = std::max(speed_.get().yardstickSeconds, task.disturbedYardstick),
        .firstCallSeconds = task.firstCallSeconds,
        .workspaceBytes = task.memoryBytes,
        .date = std::time(nullptr),
        .tool = tessera::version()}});
  if (!added && !storeFailure_) storeFailure_ = added.error();
}

Status WorkerMeasurer::shareConstants(mlir::ModuleOp module, json& constants) {
  const auto& store = module.getContext()->getLoadedDialect<ir::TsrDialect>()->constants();
  for (const std::string& hash : ir::blobHashes(module)) {
    auto it = constants_.find(hash);
    if (it == constants_.end()) {
      TESSERA_TRY(const Extent extent, memory_.append(store.find(hash).bytes));
      it = constants_.emplace(hash, extent).first;
    }
    constants.push_back({{"hash", hash}, {"offset", it->second.offset}, {"size", it->second.size}});
  }
  return {};
}

static Status makeBordersPlain(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  manager.addPass(partition::createPlainBordersPass());
  ir::DiagnosticCapture diagnostics(module.getContext());
  if (mlir::succeeded(manager.run(module))) return {};
  return diagnostics.take(targetFailed("its borders cannot be converted"));
}

/// {type, shape, offset, size} of each; errors (kTargetFailed) for values that are no tensors.
Result<json> WorkerMeasurer::describe(llvm::ArrayRef<mlir::Value> origins) const {
  json list = json::array();
  for (const mlir::Value origin : origins) {
    TESSERA_TRY(const ReferenceValue value, values_.find(origin));
    list.push_back({{"type", static_cast<int>(value.type)},
                    {"shape", value.shape},
                    {"offset", value.extent.offset},
                    {"size", value.extent.size}});
  }
  return list;
}

static Result<std::string> bytecodeOf(mlir::ModuleOp module) {
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (mlir::failed(mlir::writeBytecodeToFile(module, stream)))
    return targetFailed("the module cannot be written as bytecode");
  stream.flush();
  return bytecode;
}

Result<TrialTask> WorkerMeasurer::taskOf(const Subject& subject, bool isWhole) {
  mlir::ModuleOp original = subject.module;
  mlir::OwningOpRef<mlir::ModuleOp> module = original.clone();
  if (!isWhole) TESSERA_TRY_VOID(makeBordersPlain(*module));
  setPhase(*module, target::Phase::kPartition);
  (*module)->removeAttr(ir::kWithFallbackAttribute);  // It is not what is measured.
  TrialTask task;
  json constants = json::array();
  TESSERA_TRY_VOID(shareConstants(*module, constants));
  TESSERA_TRY(json inputs, describe(subject.inputs));
  TESSERA_TRY(json expected, describe(subject.outputs));
  const placement::RestOfModel rest = restOf(subject);
  task.question = {{"call", "trial_make"},
                   {"constants", std::move(constants)},
                   {"memory", memory_.path()},
                   {"threads", options_.threads},
                   {"is_whole", isWhole ? 1U : 0U},
                   {"rest", rest.bytes},
                   {"near", rest.leavesBuffersNear ? 1U : 0U},
                   {"inputs", std::move(inputs)},
                   {"expected", std::move(expected)}};
  TESSERA_TRY(task.bytecode, bytecodeOf(*module));
  return task;
}

Result<std::vector<std::pair<target::Target, std::string>>> WorkerMeasurer::whoCannotBeAsked(
    mlir::ModuleOp module) {
  std::vector<std::pair<target::Target, std::string>> found;
  if (options_.isIsolated) return found;  // Nobody is asked in this process.
  json constants = json::array();
  TESSERA_TRY_VOID(shareConstants(module, constants));
  TESSERA_TRY(const std::string bytecode, bytecodeOf(module));
  for (const backend_api::Owner& owner : owners_) {
    const auto isKind = [&](const auto& plugin) { return plugin.kind == owner.target.kind; };
    if (owner.backend->kind().isHost || llvm::any_of(options_.plugins, isKind)) continue;
    auto ending = team_->rehearse(
        {{"constants", constants}, {"memory", memory_.path()}, {"target", owner.target.toString()}},
        bytecode);
    if (ending) found.emplace_back(owner.target, std::move(*ending));
  }
  return found;
}

/// Each of them costs its time, and the next ones will hardly be better.
bool WorkerMeasurer::Losses::areTooMany() const {
  constexpr size_t kMostHung = 3, kMostCrashed = 10;
  return numHung >= kMostHung || numCrashed >= kMostCrashed;
}

void WorkerMeasurer::countLosses(const Subject& subject, const TrialTask& task) {
  if (!task.isTried) return;
  Losses& losses = losses_[textOf(subject.target)];
  losses.numHung += task.outcome == Outcome::kTimedOut ? 1 : 0;
  losses.numCrashed += task.outcome == Outcome::kCrashed ? 1 : 0;
}

std::vector<Measurement> WorkerMeasurer::run(llvm::ArrayRef<Subject> subjects,
                                             const TrialTiming& timing, bool isWhole) {
  std::vector<Measurement> measurements(subjects.size());
  std::vector<TrialTask> tasks;
  std::vector<size_t> owners;  // The subject of each task.
  for (auto [index, subject] : llvm::enumerate(subjects)) {
    if (!isWhole && losses_[textOf(subject.target)].areTooMany()) {
      measurements[index] = {.outcome = Outcome::kFailed,
                             .reason = "its target crashed or hung in too many trials before it"};
      continue;
    }
    Result<TrialTask> task = taskOf(subject, isWhole);
    if (task) {
      tasks.push_back(std::move(*task));
      owners.push_back(index);
    } else {
      measurements[index] = {.outcome = Outcome::kFailed, .reason = task.error().message};
    }
  }
  // Kept at once: whoever ends this process loses no more than what is being measured.
  team_->run(tasks, timing, speed_.get().yardstickSeconds, [&](size_t task) {
    if (!isWhole) keep(subjects[owners[task]], tasks[task]);
  });
  for (const double seconds : team_->yardsticks()) speed_.noteYardstick(seconds);
  for (auto [task, index] : llvm::zip_equal(tasks, owners)) {
    measurements[index] = measurementOf(task.outcome, task.reason, task.seconds);
    measurements[index].isTaken = !task.isInterrupted;
    measurements[index].memoryBytes = task.memoryBytes;
    measurements[index].remarks = task.remarks;
    measurements[index].isDisturbed = task.disturbedYardstick > 0;
    if (isWhole) {
      measurements[index].turns = task.turns;
      measurements[index].calls = task.calls;
    } else {
      measurements[index].key = keyOf(subjects[index]).subgraph;
      countLosses(subjects[index], task);
    }
  }
  return measurements;
}

static const TrialTiming& timingOf(placement::Effort effort) {
  switch (effort) {
    case placement::Effort::kGlance:
      return kGlance;
    case placement::Effort::kCareful:
      return kCareful;
    case placement::Effort::kAgain:
      return kAgain;
  }
  return kCareful;
}

std::vector<Measurement> WorkerMeasurer::measure(llvm::ArrayRef<Subject> subjects,
                                                 placement::Effort effort) {
  const TrialTiming& timing = timingOf(effort);
  std::vector<Measurement> measurements(subjects.size());
  std::vector<size_t> missing;
  for (auto [index, subject] : llvm::enumerate(subjects)) {
    auto stored = effort == placement::Effort::kAgain ? std::nullopt : findStored(subject, timing);
    if (stored)
      measurements[index] = *stored;
    else
      missing.push_back(index);
  }
  // Those of one target stand together: threads of another's library that still spin would be
  // part of what they take.
  std::ranges::stable_sort(missing, {}, [&](size_t index) {
    const ir::TargetAttr target = subjects[index].target;
    return target ? target.getKind().str() : std::string();
  });
  for (size_t begin = 0; begin < missing.size(); begin += kTrialsAtOnce) {
    if (options_.search.isStopped && options_.search.isStopped()) {
      for (const size_t index : llvm::ArrayRef(missing).drop_front(begin))
        measurements[index].isTaken = false;
      break;
    }
    const auto some =
        llvm::ArrayRef(missing).slice(begin, std::min(kTrialsAtOnce, missing.size() - begin));
    std::vector<Subject> batch;
    for (const size_t index : some) batch.push_back(subjects[index]);
    for (auto [index, measurement] : llvm::zip_equal(some, run(batch, timing, /*isWhole=*/false)))
      measurements[index] = measurement;
  }
  return measurements;
}

bool WorkerMeasurer::isPatient() const { return team_->isPatient(); }

std::vector<std::string> WorkerMeasurer::remarks() const {
  const std::set<std::string>& remarks = team_->machineRemarks();
  return {remarks.begin(), remarks.end()};
}

std::vector<Measurement> WorkerMeasurer::measureWhole(llvm::ArrayRef<Subject> subjects,
                                                      bool areRivals) {
  constexpr std::chrono::milliseconds kAltogether(16000);  // Beyond the least of samples.
  constexpr double kShareOfBudget = 0.2;
  std::chrono::milliseconds altogether = kAltogether;
  if (const double budget = options_.search.budgetSeconds; budget > 0)
    altogether = std::min(
        altogether, std::chrono::milliseconds(static_cast<int64_t>(budget * kShareOfBudget * 1e3)));
  constexpr size_t kFew = 4;
  constexpr double kNarrow = 0.004;
  TrialTiming timing = kWhole;
  timing.areRivals = areRivals;
  // A field says who is in it; a few that are left are told apart.
  if (subjects.size() <= kFew) timing.relativeHalfWidth = kNarrow;
  timing.perTrial =
      std::min(timing.perTrial, altogether / static_cast<int64_t>(subjects.size() + 1));
  return run(subjects, timing, /*isWhole=*/true);
}

}  // namespace tessera::driver
