#include "frontends/onnx/import/import.h"

#include "base/limits.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/import/graph/graph_from_proto.h"
#include "frontends/onnx/import/graph/normalize.h"
#include "frontends/onnx/import/read/load.h"
#include "frontends/onnx/import/to_mlir/bind_shapes.h"
#include "frontends/onnx/import/to_mlir/importer.h"
#include "frontends/onnx/import/to_mlir/types_to_mlir.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

namespace tessera::onnx {

constexpr size_t kImportsPerNode = 20;
constexpr size_t kExtraImports = 10'000;

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

static Result<llvm::SmallVector<mlir::Type>> inputTypes(mlir::MLIRContext* context,
                                                        const Graph& graph) {
  llvm::SmallVector<mlir::Type> types;
  for (const NamedValue& input : graph.inputs) {
    const std::string what = "graph input '" + input.name + "'";
    if (!input.type.otherKind.empty())
      return invalidInput(what + " has the type " + input.type.otherKind + ", expected a tensor");
    if (!ir::toMlir(context, input.type.element)) {
      return invalidInput(what + " has element type " + elementTypeName(input.type.element) +
                          ", which is not supported");
    }
    const mlir::RankedTensorType type = rankedType(context, input.type, /*keepSymbols=*/true);
    if (!type) return invalidInput(what + " has no shape; give one with --shape");
    if (type.getRank() > static_cast<int64_t>(base::kMaxRank)) {
      return invalidInput(what + " has rank " + std::to_string(type.getRank()) +
                          ", expected at most " + std::to_string(base::kMaxRank));
    }
    types.push_back(type);
  }
  return types;
}

static Status checkOutputType(const NamedValue& output, mlir::Value value) {
  const auto type = llvm::dyn_cast<mlir::TensorType>(value.getType());
  if (!type) return {};
  const ElementType computed = ir::toElementType(type.getElementType());
  if (output.type.element == ElementType::kUndefined || output.type.element == computed) return {};
  return invalidInput("graph output '" + output.name + "' is declared as " +
                      elementTypeName(output.type.element) + ", but computed as " +
                      elementTypeName(computed));
}

static mlir::DictionaryAttr nameAttribute(mlir::Builder& builder, const std::string& name) {
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(ir::kValueNameAttribute, builder.getStringAttr(name))});
}

static Result<Module> importGraph(mlir::MLIRContext& context, const Graph& graph,
                                  const TypeInference& inferTypes) {
  context.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
  Importer importer(&context);
  importer.inferTypes = &inferTypes;
  importer.remainingNodes = kImportsPerNode * countNodes(graph) + kExtraImports;
  mlir::OpBuilder& builder = importer.builder;
  const mlir::Location location = mlir::UnknownLoc::get(&context);
  TESSERA_TRY(const llvm::SmallVector<mlir::Type> types, inputTypes(&context, graph));
  Module module = mlir::ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = builder.create<mlir::func::FuncOp>(location, ir::kEntryFunction,
                                                     builder.getFunctionType(types, {}));
  mlir::Block* block = function.addEntryBlock();
  Scope scope(importer, graph, *block, nullptr);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const auto index = static_cast<unsigned>(i);
    scope.define(graph.inputs[i].name, block->getArgument(index));
    function.setArgAttrs(index, nameAttribute(builder, graph.inputs[i].name));
  }
  builder.setInsertionPointToEnd(block);
  TESSERA_TRY(const llvm::SmallVector<mlir::Value> outputs, importNodes(importer, graph, scope));
  llvm::SmallVector<mlir::Type> resultTypes;
  for (size_t i = 0; i < outputs.size(); ++i) {
    TESSERA_TRY_VOID(checkOutputType(graph.outputs[i], outputs[i]));
    TESSERA_TRY_VOID(checkRankIsKnown(importer, outputs[i], graph.outputs[i].name));
    resultTypes.push_back(outputs[i].getType());
  }
  builder.setInsertionPointToEnd(block);
  builder.create<mlir::func::ReturnOp>(location, outputs);
  function.setFunctionType(builder.getFunctionType(types, resultTypes));
  for (size_t i = 0; i < outputs.size(); ++i) {
    function.setResultAttrs(static_cast<unsigned>(i),
                            nameAttribute(builder, graph.outputs[i].name));
  }
  if (mlir::failed(mlir::verify(*module)))
    return takeReason(importer, "the imported module is not valid");
  return module;
}

/// The graph may fix the size too, by a reshape to [1, 256] or a product with 256 rows: then no
/// other size is possible. Inference says so when one is put in; twice and half the file's size
/// keep what it is a multiple of.
static Status checkOpened(mlir::MLIRContext& context, const Graph& graph,
                          const std::vector<OpenedDim>& opened, const TypeInference& inferTypes) {
  std::optional<Error> reason;
  for (const bool isDouble : {true, false}) {
    const std::optional<Graph> other = resized(graph, opened, isDouble);
    if (!other) continue;
    Result<Module> module = importGraph(context, *other, inferTypes);
    if (module) return {};
    if (!reason)
      reason = usageError(describe(graph, opened) + " and cannot be left open; with twice that, " +
                          module.error().toString());
  }
  return *reason;
}

static Result<Module> importLoaded(mlir::MLIRContext& context, LoadedModel loaded,
                                   const ImportOptions& options) {
  TESSERA_TRY(Model model, modelFromProto(std::move(loaded)));
  TESSERA_TRY(Graph graph, normalizeModel(std::move(model)));
  TESSERA_TRY(const std::vector<OpenedDim> opened, bindShapes(graph, options));
  if (!opened.empty()) TESSERA_TRY_VOID(checkOpened(context, graph, opened, options.inferTypes));
  return importGraph(context, graph, options.inferTypes);
}

Result<Module> importOnnxFile(mlir::MLIRContext& context, const std::string& path,
                              const ImportOptions& options) {
  TESSERA_TRY(LoadedModel loaded, loadModelFile(path));
  Result<Module> module = importLoaded(context, std::move(loaded), options);
  if (!module && module.error().file.empty()) module.error().file = path;
  return module;
}

Result<Module> importOnnxBytes(mlir::MLIRContext& context, std::span<const std::byte> bytes,
                               std::shared_ptr<const void> owner, const ImportOptions& options) {
  TESSERA_TRY(LoadedModel loaded,
              loadModel(sourceFromMemory(bytes, std::move(owner)), /*folder=*/""));
  return importLoaded(context, std::move(loaded), options);
}

}  // namespace tessera::onnx
