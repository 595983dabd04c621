// Module and the schedules of its regions.
#include <filesystem>
#include <map>

#include "compiler/costs/store.h"
#include "compiler/driver/module_state.h"
#include "compiler/driver/schedules/learnt_schedules.h"

namespace tessera {

using target::Phase;

Result<std::vector<ScheduleClass>> Module::scheduleClasses() {
  if (phase() > Phase::kPostPartition)
    return usageError("the module is past phase post_partition, in which schedules are chosen");
  if (state_->hasCostsOfItsOwn())
    return usageError("--costs mock: says what things cost; schedules are measured");
  TESSERA_TRY_VOID(runTo(Phase::kPostPartition));
  TESSERA_TRY(const std::unique_ptr<costs::Store> store,
              costs::openSqliteStore(state_->storePath()));
  driver::LearntSchedules learnt(*store, state_->options.threads);
  TESSERA_TRY(const backend_api::Owners owners, backend_api::ownersOf(state_->module()));
  std::vector<ScheduleClass> classes;
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (auto region : state_->module().getOps<mlir::func::FuncOp>()) {
    const backend_api::Owner* owner = backend_api::findOwner(owners, backend_api::ownerOf(region));
    if (!owner || region.isExternal()) continue;
    auto schedules = owner->backend->schedules(region, owner->target);
    if (!schedules || schedules->choices.empty()) continue;
    const std::string target = owner->target.toString();
    const auto [it, isNew] = known.try_emplace({target, schedules->shapeClass}, classes.size());
    if (isNew) {
      TESSERA_TRY(const bool isKnown, learnt.knows(owner->target, *schedules));
      classes.push_back({.target = target,
                         .shapeClass = std::move(schedules->shapeClass),
                         .choices = std::move(schedules->choices),
                         .regions = {},
                         .isKnown = isKnown});
    }
    classes[it->second].regions.push_back(region.getName().str());
  }
  return classes;
}

void Module::setSchedule(const ScheduleClass& which, const std::string& schedule) {
  mlir::SymbolTable symbols(state_->module());
  for (const std::string& name : which.regions) {
    auto region = symbols.lookup<mlir::func::FuncOp>(name);
    if (!region) continue;
    if (schedule.empty())
      region->removeAttr(backend_api::kScheduleAttribute);
    else
      region->setAttr(backend_api::kScheduleAttribute,
                      mlir::StringAttr::get(region.getContext(), schedule));
  }
}

Status Module::keepSchedules(std::span<const TimedSchedule> timed) const {
  if (state_->hasCostsOfItsOwn())
    return usageError("--costs mock: says what things cost; schedules are measured");
  TESSERA_TRY(const std::unique_ptr<costs::Store> store,
              costs::openSqliteStore(state_->storePath()));
  return driver::LearntSchedules(*store, state_->options.threads).keep(timed);
}

/// The store is opened for the first region that has schedules, and owned by the copies of the
/// function. One that is refused, or named and not there, is a note; the user's own that is not
/// there is nothing.
driver::FindSchedule Module::State::scheduleFinder() {
  if (hasCostsOfItsOwn()) return {};
  struct Found {
    std::unique_ptr<costs::Store> store;
    std::optional<driver::LearntSchedules> learnt;
    bool isTried = false;
  };
  return [this, found = std::make_shared<Found>()](
             const target::Target& target,
             const backend_api::Schedules& schedules) -> std::optional<std::string> {
    const auto complain = [&](const Error& error) {
      found->learnt.reset();
      notes.push_back("what was learnt about schedules is not used: " + error.toString());
    };
    if (!found->isTried) {
      found->isTried = true;
      std::error_code ignored;
      if (options.costs.empty() && !std::filesystem::exists(storePath(), ignored))
        return std::nullopt;
      auto store = costs::openSqliteStore(storePath(), costs::WhenMissing::kRefuse);
      if (!store) {
        complain(store.error());
        return std::nullopt;
      }
      found->store = std::move(*store);
      found->learnt.emplace(*found->store, options.threads);
    }
    if (!found->learnt) return std::nullopt;
    auto fastest = found->learnt->fastest(target, schedules);
    if (fastest) return std::move(*fastest);
    complain(fastest.error());
    return std::nullopt;
  };
}

}  // namespace tessera
