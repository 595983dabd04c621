// The kit: draws cases until as many ran as were asked for, then looks for smaller ones in place of
// those that failed. Where all patterns are to be reached, functions that reach them come first.
#include <map>
#include <set>

#include "compiler/conformance/abi.h"
#include "compiler/conformance/check_cases.h"
#include "compiler/conformance/choose_cases.h"
#include "compiler/conformance/elsewhere.h"
#include "compiler/conformance/questions.h"
#include "compiler/conformance/setting.h"
#include "compiler/conformance/shrink.h"
#include "compiler/conformance/text.h"
#include "compiler/ir/types.h"
#include "tessera/conformance.h"

namespace tessera {

std::vector<ConformanceCheck> conformanceChecks() {
  return {{"abi", "the runtime half keeps to the C ABI"},
          {"honesty", "what it takes compiles; what it does not take has a reason"},
          {"values", "results agree with the reference implementations"},
          {"threads", "the same on 2 and 4 threads"},
          {"contexts", "the same beside another context with another number of threads"},
          {"determinism", "equal runs give equal bits"},
          {"life cycle", "the same when it runs again, is loaded twice, or again"},
          {"devices", "values over all its devices side by side, and from one to the other"},
          {"crash", "it neither ends its process nor takes for ever"},
          {"padding", "values in its layouts, with nothing but zeros behind them"}};
}

namespace conformance {
namespace {

/// Cases that are compiled together, and candidates that are placed together.
constexpr size_t kBatch = 48, kPlacedTogether = 96;

/// Element types of the arguments and results.
std::set<std::string> typesOf(mlir::func::FuncOp function) {
  std::set<std::string> types;
  const auto add = [&](mlir::Type type) {
    types.insert(elementTypeName(
        ir::toElementType(mlir::cast<mlir::RankedTensorType>(type).getElementType())));
  };
  llvm::for_each(function.getArgumentTypes(), add);
  llvm::for_each(function.getResultTypes(), add);
  return types;
}

class Checker {
 public:
  Checker(const Kit& kit, const BackendInfo& backend)
      : kit_(kit), backend_(backend), elsewhere_(Elsewhere::make(kit)) {
    report_.backend = backend.name;
    report_.version = backend.version;
    report_.target = kit.options.target;
    report_.seed = kit.options.seed;
    for (const std::string& what : checkAbi(kit.kind, kit.options.runtimes))
      report_.failures.push_back({.check = "abi", .caseName = {}, .what = what, .module = {}});
  }

  /// Draws until enough ran.
  Status runAll(const Corpus& corpus) {
    Candidates candidates(corpus, backend_.operators, kit_.options.seed);
    std::set<std::string> seen;
    if (kit_.options.needsAll) TESSERA_TRY_VOID(reachPatterns(corpus, seen));
    bool isAtEnd = false;
    for (size_t idle = 0; !isAtEnd && numTaken() < kit_.options.numCases && idle < kMaxIdle;) {
      std::vector<Candidate> drawn;
      size_t numDrawn = 0;
      while (drawn.size() < kPlacedTogether) {
        std::optional<Candidate> candidate = candidates.next();
        isAtEnd = !candidate;
        if (isAtEnd) break;
        if (!candidate->function || !seen.insert(shortTextOf(*candidate->function)).second)
          continue;
        if (mayTake(*candidate))
          drawn.push_back(std::move(*candidate));
        else
          addDeclined(*candidate->function);
        if (++numDrawn % kPlacedTogether == 0) break;  // However little of them is taken.
      }
      const size_t before = numTaken();
      TESSERA_TRY_VOID(takeIn(drawn));
      idle = numTaken() == before ? idle + 1 : 0;
      while (waiting_.size() >= kBatch) runWaiting();
    }
    while (!waiting_.empty()) runWaiting();
    return {};
  }

