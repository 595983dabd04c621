// place_whole FILE.mlir: places a simplified module over a target that takes all and merges
// what it has, and prints how many regions come of it.
#include <cstdio>

#include "compiler/backend_api/registry.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/module_io.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"

namespace tessera {
namespace {

class Everything final : public backend_api::Backend {
 public:
  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return "0"; }
  backend_api::Support supports(mlir::Operation*, const target::Target&) const override {
    return backend_api::Supported{};
  }
  backend_api::RegionRules regionRules(const target::Target&) const override {
    return {.mergesOperators = true};
  }
  Result<backend_api::Emission> emit(mlir::ModuleOp, llvm::ArrayRef<mlir::func::FuncOp>,
                                     const target::Target&,
                                     const backend_api::EmitContext&) const override {
    return targetFailed("it has no code");
  }

 private:
  target::TargetKind kind_{.name = "everything", .attributes = {}};
};

Result<size_t> placeWhole(const std::string& path) {
  backend_api::BackendRegistry registry;
  mlir::MLIRContext context;
  context.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
  target::Target target;
  target.kind = "everything";
  registry.setDefaultOwners(
      {{.target = target, .backend = &registry.add(std::make_unique<Everything>())}});
  backend_api::attachRegistry(context, registry);
  TESSERA_TRY(const auto module, ir::loadModule(context, path));
  (*module)->removeAttr(ir::kTargetsAttribute);
  TESSERA_TRY_VOID(partition::placeUntilAccepted(*module, [&](mlir::ModuleOp attempt) -> Status {
    mlir::PassManager manager(&context);
    partition::buildGreedyPartition(manager, [](mlir::OpPassManager&) {});
    if (mlir::failed(manager.run(attempt))) return targetFailed("a pass failed");
    return {};
  }));
  size_t count = 0;
  partition::entryFunction(*module).walk([&](mlir::func::CallOp) { ++count; });
  return count;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto count = tessera::placeWhole(argv[1]);
  if (!count) {
    std::fprintf(stderr, "%s\n", count.error().toString().c_str());
    return 1;
  }
  std::printf("%zu\n", *count);
  return 0;
}
