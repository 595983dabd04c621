// A backend for tests: every hook is a function that the test sets.
#pragma once

#include <functional>
#include <string>

#include "compiler/backend_api/backend.h"

namespace tessera::backend_api {

class MockBackend final : public Backend {
 public:
  explicit MockBackend(std::string name, bool isHost = false)
      : kind_{.name = std::move(name), .isHost = isHost} {}

  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return "0"; }
  Support supports(mlir::Operation* op, const target::Target&) const override {
    return onSupports ? onSupports(op) : Support(Supported{});
  }
  void addPasses(target::Phase phase, target::HookPoint point, mlir::OpPassManager& manager,
                 const target::Target&) const override {
    if (onAddPasses) onAddPasses(phase, point, manager);
  }
  bool canReuseOperand(mlir::func::FuncOp, unsigned) const override { return reusesOperands; }
  /// Unless set: one blob for all regions, its text the kind's name; entries are the regions'
  /// names.
  Result<Emission> emit(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> regions,
                        const target::Target&, const EmitContext& context) const override {
    if (onEmit) return onEmit(module, regions, context);
    const auto bytes = std::as_bytes(std::span(kind_.name));
    Emission emission{.blobs = {{.bytes = {bytes.begin(), bytes.end()}}}, .regions = {}};
    for (mlir::func::FuncOp region : regions)
      emission.regions.emplace_back(RegionCode{.entry = region.getName().str()});
    return emission;
  }

  std::function<Support(mlir::Operation*)> onSupports;
  std::function<void(target::Phase, target::HookPoint, mlir::OpPassManager&)> onAddPasses;
  std::function<Result<Emission>(mlir::ModuleOp, llvm::ArrayRef<mlir::func::FuncOp>,
                                 const EmitContext&)>
      onEmit;
  bool reusesOperands = false;

 private:
  target::TargetKind kind_;
};

}  // namespace tessera::backend_api
