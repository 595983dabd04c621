// The sizes of a module's open dimensions, from its inputs; copies of it for other targets.
#include "compiler/driver/input_order.h"
#include "compiler/driver/module_state.h"
#include "compiler/ir/diagnostic_capture.h"
#include "compiler/ir/io/module_io.h"
#include "compiler/transforms/shapes/bind_inputs.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"

namespace tessera {

Status Module::bindInputs(std::span<const HostTensor> inputs) {
  if (phase() >= Phase::kPartition)
    return usageError("the module is at phase '" + std::string(phaseName(phase())) +
                      "'; inputs are bound before phase 'partition'");
  const std::vector<PortInfo> ports = this->inputs();
  TESSERA_TRY(const auto ordered, driver::inModelOrder(ports, inputs));
  std::vector<std::vector<int64_t>> shapes;
  for (auto [port, tensor] : llvm::zip_equal(ports, ordered)) {
    shapes.push_back(tensor->shape);
    // What the caller opened stays open.
    const auto given = std::ranges::find(state_->options.shapes, port.name,
                                         &std::pair<std::string, std::vector<int64_t>>::first);
    if (given == state_->options.shapes.end()) continue;
    for (size_t i = 0; i < std::min(shapes.back().size(), given->second.size()); ++i)
      if (given->second[i] < 0) shapes.back()[i] = mlir::ShapedType::kDynamic;
  }
  const llvm::SmallVector<llvm::ArrayRef<int64_t>> views(shapes.begin(), shapes.end());
  Error error;
  {  // It goes before the context does.
    ir::DiagnosticCapture diagnostics(state_->context.get());
    if (mlir::succeeded(transforms::bindInputs(state_->module(), views))) return {};
    error = state_->atFile(diagnostics.take(invalidInput("its inputs do not fit")));
  }
  if (!state_->file.ends_with(".onnx") || phase() != Phase::kImport) return error;
  // A rank may follow from sizes (Squeeze without axes), and with it types that importing declared:
  // then the model is imported anew, with the sizes.
  CompileOptions options = state_->options;
  options.session = state_->session;
  for (auto [port, shape] : llvm::zip_equal(ports, shapes)) {
    std::erase_if(options.shapes, [&](const auto& given) { return given.first == port.name; });
    for (int64_t& size : shape) size = mlir::ShapedType::isDynamic(size) ? -1 : size;
    options.shapes.emplace_back(port.name, shape);
  }
  auto again = load(state_->file, options);
  if (!again) return error;
  *this = std::move(*again);
  return {};
}

Result<Module> Module::clone(const std::string& targets) const {
  CompileOptions options = state_->options;
  options.targets = targets;
  options.session = state_->session;
  auto copy = std::make_unique<State>(options, state_->file);
  // Contexts do not share types: through bytecode. The bytes of constants are shared.
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (mlir::failed(mlir::writeBytecodeToFile(state_->module(), stream)))
    return state_->atFile(targetFailed("the module cannot be written as bytecode"));
  const auto storeOf = [](mlir::MLIRContext& context) -> ir::ConstantStore& {
    return context.getOrLoadDialect<ir::TsrDialect>()->constants();
  };
  const ir::ConstantStore& own = storeOf(*state_->context);
  for (const std::string& hash : ir::blobHashes(state_->module()))
    storeOf(*copy->context).addNamed(hash, own.find(hash));
  copy->phases.module = mlir::parseSourceString<mlir::ModuleOp>(bytes, copy->context.get());
  if (!copy->phases.module)
    return state_->atFile(targetFailed("the module's bytecode cannot be read"));
  if (const Status status = settleTargets(copy->module(), copy->registry(), copy->options); !status)
    return state_->atFile(status.error());
  return Module(std::move(copy));
}

}  // namespace tessera