  /// One case alone. Errors (kUsage): the backend does not take it, it cannot be evaluated.
  Status runOne(Candidate candidate) {
    TESSERA_TRY(Case one, prepareCase(candidate.name, *candidate.function, kit_.options.seed));
    const Placement placement = placementOf(std::vector{*one.function});
    if (const auto* wrong = std::get_if<Finding>(&placement)) {
      if (!isBackends(*one.function, *wrong)) return invalidInput(wrong->what);
      addFailure(one.name, *one.function, *wrong);
      return {};
    }
    if (!std::get<Placed>(placement).isTaken[0])
      return usageError("target '" + kit_.options.target + "' takes no part of the case");
    waiting_.push_back(std::move(one));
    runWaiting();
    return {};
  }

  ConformanceReport report() {
    for (auto& [name, operation] : operators_) {
      operation.name = name;
      const auto& types = types_[name];
      operation.types.assign(types.begin(), types.end());
      report_.operators.push_back(operation);
    }
    for (const std::string& name : backend_.operators) {
      const auto found = operators_.find(name);
      const bool isReached = found != operators_.end() && found->second.numCases != 0;
      if (!isReached && !owned_.contains(name)) report_.missedOperators.push_back(name);
    }
    const bool isSuite = kit_.options.module.empty() && kit_.options.caseName.empty();
    if (isSuite && report_.numCases == 0 && report_.failures.empty())
      report_.failures.push_back(
          {.check = "honesty", .caseName = {}, .what = "it took no case at all", .module = {}});
    for (const std::string& name : backend_.patterns)
      (patterns_.contains(name) ? report_.patterns : report_.missedPatterns).push_back(name);
    report_.memorySpaces.assign(spaces_.begin(), spaces_.end());
    if (isSuite && kit_.options.needsAll) {
      for (const auto& [space, target] : kit_.devices) {
        if (!spaces_.contains(space)) addMissed("memory space " + space);
      }
      for (const std::string& name : report_.missedOperators) addMissed("operator " + name);
      for (const std::string& name : report_.missedPatterns) addMissed("pattern " + name);
    }
    return std::move(report_);
  }

 private:
  /// Takes functions that match what none before matched, until every pattern was: few draws of
  /// many are of several operators that belong together.
  Status reachPatterns(const Corpus& corpus, std::set<std::string>& seen) {
    const auto isNew = [&](const std::string& name) { return !patterns_.contains(name); };
    for (const Seed& seed : corpus.seeds) {
      if (llvm::none_of(backend_.patterns, isNew)) break;
      if (operatorsOf(seed.function).size() < 2) continue;
      const Placement placement = placementOf(std::vector{seed.function});
      const auto* placed = std::get_if<Placed>(&placement);
      if (placed == nullptr || llvm::none_of(placed->patterns, isNew)) continue;
      std::vector<Candidate> one;
      one.push_back({.name = seed.name, .function = cloneOf(seed.function)});
      seen.insert(shortTextOf(seed.function));
      TESSERA_TRY_VOID(takeIn(one));
    }
    return {};
  }

  /// Batches in a row of which the backend takes nothing.
  static constexpr size_t kMaxIdle = 8;

  size_t numTaken() const { return report_.numCases + waiting_.size(); }

  /// Keeps what the backend takes and the reference implementations can evaluate.
  Status takeIn(std::vector<Candidate>& drawn) {
    if (drawn.empty()) return {};
    std::vector<mlir::func::FuncOp> functions;
    for (const Candidate& candidate : drawn) functions.push_back(*candidate.function);
    Placement placement = placementOf(functions);
    if (const auto* wrong = std::get_if<Finding>(&placement)) return placeAlone(drawn, *wrong);
    auto* placed = std::get_if<Placed>(&placement);
    patterns_.insert(placed->patterns.begin(), placed->patterns.end());
    owned_.merge(placed->operators);
    for (size_t i = 0; i < drawn.size() && numTaken() < kit_.options.numCases; ++i) {
      if (!placed->isTaken[i]) {
        addDeclined(functions[i]);
        continue;
      }
      auto one = prepareCase(drawn[i].name, functions[i], kit_.options.seed);
      if (one)
        waiting_.push_back(std::move(*one));
      else
        ++report_.numNotEvaluated;
    }
    return {};
  }

