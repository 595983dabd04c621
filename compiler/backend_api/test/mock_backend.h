// A backend for tests: it says whatever a test wants it to.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "compiler/backend_api/backend.h"

namespace tessera::backend_api {

/// What a mock says; by default it takes every operator, one by one, in row-major order.
struct Mock {
  using Types = llvm::ArrayRef<mlir::RankedTensorType>;

  std::string name;
  std::function<Support(mlir::Operation*)> supports = {};
  PatternTable patterns = {};
  RegionRules rules = {};
  std::function<std::vector<LayoutChoice>(mlir::Operation*, Types)> layouts = {};
  std::function<Support(mlir::func::FuncOp)> supportsRegion = {};
  std::function<bool(mlir::Operation*, mlir::Operation*)> mayShareRegion = {};
  std::function<std::optional<double>(mlir::func::FuncOp)> leastSeconds = {};
  size_t* queries = nullptr;  ///< Counts calls of query when not null.
  std::function<void(std::vector<Support>&)> changeAnswers = {};  ///< Of query.
  std::function<void(mlir::OpPassManager&)> addRegionPasses = {};
  std::vector<std::string> needs = {};
  std::vector<std::string> memorySpaces = {};
  std::vector<std::string> skippedPasses = {};
  /// updateConstant, given the region's name, the argument, the type and the bytes.
  std::function<std::optional<UpdatedConstant>(llvm::StringRef, unsigned, mlir::RankedTensorType,
                                               std::span<const std::byte>)>
      updateConstant = {};
  std::function<void()> registerPasses = {};
  std::function<void(target::Phase, target::HookPoint, mlir::OpPassManager&)> addPasses = {};
  /// Unless set: one blob for all regions, its text the kind's name; entries are the regions'
  /// names.
  std::function<Result<Emission>(mlir::ModuleOp, llvm::ArrayRef<mlir::func::FuncOp>,
                                 const EmitContext&)>
      emit = {};
  bool reusesOperands = false;  ///< canReuseOperand, whatever the region.
  bool isHost = false;
  std::vector<target::TargetAttribute> attributes = {};
};

class MockBackend final : public Backend {
 public:
  explicit MockBackend(Mock says)
      : mock(std::move(says)),
        kind_{.name = mock.name, .attributes = mock.attributes, .isHost = mock.isHost} {}

  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return "0"; }
  Support supports(mlir::Operation* op, const target::Target&) const override {
    return mock.supports ? mock.supports(op) : Supported{};
  }
  PatternTable patterns(const target::Target&) const override { return mock.patterns; }
  void addRegionPasses(mlir::OpPassManager& manager, const target::Target&) const override {
    if (mock.addRegionPasses) mock.addRegionPasses(manager);
  }
  std::vector<std::string> needs(const target::Target&) const override { return mock.needs; }
  std::vector<std::string> memorySpaces() const override { return mock.memorySpaces; }
  std::vector<std::string> skippedPasses(const target::Target&) const override {
    return mock.skippedPasses;
  }
  std::optional<UpdatedConstant> updateConstant(mlir::func::FuncOp region, unsigned index,
                                                mlir::RankedTensorType type,
                                                std::span<const std::byte> bytes,
                                                const target::Target&) const override {
    return mock.updateConstant ? mock.updateConstant(region.getName(), index, type, bytes)
                               : std::nullopt;
  }
  std::vector<Support> query(llvm::ArrayRef<mlir::Operation*> ops,
                             const target::Target& target) const override {
    if (mock.queries) ++*mock.queries;
    std::vector<Support> answers = Backend::query(ops, target);
    if (mock.changeAnswers) mock.changeAnswers(answers);
    return answers;
  }
  void registerPasses() const override {
    if (mock.registerPasses) mock.registerPasses();
  }
  Support supportsRegion(mlir::func::FuncOp region, const target::Target&) const override {
    return mock.supportsRegion ? mock.supportsRegion(region) : Supported{};
  }
  RegionRules regionRules(const target::Target&) const override { return mock.rules; }
  bool mayShareRegion(mlir::Operation* first, mlir::Operation* second) const override {
    return !mock.mayShareRegion || mock.mayShareRegion(first, second);
  }
  std::vector<LayoutChoice> chooseLayouts(mlir::Operation* op, Mock::Types available,
                                          const target::Target& target) const override {
    return mock.layouts ? mock.layouts(op, available)
                        : Backend::chooseLayouts(op, available, target);
  }
  std::optional<double> leastSeconds(mlir::func::FuncOp region,
                                     const target::Target&) const override {
    return mock.leastSeconds ? mock.leastSeconds(region) : std::nullopt;
  }
  bool canReuseOperand(mlir::func::FuncOp, unsigned) const override { return mock.reusesOperands; }
  void addPasses(target::Phase phase, target::HookPoint point, mlir::OpPassManager& manager,
                 const target::Target&) const override {
    if (mock.addPasses) mock.addPasses(phase, point, manager);
  }
  Result<Emission> emit(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> regions,
                        const target::Target&, const EmitContext& context) const override {
    if (mock.emit) return mock.emit(module, regions, context);
    const auto bytes = std::as_bytes(std::span(kind_.name));
    Emission emission{.blobs = {{.bytes = {bytes.begin(), bytes.end()}}}, .regions = {}};
    for (mlir::func::FuncOp region : regions)
      emission.regions.emplace_back(RegionCode{.entry = region.getName().str()});
    return emission;
  }

  Mock mock;  ///< May change between passes.

 private:
  target::TargetKind kind_;
};

}  // namespace tessera::backend_api
