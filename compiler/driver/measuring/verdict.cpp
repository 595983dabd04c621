#include "compiler/driver/measuring/verdict.h"

#include <ctime>

#include "base/content_hash.h"
#include "compiler/backend_api/backend.h"
#include "compiler/costs/machine.h"
#include "compiler/driver/measuring/code_version.h"
#include "compiler/partition/pins.h"
#include "compiler/placement/saved_plans/plan_file.h"
#include "tessera/compile.h"

namespace tessera::driver {

/// Rules about placing are the module's, not its operators'.
static std::string hashOf(mlir::ModuleOp module, const PlacementSearch& search) {
  std::string text = "model " + placement::modelHash(module);
  text += " weights " + std::to_string(static_cast<int>(search.weights)) + " ";
  if (search.objective == PlacementObjective::kMemory)
    text += "memory within " + std::to_string(search.latencyBound) + " ";
  if (const mlir::Attribute rules = module->getAttr(partition::kPinsAttribute))
    llvm::raw_string_ostream(text) << rules;
  return base::contentHash(text);
}

Result<Verdict> Verdict::of(mlir::ModuleOp module, const MeasuringOptions& options) {
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(module));
  const CodeVersions versions(options.plugins);
  std::string targets;
  for (const backend_api::Owner& owner : owners)
    targets += (targets.empty() ? "" : ",") + owner.target.toString();
  return Verdict(*options.store, {.subgraph = hashOf(module, options.search),
                                  .target = std::move(targets),
                                  .version = versions.of(owners),
                                  .machine = costs::thisMachine().fingerprint(),
                                  .threads = options.threads});
}

Result<std::optional<std::string>> Verdict::find() const {
  TESSERA_TRY(const std::vector<costs::Record> records, store_->find(key_));
  if (records.empty()) return std::optional<std::string>();
  return std::optional(records.back().plan);
}

Result<std::optional<std::string>> Verdict::findPrevious() const {
  std::optional<std::string> last;
  const costs::Selection selection{.subgraph = key_.subgraph};
  TESSERA_TRY_VOID(store_->forEach(selection, [&](const costs::Record& record) -> Status {
    if (record.key.target == key_.target) last = record.plan;
    return {};
  }));
  return last;
}

Status Verdict::keep(const placement::FoundPlan& plan, std::string file) const {
  const auto added =
      store_->add({{.key = key_,
                    .samples = placement::secondsOf(plan.contestants.front().measured.turns),
                    .date = std::time(nullptr),
                    .tool = tessera::version(),
                    .plan = std::move(file)}});
  return added ? Status() : Status(added.error());
}

}  // namespace tessera::driver
