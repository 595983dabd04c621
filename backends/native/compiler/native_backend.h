// The compile half of target kind "native".
#pragma once

#include <map>
#include <mutex>

#include "backends/native/compiler/kernels.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/backend_api/backend.h"

namespace tessera::backend_native {

class NativeBackend final : public backend_api::Backend {
 public:
  NativeBackend();

  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return kVersion; }
  void registerDialects(mlir::DialectRegistry& registry) const override;
  void registerPasses() const override;
  Result<target::Target> resolve(const target::Target& target) const override;
  backend_api::Support supports(mlir::Operation* op, const target::Target& target) const override;
  std::vector<std::string> operators() const override { return loweredOperators(); }
  backend_api::PatternTable patterns(const target::Target& target) const override;
  backend_api::RegionRules regionRules(const target::Target& target) const override;
  void addRegionPasses(mlir::OpPassManager& manager, const target::Target& target) const override;
  bool mayShareRegion(mlir::Operation* first, mlir::Operation* second) const override;
  std::vector<backend_api::LayoutChoice> chooseLayouts(
      mlir::Operation* op, llvm::ArrayRef<mlir::RankedTensorType> available,
      const target::Target& target) const override;
  std::optional<backend_api::Schedules> schedules(mlir::func::FuncOp region,
                                                  const target::Target& target) const override;
  bool canReuseOperand(mlir::func::FuncOp region, unsigned index) const override;
  void addPasses(target::Phase phase, target::HookPoint point, mlir::OpPassManager& manager,
                 const target::Target& target) const override;
  std::vector<std::string> skippedPasses(const target::Target& target) const override;
  Result<backend_api::Emission> emit(mlir::ModuleOp module,
                                     llvm::ArrayRef<mlir::func::FuncOp> regions,
                                     const target::Target& target,
                                     const backend_api::EmitContext& context) const override;

 private:
  /// What LLVM says of the target, asked once: it takes longer than choosing layouts does. Null: it
  /// knows none such.
  const CodeTarget* cpuOf(const target::Target& target) const;

  target::TargetKind kind_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Result<CodeTarget>> cpus_;  ///< By the target's text.
};

}  // namespace tessera::backend_native
