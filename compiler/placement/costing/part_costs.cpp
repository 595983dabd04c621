#include "compiler/placement/costing/part_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compiler/ir/module_attributes.h"
#include "compiler/placement/costing/changes_of.h"
#include "compiler/placement/plan_memory.h"
#include "compiler/placement/timing/summary.h"

namespace tessera::placement {

using namespace mlir;

static constexpr double kImpossible = std::numeric_limits<double>::infinity();

PartCosts::PartCosts(const PlanRequest& request, const OperatorGraph& graph,
                     const partition::OwnerIndex& owners, const CandidateSet& candidates)
    : request_(request),
      graph_(graph),
      owners_(owners),
      set_(candidates),
      search_(problemOf(graph, owners, candidates)),
      subjects_(request, graph, candidates, search_) {
  setUp();
}

void PartCosts::setUp() {
  isSeen_.assign(search_.subjects.size(), false);
  alone_.assign(search_.subjects.size(), 0);
  corrections_.assign(search_.subjects.size(), 1);
  rooflines_.clear();
  for (auto [cost, subject] : llvm::zip_equal(search_.problem.classes, search_.subjects))
    rooflines_.push_back(cost.seconds - subject.change);
}

/// The problem of the present candidates and changes; what is known stays known.
void PartCosts::rebuild() {
  std::map<ClassSubjects::Key, Known> known;
  for (search::ClassId id = 0; id < isSeen_.size(); ++id) {
    if (!isSeen_[id]) continue;
    Known& each = known[subjects_.keyOf(id)];
    each = {.cost = problem().classes[id], .alone = alone_[id], .correction = corrections_[id]};
    each.cost.seconds -= search_.subjects[id].change;
  }
  search_ = problemOf(graph_, owners_, set_, changes_);
  subjects_.update();
  setUp();
  for (search::ClassId id = 0; id < isSeen_.size(); ++id) {
    const auto it = known.find(subjects_.keyOf(id));
    if (it == known.end() || search_.subjects[id].isChangeAlone()) continue;
    problem().classes[id] = it->second.cost;
    problem().classes[id].seconds += search_.subjects[id].change;
    alone_[id] = it->second.alone;
    corrections_[id] = it->second.correction;
    isSeen_[id] = true;
  }
}

void PartCosts::grow() {
  rebuild();
  if (!bounds_) return;
  bounds_.emplace(graph_, owners_, set_);
  for (size_t id = 0; id < set_.classes.size(); ++id) {
    const auto it = measurements_.find(id);
    if (it != measurements_.end() && it->second.outcome == costs::Outcome::kOk)
      bounds_->learn(id, it->second.least);
  }
  raiseBounds();
}

void PartCosts::survey() {
  bounds_.emplace(graph_, owners_, set_);
  for (const auto& some : {&LearntBounds::someSingles, &LearntBounds::otherSingles}) {
    const std::vector<size_t> classes = (*bounds_.*some)();
    measure({classes.begin(), classes.end()}, Effort::kGlance);
  }
}

/// Whether there is nothing to run: all of it is the host program's.
static bool isFree(ModuleOp module) {
  return llvm::none_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    return static_cast<bool>(backend_api::ownerOf(function));
  });
}

/// What is asked for, and what would do the same work as any of it in not much more time: that is
/// asked for next more often than not, and the fewer rounds there are the more is compiled side
/// by side.
std::vector<search::ClassId> PartCosts::withRivals(
    const std::vector<search::ClassId>& classes) const {
  const search::Problem& problem = search_.problem;
  constexpr double kNotMuchMore = 1.1;
  std::set<search::ClassId> all(classes.begin(), classes.end());
  std::map<SmallVector<uint32_t>, double> works;
  for (const CandidateTile& tile : set_.tiles) {
    const auto id = static_cast<search::ClassId>(tile.classNumber);
    if (all.contains(id)) works[tile.tile.nodes] = problem.seconds(id);
  }
  for (const CandidateTile& tile : set_.tiles) {
    const auto id = static_cast<search::ClassId>(tile.classNumber);
    const auto work = works.find(tile.tile.nodes);
    if (isSeen_[id] || work == works.end()) continue;
    if (problem.seconds(id) <= work->second * kNotMuchMore) all.insert(id);
  }
  return {all.begin(), all.end()};
}

