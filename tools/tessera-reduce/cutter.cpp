#include "tools/tessera-reduce/cutter.h"

#include <filesystem>

#include "compiler/driver/context.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/placement/tile.h"
#include "frontends/onnx/export/weights.h"
#include "tessera/tensor_io.h"

namespace tessera::reduce {

Result<std::unique_ptr<Cutter>> Cutter::create(const std::string& model,
                                               const onnx::ImportOptions& options, uint64_t seed) {
  TESSERA_TRY(driver::SharedMemory memory, driver::SharedMemory::create());
  auto cutter = std::unique_ptr<Cutter>(new Cutter(std::move(memory)));
  cutter->context_ = driver::makeContext(cutter->registry_);
  TESSERA_TRY(cutter->module_, onnx::importOnnxFile(*cutter->context_, model, options));
  mlir::func::FuncOp entry = ir::entryFunction(*cutter->module_);
  for (const mlir::Type type : entry.getArgumentTypes()) {
    const std::string why = ir::whyOpen(llvm::cast<mlir::RankedTensorType>(type));
    if (!why.empty()) return usageError("sizes of inputs have to be known: " + why);
  }
  cutter->graph_.emplace(entry);
  TESSERA_TRY(cutter->values_,
              driver::ReferenceValues::make(*cutter->graph_, cutter->memory_, seed));
  return cutter;
}

Parts Cutter::all() const {
  Parts parts;
  for (uint32_t node = 0; node < graph_->size(); ++node) parts.push_back(node);
  return parts;
}

Status Cutter::write(const Parts& parts, const std::string& folder) const {
  const placement::Tile tile{.nodes = {parts.begin(), parts.end()}, .target = {}, .reads = {}};
  const placement::ExtractedTile extracted = placement::extractTile(*graph_, tile);
  TESSERA_TRY(onnx::ExportedModel model, onnx::exportModule(*extracted.module));
  const std::string data = folder + "/" + kDataSet;
  std::error_code ignored;  // What cannot be removed cannot be written either.
  std::filesystem::remove_all(data, ignored);
  TESSERA_TRY_VOID(writeValues(extracted.inputs, data, "input"));
  TESSERA_TRY_VOID(writeValues(extracted.outputs, data, "output"));
  return onnx::writeModelFile(std::move(model), folder + "/model.onnx");
}

Status Cutter::writeValues(mlir::ArrayRef<mlir::Value> values, const std::string& folder,
                           const std::string& stem) const {
  driver::SharedView view;
  std::vector<HostTensor> tensors;
  for (const mlir::Value each : values) {
    TESSERA_TRY(const driver::ReferenceValue value, values_->find(each));
    HostTensor& tensor = tensors.emplace_back();
    tensor.name = stem + std::to_string(tensors.size() - 1);
    tensor.type = value.type;
    tensor.shape = value.shape;
    TESSERA_TRY(tensor.bytes, view.read(memory_.path(), value.extent));
  }
  return writeTensorProtos(folder, stem, tensors);
}

std::string Cutter::describe(const Parts& parts) const {
  std::string text;
  for (const uint32_t part : parts) {
    mlir::Operation* op = graph_->operation(part);
    text += (text.empty() ? "" : ", ") + op->getName().stripDialect().str();
    for (const std::string& name : ir::sourceNames(op->getLoc())) text += " '" + name + "'";
  }
  return text;
}

}  // namespace tessera::reduce
