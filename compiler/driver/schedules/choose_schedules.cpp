// Regions get the schedules that were learnt for their classes.
#include "compiler/backend_api/registry.h"
#include "compiler/driver/passes.h"

namespace tessera::driver {

using namespace mlir;

#define GEN_PASS_DEF_CHOOSESCHEDULESPASS
#include "compiler/driver/passes.h.inc"

namespace {

struct ChooseSchedules : impl::ChooseSchedulesPassBase<ChooseSchedules> {
  ChooseSchedules() = default;
  explicit ChooseSchedules(FindSchedule find) : find_(std::move(find)) {}

  void runOnOperation() override {
    if (!find_) return;
    const auto owners = backend_api::ownersOrEmitError(getOperation());
    if (failed(owners)) return signalPassFailure();
    for (auto region : getOperation().getOps<func::FuncOp>()) {
      const backend_api::Owner* owner =
          backend_api::findOwner(*owners, backend_api::ownerOf(region));
      if (!owner || region.isExternal() || region->hasAttr(backend_api::kScheduleAttribute))
        continue;
      const auto schedules = owner->backend->schedules(region, owner->target);
      const auto chosen = schedules ? find_(owner->target, *schedules) : std::nullopt;
      if (chosen)
        region->setAttr(backend_api::kScheduleAttribute, StringAttr::get(&getContext(), *chosen));
    }
  }

 private:
  FindSchedule find_;
};

}  // namespace

std::unique_ptr<Pass> createChooseSchedulesPass(FindSchedule find) {
  return std::make_unique<ChooseSchedules>(std::move(find));
}

}  // namespace tessera::driver
