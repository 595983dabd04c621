#include "compiler/conformance/check_cases.h"

#include <fstream>
#include <nlohmann/json.hpp>
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

/// The cases over all devices at once: equal operators on one, so that values pass from device to
/// device inside of a case.
static Status checkDevices(const Kit& kit, mlir::ModuleOp joint, Cases cases,
                           CasesOutcome& outcome) {
  std::set<std::string> names;
  for (const Case* one : cases) {
    for (std::string& name : operatorsOf(*one->function)) names.insert(std::move(name));
  }
  std::string targets;
  for (const auto& [space, target] : kit.devices) targets += (targets.empty() ? "" : ",") + target;
  nlohmann::json rules = nlohmann::json::array();
  auto device = kit.devices.begin();
  for (const std::string& name : names) {
    rules.push_back({{"op", name}, {"prefer", device->second}});
    if (++device == kit.devices.end()) device = kit.devices.begin();
  }
  const std::string file = kit.folder / "devices.json";
  std::ofstream(file) << rules;
  TESSERA_TRY(Module module, loadJoined(kit, joint, targets, file));
  TESSERA_TRY(const std::vector<std::byte> artifact, module.compileToMemory());
  for (const NodeInfo& node : module.nodes()) {
    for (const auto& [space, target] : kit.devices) {
      if (node.owner == target) outcome.spaces.insert(space);
    }
  }
  TESSERA_TRY(std::vector<Finding> findings, exercise(kit, artifact, cases));
  for (Finding& finding : findings) {
    finding.check = "devices";
    outcome.findings.push_back(std::move(finding));
  }
  return {};
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
  if (!kit.devices.empty()) {
    stage = "devices";
    TESSERA_TRY_VOID(checkDevices(kit, *joint, cases, outcome));
  }
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

void CasesOutcome::add(CasesOutcome other, size_t numBefore) {
  for (Finding& finding : other.findings) {
    finding.index += numBefore;
    findings.push_back(std::move(finding));
  }
  numLayouts += other.numLayouts;
  operators.merge(other.operators);
  spaces.merge(other.spaces);
}

CasesOutcome checkCases(const Kit& kit, Cases cases) {
  CasesOutcome outcome;
  if (cases.empty()) return outcome;
  std::string stage;
  const Status status = checkTogether(kit, cases, outcome, stage);
  if (!status && cases.size() > 1) {
    outcome = {};
    const size_t middle = cases.size() / 2;
    outcome.add(checkCases(kit, cases.first(middle)), 0);
    outcome.add(checkCases(kit, cases.subspan(middle)), middle);
  } else if (!status) {
    const char* what = stage == "honesty" ? "it does not compile: " : "it does not run: ";
    outcome.findings.push_back(
        {.check = stage, .index = 0, .what = what + status.error().toString()});
  }
  keepFirst(outcome.findings);
  return outcome;
}

}  // namespace tessera::conformance
