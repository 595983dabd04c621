#include "compiler/conformance/check_cases.h"

#include <fstream>
#include <set>

#include "compiler/conformance/padding.h"

namespace tessera::conformance {

using Cases = std::span<const Case* const>;

/// What the target took when it was asked and then makes no code for.
static void findBrokenClaims(const Module& module, size_t numBefore, const std::string& kind,
                             std::vector<Finding>& findings) {
  const std::vector<Refusal> refusals = module.refusals();
  for (size_t i = numBefore; i < refusals.size(); ++i) {
    if (kindOf(refusals[i].target) != kind) continue;
    findings.push_back({.check = "honesty",
                        .index = caseInNode(refusals[i].node).value_or(0),
                        .what = "it takes this and makes no code for it: " + refusals[i].reason});
  }
}

/// The cases with their convolutions, which work on blocks, given to the host target: what follows
/// or precedes them may take values as they lie there.
static Result<Module> besideBlocks(const Kit& kit, mlir::ModuleOp joint) {
  const std::string rules = kit.folder / "rules.json";
  std::ofstream(rules) << R"([{"op": "conv", "forbid": ")" << kit.kind << R"("}])";
  TESSERA_TRY(Module module, loadJoined(kit, joint, kit.options.target, rules));
  TESSERA_TRY_VOID(module.runTo(Phase::kPostPartition));
  return module;
}

/// Errors: something goes wrong that is no single case's while there are several.
static Status checkTogether(const Kit& kit, Cases cases, CasesOutcome& outcome,
                            std::string& stage) {
  std::vector<mlir::func::FuncOp> functions;
  for (const Case* one : cases) functions.push_back(*one->function);
  stage = "honesty";
  const auto joint = joined(kit.context, functions);
  TESSERA_TRY(Module module, loadJoined(kit, *joint, kit.options.target));
  TESSERA_TRY_VOID(module.runTo(Phase::kPostPartition));
  const size_t numRefusals = module.refusals().size();
  TESSERA_TRY(Module linked, loadJoined(kit, *joint, kit.options.target));
  TESSERA_TRY_VOID(linked.runTo(Phase::kLink));
  findBrokenClaims(linked, numRefusals, kit.kind, outcome.findings);
  TESSERA_TRY(const std::vector<std::byte> artifact, linked.compileToMemory());
  stage = "values";
  TESSERA_TRY(std::vector<Finding> findings, exercise(kit, artifact, cases));
  outcome.findings.insert(outcome.findings.end(), findings.begin(), findings.end());
  if (linked.refusals().size() > numRefusals) return {};  // Its blocked regions would not compile.
  stage = "padding";
  std::vector<Module> placements;
  placements.push_back(std::move(module));
  if (!kit.isHost) {
    TESSERA_TRY(Module beside, besideBlocks(kit, *joint));
    placements.push_back(std::move(beside));
  }
  for (const Module& placed : placements) {
    TESSERA_TRY(const PaddingOutcome padding, runBlockedRegions(kit, placed));
    outcome.findings.insert(outcome.findings.end(), padding.findings.begin(),
                            padding.findings.end());
    outcome.numLayouts += padding.numRegions;
    outcome.operators.insert(padding.operators.begin(), padding.operators.end());
  }
  return {};
}

/// Of each case and check the first; what is wrong at all is wrong on two threads, too.
static void keepFirst(std::vector<Finding>& findings) {
  std::set<size_t> areWrong;
  for (const Finding& finding : findings) {
    if (finding.check == "values" || finding.check == "honesty") areWrong.insert(finding.index);
  }
  std::erase_if(findings, [&](const Finding& finding) {
    return areWrong.contains(finding.index) && finding.check != "values" &&
           finding.check != "honesty";
  });
  std::set<std::pair<size_t, std::string>> seen;
  std::erase_if(findings, [&](const Finding& finding) {
    return !seen.emplace(finding.index, finding.check).second;
  });
}

static void checkHalf(const Kit& kit, Cases cases, size_t first, size_t count,
                      CasesOutcome& outcome) {
  CasesOutcome half = checkCases(kit, cases.subspan(first, count));
  for (Finding& finding : half.findings) {
    finding.index += first;
    outcome.findings.push_back(std::move(finding));
  }
  outcome.numLayouts += half.numLayouts;
  outcome.operators.merge(half.operators);
}

CasesOutcome checkCases(const Kit& kit, Cases cases) {
  CasesOutcome outcome;
  if (cases.empty()) return outcome;
  std::string stage;
  const Status status = checkTogether(kit, cases, outcome, stage);
  if (!status && cases.size() > 1) {
    outcome = {};
    const size_t middle = cases.size() / 2;
    checkHalf(kit, cases, 0, middle, outcome);
    checkHalf(kit, cases, middle, cases.size() - middle, outcome);
  } else if (!status) {
    const char* what = stage == "honesty" ? "it does not compile: " : "it does not run: ";
    outcome.findings.push_back(
        {.check = stage, .index = 0, .what = what + status.error().toString()});
  }
  keepFirst(outcome.findings);
  return outcome;
}

}  // namespace tessera::conformance
