// place_whole FILE.mlir: places a simplified module over a target that takes all and merges
// what it has, and prints how many regions come of it.
#include <cstdio>

#include "compiler/backend_api/registry.h"
#include "compiler/backend_api/test/mock_backend.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"

namespace tessera {
namespace {

Result<size_t> placeWhole(const std::string& path) {
  backend_api::BackendRegistry registry;
  mlir::MLIRContext context;
  context.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
  target::Target target;
  target.kind = "everything";
  TESSERA_TRY(const backend_api::Backend* backend,
              registry.add(std::make_unique<backend_api::MockBackend>(backend_api::Mock{
                  .name = "everything", .rules = {.mergesOperators = true}, .isHost = true})));
  registry.setDefaultOwners({{.target = target, .backend = backend}});
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
  ir::entryFunction(*module).walk([&](mlir::func::CallOp) { ++count; });
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