  /// One of the candidates cannot be placed: it is left out and told.
  Status placeAlone(std::vector<Candidate>& drawn, const Finding& wrong) {
    if (drawn.size() == 1) {
      const mlir::func::FuncOp function = *drawn[0].function;
      if (!isBackends(function, wrong))
        addDeclined(function);
      else if (prepareCase(drawn[0].name, function, kit_.options.seed))
        addFailure(drawn[0].name, function, wrong);
      return {};
    }
    std::vector<Candidate> half(
        std::make_move_iterator(drawn.begin() + static_cast<ptrdiff_t>(drawn.size() / 2)),
        std::make_move_iterator(drawn.end()));
    drawn.resize(drawn.size() / 2);
    TESSERA_TRY_VOID(takeIn(drawn));
    return takeIn(half);
  }

  Placement placementOf(std::span<const mlir::func::FuncOp> functions) {
    return elsewhere_ ? elsewhere_->place(kit_, functions) : placeCases(kit_, functions);
  }

  /// Whether what is wrong with a case's placing is the backend's. Where the host target alone is
  /// no better off, nobody takes what the backend leaves.
  bool isBackends(mlir::func::FuncOp function, const Finding& wrong) {
    return wrong.check == "crash" || place(kit_, std::vector{function}, "");
  }

  /// Whether the backend says yes to an operator, or may match several.
  bool mayTake(const Candidate& candidate) {
    const mlir::func::FuncOp function = *candidate.function;
    const std::variant<Answers, Finding> given =
        elsewhere_ ? elsewhere_->askAbout(kit_, function) : askAbout(kit_, function);
    if (const auto* wrong = std::get_if<Finding>(&given)) {
      // What ends the process for an operator does so again and again.
      if (tellsNew(wrong->check + llvm::join(operatorsOf(function), " ")))
        addFailure(candidate.name, function, *wrong);
      return false;
    }
    const auto& answers = std::get<Answers>(given);
    for (const std::string& op : answers.silent)
      addRefusal("it declines " + op + " without a reason");
    for (const std::string& reason : answers.failures) addRefusal("it cannot be asked: " + reason);
    return answers.isTaken || (!backend_.patterns.empty() && operatorsOf(function).size() > 1);
  }

  void addDeclined(mlir::func::FuncOp function) {
    ++report_.numDeclined;
    for (const std::string& name : operatorsOf(function)) ++operators_[name].numDeclined;
  }

  /// Whether that was not told yet.
  bool tellsNew(const std::string& what) { return told_.insert(what).second; }

  /// What is wrong with its answers is told once.
  void addRefusal(const std::string& what) {
    if (tellsNew(what))
      report_.failures.push_back({.check = "honesty", .caseName = {}, .what = what, .module = {}});
  }

  void addMissed(const std::string& what) {
    addRefusal("no case reached " + what + ", which it lists");
  }

  void addFailure(const std::string& name, mlir::func::FuncOp function, const Finding& wrong) {
    report_.failures.push_back({.check = wrong.check,
                                .caseName = name,
                                .what = wrong.what,
                                .module = wholeTextOf(function)});
  }

  CasesOutcome outcomeOf(std::span<const Case* const> cases) {
    return elsewhere_ ? elsewhere_->check(kit_, cases) : checkCases(kit_, cases);
  }

  void runWaiting() {
    const size_t count = std::min(waiting_.size(), kBatch);
    std::vector<const Case*> cases;
    for (size_t i = 0; i < count; ++i) cases.push_back(&waiting_[i]);
    const CasesOutcome outcome = outcomeOf(cases);
    report_.numLayouts += outcome.numLayouts;
    owned_.insert(outcome.operators.begin(), outcome.operators.end());
    spaces_.insert(outcome.spaces.begin(), outcome.spaces.end());
    std::set<size_t> failed;
    for (const Finding& finding : outcome.findings) {
      failed.insert(finding.index);
      addFailure(*cases[finding.index], finding);
    }
    for (size_t i = 0; i < count; ++i) {
      for (const std::string& name : operatorsOf(*waiting_[i].function)) {
        ++operators_[name].numCases;
        operators_[name].numFailed += failed.contains(i) ? 1 : 0;
        types_[name].merge(typesOf(*waiting_[i].function));
      }
    }
    report_.numCases += count;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(count));
    if (kit_.options.progress)
      kit_.options.progress(report_.backend, report_.numCases, kit_.options.numCases);
  }