/// Raises the bounds of what nobody looked at to what the others' measurements say.
void PartCosts::raiseBounds() {
  for (size_t id = 0; bounds_ && id < set_.classes.size(); ++id) {
    if (isSeen_[id]) continue;
    const double learnt = bounds_->of(id);
    problem().classes[id].seconds = std::max(rooflines_[id], learnt > 0 ? inModel(id, learnt) : 0);
  }
}

/// Of what a disturbed machine takes: networks took up to 1.45 times as long while cores were far
/// from each other.
static constexpr double kOfDisturbed = 0.65;

/// What a class that a glance was taken at hardly takes less than: of a few samples all may be slow
/// ones.
double PartCosts::boundOfGlance(search::ClassId id, const Measurement& glance) const {
  constexpr double kMargin = 0.9;
  const double share = glance.isDisturbed ? kOfDisturbed : kMargin;
  return inModel(id, std::max(rooflines_[id], glance.least * share));
}

void PartCosts::report(const search::Round& round) const {
  if (!request_.progress) return;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  const double each = numMeasured_ == 0 ? 0 : spent.count() / static_cast<double>(numMeasured_);
  request_.progress({.what = "measuring",
                     .done = numMeasured_,
                     .total = numMeasured_ + round.classes.size(),
                     .bestSeconds = round.optimum.seconds,
                     .secondsLeft = each * static_cast<double>(round.classes.size())});
}

bool PartCosts::measure(const search::Round& round) {
  report(round);
  const auto isNew = [&](search::ClassId id) {
    return !isSeen_[id] && !request_.measurer->isExact();
  };
  std::vector<search::ClassId> seen(round.classes.begin(), round.classes.end());
  const auto firstNew = std::stable_partition(seen.begin(), seen.end(), std::not_fn(isNew));
  const std::vector<search::ClassId> unseen = withRivals(std::vector(firstNew, seen.end()));
  std::vector<std::pair<search::ClassId, double>> bounds;
  for (const search::ClassId id : llvm::make_range(firstNew, seen.end()))
    bounds.emplace_back(id, problem().seconds(id));
  seen.erase(firstNew, seen.end());
  measure(unseen, Effort::kGlance);
  // A glance below the bound says nothing: the optimum would ask for the same again.
  for (const auto& [id, bound] : bounds)
    if (!problem().classes[id].isMeasured && problem().seconds(id) <= bound) seen.push_back(id);
  const auto isDoubted = [&](search::ClassId id) {
    const CostSubject& of = search_.subjects[id];
    return !of.isConversion() && doubted_.contains(of.candidateClass);
  };
  const auto firstDoubted = std::stable_partition(seen.begin(), seen.end(), std::not_fn(isDoubted));
  measure({seen.begin(), firstDoubted}, Effort::kCareful);
  measure({firstDoubted, seen.end()}, Effort::kAgain);
  ++numRounds_;
  return !isStopped();
}

void PartCosts::measure(const std::vector<search::ClassId>& classes, Effort effort) {
  std::vector<OwningOpRef<ModuleOp>> keep;
  std::vector<Subject> subjects;
  std::vector<search::ClassId> ids;
  std::set<ClassSubjects::Key> asked;  // A conversion is one, whoever reads the value behind it.
  for (const search::ClassId id : classes) {
    if (!asked.insert(subjects_.keyOf(id)).second) continue;
    Result<Subject> subject = subjects_.subjectOf(id, keep);
    if (subject && !isFree(subject->module)) {
      subjects.push_back(std::move(*subject));
      ids.push_back(id);
      continue;
    }
    setSeen(id);
    if (subject && !search_.subjects[id].isConversion())
      measurements_[search_.subjects[id].candidateClass] = {};
    for (const search::ClassId same : subjects_.sameConversions(id))
      problem().classes[same] = {.seconds = subject ? search_.subjects[same].change : kImpossible,
                                 .isMeasured = true};
  }
  const std::vector<Measurement> found = checkedTimes(request_.measurer->measure(subjects, effort));
  for (auto [id, measurement] : llvm::zip_equal(ids, found))
    if (measurement.isTaken) take(id, measurement, effort);
  raiseBounds();
  if (isStopped()) settleForGlances();
}

