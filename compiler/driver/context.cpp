#include "compiler/driver/context.h"

#include "compiler/ir/tsr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::driver {

std::unique_ptr<mlir::MLIRContext> makeContext(const backend_api::BackendRegistry& backends) {
  mlir::DialectRegistry registry;
  registry.insert<ir::TsrDialect, mlir::func::FuncDialect>();
  for (const backend_api::Backend* backend : backends.backends())
    backend->registerDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry);
  context->loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
  context->printOpOnDiagnostic(false);  // An error is one sentence that names the ONNX node.
  backend_api::attachRegistry(*context, backends);
  return context;
}

}  // namespace tessera::driver