  /// The first finding of a case about `check`, run by itself.
  std::optional<Finding> findingAlone(const std::string& name, mlir::func::FuncOp function,
                                      const std::string& check) {
    const auto one = prepareCase(name, function, kit_.options.seed);
    if (!one) return std::nullopt;
    // What the backend takes no part of is not about it.
    const Placement placement = placementOf(std::vector{function});
    const auto* placed = std::get_if<Placed>(&placement);
    if (placed != nullptr && !placed->isTaken[0]) return std::nullopt;
    const Case* cases[] = {&*one};
    const CasesOutcome outcome = outcomeOf(cases);
    const auto found =
        llvm::find_if(outcome.findings, [&](const Finding& f) { return f.check == check; });
    if (found == outcome.findings.end()) return std::nullopt;
    return *found;
  }

  void addFailure(const Case& one, const Finding& finding) {
    ConformanceFailure failure{.check = finding.check,
                               .caseName = one.name,
                               .what = finding.what,
                               .module = wholeTextOf(*one.function)};
    // Each of the first failures is made small; the rest tell the same more often than not.
    size_t& shrunk = numShrunk_[finding.check];
    // To try what crashes or hangs again and again takes too long.
    if (finding.check != "crash" && kit_.options.numShrinkTries > 0 && shrunk < kMaxShrunk) {
      ++shrunk;
      const auto fails = [&](mlir::func::FuncOp function) {
        auto found = findingAlone(one.name, function, finding.check);
        if (found) failure.what = found->what;
        return found.has_value();
      };
      if (fails(*one.function)) {
        const Function smallest = shrink(*one.function, kit_.options.numShrinkTries, fails);
        failure.module = wholeTextOf(*smallest);
        if (auto found = findingAlone(one.name, *smallest, finding.check))
          failure.what = found->what;
      }
    }
    report_.failures.push_back(std::move(failure));
  }

  /// Failures of one check that are made small.
  static constexpr size_t kMaxShrunk = 6;

  const Kit& kit_;
  const BackendInfo& backend_;
  std::unique_ptr<Elsewhere> elsewhere_;  ///< Null: cases run here.
  ConformanceReport report_;
  std::vector<Case> waiting_;
  std::map<std::string, ConformanceOperator> operators_;
  std::map<std::string, std::set<std::string>> types_;
  std::set<std::string> patterns_, owned_, spaces_, told_;
  std::map<std::string, size_t> numShrunk_;
};

}  // namespace
}  // namespace conformance

Result<ConformanceReport> checkConformance(const ConformanceOptions& given) {
  using namespace conformance;
  TESSERA_TRY(const std::unique_ptr<Setting> setting, Setting::make(given));
  const Kit& kit = setting->kit();
  const ConformanceOptions& options = kit.options;
  mlir::MLIRContext& context = kit.context;
  Checker checker(kit, setting->backend());
  if (!options.module.empty()) {
    TESSERA_TRY(Candidate candidate, candidateIn(context, options.module));
    TESSERA_TRY_VOID(checker.runOne(std::move(candidate)));
    return checker.report();
  }
  const Corpus corpus = readCorpus(context);
  if (!options.caseName.empty()) {
    auto candidate = Candidates::find(corpus, options.caseName, options.seed);
    if (!candidate) return usageError("there is no case '" + options.caseName + "'");
    TESSERA_TRY_VOID(checker.runOne(std::move(*candidate)));
    return checker.report();
  }
  TESSERA_TRY_VOID(checker.runAll(corpus));
  return checker.report();
}

}  // namespace tessera