bool PartCosts::doubtDisturbed() {
  if (!request_.measurer->isPatient()) return false;
  for (search::ClassId id = 0; id < search_.subjects.size(); ++id) {
    if (search_.subjects[id].isConversion() || alone_[id] <= 0) continue;
    const size_t candidateClass = search_.subjects[id].candidateClass;
    if (!measurements_.lookup(candidateClass).isDisturbed) continue;
    problem().classes[id] = {.seconds = inModel(id, alone_[id] * kOfDisturbed),
                             .isMeasured = false};
    alone_[id] = 0;
    doubted_.insert(candidateClass);
  }
  return !doubted_.empty();
}

void PartCosts::take(search::ClassId id, const Measurement& measurement, Effort effort) {
  setSeen(id);
  for (const search::ClassId same : subjects_.sameConversions(id))
    takeOne(same, measurement, effort);
}

void PartCosts::takeOne(search::ClassId id, Measurement measurement, Effort effort) {
  isSeen_[id] = true;
  // Once patience is gone nobody looks again at what is doubted.
  if (effort == Effort::kGlance) measurement.isDisturbed &= request_.measurer->isPatient();
  const bool isGood = measurement.outcome == costs::Outcome::kOk;
  if (!search_.subjects[id].isConversion()) {
    const size_t candidateClass = search_.subjects[id].candidateClass;
    measurements_[candidateClass] = measurement;
    if (bounds_ && isGood) bounds_->learn(candidateClass, measurement.least);
  }
  search::CostClass& cost = problem().classes[id];
  cost.isMeasured = !isGood || effort != Effort::kGlance;
  if (!isGood)
    cost.seconds = kImpossible;
  else
    cost.seconds =
        cost.isMeasured ? inModel(id, measurement.seconds) : boundOfGlance(id, measurement);
  if (isGood && cost.isMeasured) alone_[id] = measurement.seconds;
  if (isGood && memoryOf(id) > mostMemory_) cost = {.seconds = kImpossible, .isMeasured = true};
}

/// With what its target keeps without telling; 0 where that is not known.
uint64_t PartCosts::memoryOf(search::ClassId id) const {
  const CostSubject& of = search_.subjects[id];
  if (of.isConversion()) return 0;
  const auto it = measurements_.find(of.candidateClass);
  if (it == measurements_.end() || it->second.outcome != costs::Outcome::kOk) return 0;
  const uint64_t told = it->second.memoryBytes;
  return told + hiddenBytes(graph_, subjects_.tileOf(of.candidateClass).nodes, told);
}

uint64_t PartCosts::memoryOf(const PlacedCall& call) const {
  const std::optional<search::ClassId> id =
      call.nodes.empty() ? std::nullopt : subjects_.classOf(call);
  if (!id) return 0;
  const auto it = measurements_.find(search_.subjects[*id].candidateClass);
  return it == measurements_.end() ? 0 : it->second.memoryBytes;
}

void PartCosts::limitMemory(uint64_t bytes) {
  mostMemory_ = bytes;
  for (search::ClassId id = 0; id < search_.subjects.size(); ++id)
    if (memoryOf(id) > mostMemory_)
      problem().classes[id] = {.seconds = kImpossible, .isMeasured = true};
}

/// Conversions are nobody's in particular.
double PartCosts::inModel(search::ClassId id, double alone) const {
  const CostSubject& of = search_.subjects[id];
  if (of.isConversion()) return alone + of.change;
  return calibration_.inModel(subjects_.tileOf(of.candidateClass).target, alone) * corrections_[id];
}

/// Medians of what was seen, drawn towards 1 as if that had been seen as well. What was chosen
/// because it seemed to be cheap is dearer more often than not.
void PartCosts::calibrate(const Calibration& calibration, ArrayRef<Seen> seen) {
  // By itself a part had a calm machine: in a model it takes longer more often than less.
  constexpr double kUnseen = 0.5, kLeast = 0.75, kMost = 2;
  calibration_ = calibration;
  changes_ = changesOf(calibration, owners_);
  rebuild();
  corrections_.assign(corrections_.size(), 1);
  std::map<search::ClassId, std::vector<double>> ratios;
  for (const Seen& each : seen)
    if (const auto id = subjects_.classOf(each.call)) ratios[*id].push_back(each.ratio);
  for (const auto& [id, all] : ratios) {
    const double ratio = std::clamp(median(all), kLeast, kMost);
    const auto count = static_cast<double>(all.size());
    corrections_[id] = std::pow(ratio, count / (count + kUnseen));
  }
  for (search::ClassId id = 0; id < alone_.size(); ++id) {
    search::CostClass& cost = problem().classes[id];
    if (alone_[id] > 0)
      cost.seconds = inModel(id, alone_[id]);
    else if (isSeen_[id] && !cost.isMeasured && !search_.subjects[id].isConversion())
      cost.seconds = boundOfGlance(id, measurements_.at(search_.subjects[id].candidateClass));
  }
  raiseBounds();
}

