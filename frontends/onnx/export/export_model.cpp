#include "compiler/ir/module_attributes.h"
#include "compiler/ir/tsr.h"
#include "frontends/onnx/export/downgrade/downgrade.h"
#include "frontends/onnx/export/export.h"
#include "frontends/onnx/export/prepare.h"
#include "frontends/onnx/export/write_graph.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

using namespace mlir;

namespace tessera::onnx {

ExportedModel::ExportedModel() : proto(std::make_unique<ModelProto>()) {}
ExportedModel::ExportedModel(ExportedModel&&) noexcept = default;
ExportedModel& ExportedModel::operator=(ExportedModel&&) noexcept = default;
ExportedModel::~ExportedModel() = default;

/// The IR version that came with an opset: https://onnx.ai/onnx/repo-docs/Versioning.html
static int64_t irVersionOf(int opset) {
  if (opset >= 23) return 11;
  if (opset >= 21) return 10;
  if (opset >= 19) return 9;
  return opset >= 15 ? 8 : 7;
}

static std::string nameOf(StringAttr known, const char* kind, unsigned index) {
  return known && !known.empty() ? known.str() : kind + std::to_string(index);
}

static Result<ExportedModel> exportNamed(func::FuncOp function, const std::string& graphName,
                                         const ExportOptions& options) {
  if (options.opset < kMinExportOpset || options.opset > kMaxExportOpset)
    return usageError("opset " + std::to_string(options.opset) +
                      " is not among those that can be "
                      "written, " +
                      std::to_string(kMinExportOpset) + " to " + std::to_string(kMaxExportOpset));
  TESSERA_TRY(OwningOpRef<ModuleOp> scratch, prepare(function, options));
  auto copy = *scratch->getOps<func::FuncOp>().begin();
  TESSERA_TRY_VOID(expandFor(copy, options.opset));
  BorderNames inputs;
  for (unsigned i = 0; i < copy.getNumArguments(); ++i)
    inputs.push_back(
        nameOf(copy.getArgAttrOfType<StringAttr>(i, ir::kValueNameAttribute), "input_", i));
  BorderNames outputs;
  for (unsigned i = 0; i < copy.getNumResults(); ++i)
    outputs.push_back(
        nameOf(copy.getResultAttrOfType<StringAttr>(i, ir::kValueNameAttribute), "output_", i));
  ExportedModel model;
  WeightList weights;
  model.proto->set_ir_version(irVersionOf(options.opset));
  model.proto->set_producer_name("tessera");
  model.proto->mutable_graph()->set_name(graphName);
  TESSERA_TRY_VOID(writeGraph(*model.proto, copy, inputs, outputs, options.opset, weights));
  model.weights = weights.take();
  return model;
}

Result<ExportedModel> exportFunction(func::FuncOp function, const ExportOptions& options) {
  return exportNamed(function, function.getName().str(), options);
}

Result<ExportedModel> exportModule(ModuleOp module, const ExportOptions& options) {
  auto entry = ir::entryFunction(module);
  if (!entry) return invalidInput("the module has no function '" + ir::kEntryFunction.str() + "'");
  const std::optional<llvm::StringRef> name = module.getSymName();
  return exportNamed(entry, name && !name->empty() ? name->str() : entry.getName().str(), options);
}

}  // namespace tessera::onnx
