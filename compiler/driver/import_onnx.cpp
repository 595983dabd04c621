#include <filesystem>

#include "compiler/driver/passes.h"
#include "compiler/ir/tsr.h"

namespace tessera::driver {

#define GEN_PASS_DEF_IMPORTONNXPASS
#include "compiler/driver/passes.h.inc"

namespace {

struct ImportOnnx : impl::ImportOnnxPassBase<ImportOnnx> {
  using Base = impl::ImportOnnxPassBase<ImportOnnx>;
  using Base::Base;
  explicit ImportOnnx(ImportRequest request) : request(std::move(request)) {
    file = this->request.file;
  }

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    if (!module.getBody()->empty()) {
      module.emitError("there is something in the module already, expected an empty one");
      return signalPassFailure();
    }
    auto imported =
        file.empty() ? onnx::importOnnxBytes(getContext(), request.bytes, nullptr, request.options)
                     : onnx::importOnnxFile(getContext(), file, request.options);
    if (!imported) {
      module.emitError(imported.error().message);
      if (request.failure) *request.failure = std::move(imported).error();
      return signalPassFailure();
    }
    module.getBody()->getOperations().splice(module.getBody()->end(),
                                             imported->get().getBody()->getOperations());
    module->setLoc(imported->get().getLoc());
    for (const mlir::NamedAttribute attribute : imported->get()->getAttrs())
      module->setAttr(attribute.getName(), attribute.getValue());
    if (!file.empty()) module.setSymName(std::filesystem::path(file.getValue()).stem().string());
  }

  ImportRequest request;
};

}  // namespace

std::unique_ptr<mlir::Pass> createImportOnnxPass(ImportRequest request) {
  return std::make_unique<ImportOnnx>(std::move(request));
}

}  // namespace tessera::driver