std::optional<double> PartCosts::aloneOf(const PlacedCall& call) const {
  const std::optional<search::ClassId> id = subjects_.classOf(call);
  return id && alone_[*id] > 0 ? std::optional(alone_[*id]) : std::nullopt;
}

double PartCosts::correctionOf(const PlacedCall& call) const {
  const std::optional<search::ClassId> id = subjects_.classOf(call);
  return id ? corrections_[*id] : 1;
}

std::optional<double> PartCosts::measuredAloneOf(const PlacedCall& call) {
  const std::optional<search::ClassId> id = subjects_.classOf(call);
  if (id && !problem().classes[*id].isMeasured) measure({*id}, Effort::kCareful);
  return aloneOf(call);
}

bool PartCosts::timeDisturbedAgain(ArrayRef<PlacedCall> calls) {
  if (!request_.measurer->isPatient()) return false;
  std::set<search::ClassId> ids;
  for (const PlacedCall& call : calls) {
    const std::optional<search::ClassId> id =
        call.nodes.empty() ? std::nullopt : subjects_.classOf(call);
    if (id && measurements_.lookup(search_.subjects[*id].candidateClass).isDisturbed)
      ids.insert(*id);
  }
  measure({ids.begin(), ids.end()}, Effort::kAgain);
  return !ids.empty();
}

void PartCosts::setSeen(search::ClassId id) {
  numMeasured_ += isSeen_[id] ? 0 : 1;
  isSeen_[id] = true;
}

bool PartCosts::isStopped() const {
  return (request_.isCancelled && request_.isCancelled()) ||
         (request_.isStopped && request_.isStopped());
}

/// There is no time to look twice.
void PartCosts::settleForGlances() {
  isCutShort_ = true;
  for (search::ClassId id = 0; id < isSeen_.size(); ++id) {
    search::CostClass& cost = problem().classes[id];
    if (!isSeen_[id] || cost.isMeasured) continue;
    cost.isMeasured = true;
    // The least of its samples was a bound; others stand there with their medians.
    if (search_.subjects[id].isConversion()) continue;
    cost.seconds = inModel(id, measurements_.lookup(search_.subjects[id].candidateClass).seconds);
  }
}

double PartCosts::tilesMeasuredAgain(const std::vector<search::CandidateId>& chosen) {
  std::vector<OwningOpRef<ModuleOp>> keep;
  std::vector<Subject> subjects;
  std::vector<search::ClassId> ids;
  double sum = 0;
  for (const search::CandidateId candidate : chosen) {
    const auto id = static_cast<search::ClassId>(set_.tiles[candidate].classNumber);
    Result<Subject> subject = subjects_.subjectOf(id, keep);
    if (!subject || isFree(subject->module)) continue;
    subjects.push_back(std::move(*subject));
    ids.push_back(id);
  }
  const std::vector<Measurement> found =
      checkedTimes(request_.measurer->measure(subjects, Effort::kAgain));
  for (auto [id, again] : llvm::zip_equal(ids, found))
    sum += again.isTaken && again.outcome == costs::Outcome::kOk ? inModel(id, again.seconds)
                                                                 : problem().seconds(id);
  return sum;
}

double PartCosts::measuredSum(const std::vector<search::CandidateId>& chosen) {
  const std::vector<search::ClassId> paid = search::paidClasses(search_.problem, chosen);
  std::set<search::ClassId> missing(paid.begin(), paid.end());
  std::erase_if(missing, [&](auto id) { return search_.problem.classes[id].isMeasured; });
  measure({missing.begin(), missing.end()}, Effort::kCareful);
  double sum = 0;
  for (const search::ClassId id : paid) sum += search_.problem.seconds(id);
  return sum;
}

}  // namespace tessera::placement
