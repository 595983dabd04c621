// If, Loop and Scan: their bodies become regions that see the values around them.
//
// The types of values that a loop carries are those of their first values, widened (a size that
// changes becomes dynamic) until the body yields what it takes; sizes only ever become dynamic, so
// this ends after few rounds.
#include "compiler/ir/infer/known_dims.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/axes.h"
#include "compiler/ir/tsr.h"
#include "frontends/onnx/import/to_mlir/importer.h"
#include "frontends/onnx/import/to_mlir/types_to_mlir.h"

namespace tessera::onnx {

using Values = llvm::SmallVector<mlir::Value>;
using Types = llvm::SmallVector<mlir::Type>;

static constexpr int kMaxRounds = 4;

/// Fills `region` with the graph, whose inputs get `inputTypes`; returns the yielded types.
static Result<Types> importBody(Importer& importer, const Graph& graph, mlir::Region& region,
                                llvm::ArrayRef<mlir::Type> inputTypes, Scope& outer,
                                mlir::Location location) {
  const mlir::OpBuilder::InsertionGuard guard(importer.builder);
  mlir::Block* block = importer.builder.createBlock(&region);
  Scope scope(importer, graph, *block, &outer);
  for (size_t i = 0; i < inputTypes.size(); ++i) {
    scope.define(graph.inputs[i].name, block->addArgument(inputTypes[i], location));
  }
  TESSERA_TRY(const Values outputs, importNodes(importer, graph, scope));
  for (auto [value, output] : llvm::zip_equal(outputs, graph.outputs))
    TESSERA_TRY_VOID(checkRankIsKnown(importer, value, output.name));
  importer.builder.setInsertionPointToEnd(block);
  importer.builder.create<ir::YieldOp>(location, outputs);
  Types types;
  for (const mlir::Value output : outputs) types.push_back(output.getType());
  return types;
}

static Result<const Graph*> bodyOf(const Node& node, std::string_view attribute, size_t numInputs) {
  const Graph* graph = node.graphAttribute(attribute);
  if (graph == nullptr)
    return invalidInput("attribute '" + std::string(attribute) + "' is missing or no graph");
  if (graph->inputs.size() != numInputs) {
    return invalidInput("graph '" + std::string(attribute) + "' has " +
                        std::to_string(graph->inputs.size()) + " inputs, but " +
                        std::to_string(numInputs) + " are expected");
  }
  return graph;
}

static NodeResults resultsOf(mlir::Operation* op, const Node& node) {
  NodeResults results(node.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) results[i] = op->getResult(static_cast<unsigned>(i));
  return results;
}

static Status checkOutputCount(const Node& node, size_t count) {
  if (node.outputs.size() <= count) return {};
  return invalidInput("the node has " + std::to_string(node.outputs.size()) +
                      " outputs, but its body yields " + std::to_string(count));
}

static bool isBoolTensor(mlir::Type type) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getElementType().isInteger(1);
}

static bool isI64Tensor(mlir::Type type) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getElementType().isInteger(64);
}

/// Erases the operation, with what is still in its regions, at the end of the scope.
class TemporaryOp {
 public:
  explicit TemporaryOp(mlir::Operation* op) : op_(op) {}
  TemporaryOp(const TemporaryOp&) = delete;
  TemporaryOp& operator=(const TemporaryOp&) = delete;
  ~TemporaryOp() {
    for (mlir::Region& region : op_->getRegions()) region.dropAllReferences();
    op_->erase();
  }

 private:
  mlir::Operation* op_;
};

/// A tsr operation with empty regions and no results yet: results need types that follow from the
/// bodies.
static mlir::Operation* createShell(llvm::StringRef name, mlir::Location location,
                                    unsigned numRegions) {
  mlir::OperationState state(location, name);
  for (unsigned i = 0; i < numRegions; ++i) state.addRegion();
  return mlir::Operation::create(state);
}

/// The final operation: operands, attributes and result types given, regions taken from the shell.
static mlir::Operation* finish(Importer& importer, mlir::Operation* shell,
                               llvm::ArrayRef<mlir::Value> operands,
                               llvm::ArrayRef<mlir::Type> types,
                               llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::OperationState state(shell->getLoc(), shell->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(attributes);
  for (mlir::Region& region : shell->getRegions()) state.addRegion()->takeBody(region);
  return importer.builder.create(state);
}

/// The branch of an If whose condition follows from shapes and constants, without a region:
/// exporters leave such tests, and only one of the branches fits the rest of the model.
static Result<NodeResults> importBranch(Importer& importer, const Node& node, const Graph& branch,
                                        Scope& outer) {
  Scope scope(importer, branch, *importer.builder.getInsertionBlock(), &outer);
  TESSERA_TRY(const Values outputs, importNodes(importer, branch, scope));
  TESSERA_TRY_VOID(checkOutputCount(node, outputs.size()));
  return NodeResults(outputs.begin(), outputs.begin() + static_cast<int64_t>(node.outputs.size()));
}

/// Gives output `index` of a branch `count` dimensions of size 1 in front; returns its type.
static mlir::Type padResult(Importer& importer, mlir::Region& branch, unsigned index,
                            int64_t count) {
  mlir::Operation* yield = branch.front().getTerminator();
  const mlir::Value value = yield->getOperand(index);
  if (count <= 0) return value.getType();
  const mlir::OpBuilder::InsertionGuard guard(importer.builder);
  importer.builder.setInsertionPoint(yield);
  const auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> shape(count, 1);
  shape.append(type.getShape().begin(), type.getShape().end());
  const mlir::Value axes = ir::createIntsConstant(importer.builder, yield->getLoc(),
                                                  llvm::to_vector(llvm::seq<int64_t>(0, count)));
  const mlir::Value unsqueezed = importer.builder.create<ir::UnsqueezeOp>(
      yield->getLoc(), mlir::RankedTensorType::get(shape, type.getElementType()), value, axes);
  yield->setOperand(index, unsqueezed);
  return unsqueezed.getType();
}

static Result<NodeResults> importIf(Importer& importer, const Node& node,
                                    llvm::ArrayRef<mlir::Value> inputs, Scope& scope,
                                    mlir::Location location) {
  if (inputs.size() != 1 || !inputs[0] || !isBoolTensor(inputs[0].getType())) {
    return invalidInput("one input, a bool tensor, is expected");
  }
  TESSERA_TRY(const Graph* thenGraph, bodyOf(node, "then_branch", 0));
  TESSERA_TRY(const Graph* elseGraph, bodyOf(node, "else_branch", 0));
  if (const auto known = ir::knownInts(inputs[0]); known && known->size() == 1) {
    return importBranch(importer, node, known->front() != 0 ? *thenGraph : *elseGraph, scope);
  }
  mlir::Operation* shell = createShell(ir::IfOp::getOperationName(), location, 2);
  const TemporaryOp temporary(shell);
  TESSERA_TRY(Types types,
              importBody(importer, *thenGraph, shell->getRegion(0), {}, scope, location));
  TESSERA_TRY(const Types elseTypes,
              importBody(importer, *elseGraph, shell->getRegion(1), {}, scope, location));
  if (types.size() != elseTypes.size()) {
    return invalidInput("then_branch has " + std::to_string(types.size()) +
                        " outputs, else_branch " + std::to_string(elseTypes.size()));
  }
  TESSERA_TRY_VOID(checkOutputCount(node, types.size()));
  llvm::SmallVector<unsigned> padded;
  for (unsigned i = 0; i < types.size(); ++i) {
    const auto thenType = llvm::dyn_cast<mlir::RankedTensorType>(types[i]);
    const auto elseType = llvm::dyn_cast<mlir::RankedTensorType>(elseTypes[i]);
    const int64_t more = thenType && elseType ? thenType.getRank() - elseType.getRank() : 0;
    if (more != 0) padded.push_back(i);
    types[i] = mergeTypes(padResult(importer, shell->getRegion(0), i, -more),
                          padResult(importer, shell->getRegion(1), i, more));
  }
  mlir::Operation* op = finish(importer, shell, inputs, types, {});
  for (const unsigned i : padded) {
    if (llvm::isa<mlir::RankedTensorType>(types[i])) importer.padded.insert(op->getResult(i));
  }
  return resultsOf(op, node);
}

/// Imports the body until the types it takes for the `numCarried` values at `firstCarried` hold
/// what it yields for them at `firstYielded`. `inputTypes` is widened in place.
static Result<Types> importLoopBody(Importer& importer, const Graph& body, mlir::Region& region,
                                    Types& inputTypes, size_t firstCarried, size_t firstYielded,
                                    size_t numCarried, Scope& scope, mlir::Location location) {
  for (int round = 0;; ++round) {
    TESSERA_TRY(Types yielded, importBody(importer, body, region, inputTypes, scope, location));
    if (yielded.size() < firstYielded + numCarried) {
      return invalidInput("the body has " + std::to_string(yielded.size()) + " outputs, at least " +
                          std::to_string(firstYielded + numCarried) + " are expected");
    }
    bool isStable = true;
    for (size_t i = 0; i < numCarried; ++i) {
      mlir::Type& taken = inputTypes[firstCarried + i];
      mlir::Type widened = mergeTypes(taken, yielded[firstYielded + i]);
      if (widened == taken) continue;
      isStable = false;
      // Sizes that grow one by one would need a round each.
      if (const auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(widened);
          ranked && round + 2 >= kMaxRounds) {
        widened = mlir::RankedTensorType::get(
            llvm::SmallVector<int64_t>(static_cast<size_t>(ranked.getRank()),
                                       mlir::ShapedType::kDynamic),
            ranked.getElementType());
      }
      taken = widened;
    }
    if (isStable) return yielded;
    if (round + 1 >= kMaxRounds)
      return invalidInput("the types of the values that the loop carries do not settle");
    region.walk([&](mlir::Operation* op) {
      for (const mlir::Value result : op->getResults()) importer.padded.erase(result);
    });
    region.dropAllReferences();
    region.getBlocks().clear();
  }
}

static Result<NodeResults> importLoop(Importer& importer, const Node& node,
                                      llvm::ArrayRef<mlir::Value> inputs, Scope& scope,
                                      mlir::Location location) {
  if (inputs.size() < 2)
    return invalidInput("at least 2 inputs are expected, found " + std::to_string(inputs.size()));
  if (inputs[0] && !isI64Tensor(inputs[0].getType()))
    return invalidInput("the trip count is expected to be an i64 tensor");
  if (inputs[1] && !isBoolTensor(inputs[1].getType()))
    return invalidInput("the condition is expected to be a bool tensor");
  mlir::Builder& builder = importer.builder;
  Types inputTypes{mlir::RankedTensorType::get({}, builder.getI64Type()),
                   mlir::RankedTensorType::get({}, builder.getI1Type())};
  if (inputs[1]) inputTypes[1] = inputs[1].getType();
  Values operands;
  const llvm::SmallVector<int32_t> segments{inputs[0] ? 1 : 0, inputs[1] ? 1 : 0,
                                            static_cast<int32_t>(inputs.size() - 2)};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i >= 2 && !inputs[i]) return invalidInput("a value that the loop carries is missing");
    if (inputs[i]) operands.push_back(inputs[i]);
    if (i >= 2) inputTypes.push_back(inputs[i].getType());
  }
  const size_t numCarried = inputs.size() - 2;
  TESSERA_TRY(const Graph* body, bodyOf(node, "body", inputs.size()));
  mlir::Operation* shell = createShell(ir::LoopOp::getOperationName(), location, 1);
  const TemporaryOp temporary(shell);
  TESSERA_TRY(const Types yielded, importLoopBody(importer, *body, shell->getRegion(0), inputTypes,
                                                  2, 1, numCarried, scope, location));
  if (!isBoolTensor(yielded[0]))
    return invalidInput("the body's first output, the condition, is expected to be a bool tensor");
  TESSERA_TRY_VOID(checkOutputCount(node, yielded.size() - 1));
  Types types(inputTypes.begin() + 2, inputTypes.end());
  for (size_t i = 1 + numCarried; i < yielded.size(); ++i) {
    const auto element = llvm::dyn_cast<mlir::RankedTensorType>(yielded[i]);
    if (!element)
      return invalidInput("the type of scan output " + std::to_string(i - 1 - numCarried) +
                          " is not known");
    llvm::SmallVector<int64_t> shape{mlir::ShapedType::kDynamic};
    shape.append(element.getShape().begin(), element.getShape().end());
    types.push_back(mlir::RankedTensorType::get(shape, element.getElementType()));
  }
  return resultsOf(
      finish(importer, shell, operands, types,
             {builder.getNamedAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments))}),
      node);
}

/// The axis of entry `index` of a list attribute, counted from the front; 0 without the attribute.
static Result<int64_t> scanAxis(const Node& node, const char* attribute, size_t index,
                                int64_t rank) {
  const std::vector<int64_t>* axes = node.intsAttribute(attribute);
  if (axes == nullptr) return int64_t{0};
  const int64_t axis = index < axes->size() ? (*axes)[index] : 0;
  if (!ir::spec::isAxis(axis, rank)) {
    return invalidInput("attribute '" + std::string(attribute) + "' has axis " +
                        std::to_string(axis) + ", which is outside rank " + std::to_string(rank));
  }
  return ir::spec::normalizedAxis(axis, rank);
}

/// Types of the scan inputs' slices are appended to `inputTypes`; returns the sequence length.
static Result<int64_t> appendSliceTypes(const Node& node, llvm::ArrayRef<mlir::Value> scanInputs,
                                        Types& inputTypes) {
  int64_t length = mlir::ShapedType::kDynamic;
  for (size_t i = 0; i < scanInputs.size(); ++i) {
    const auto type = llvm::dyn_cast<mlir::RankedTensorType>(scanInputs[i].getType());
    if (!type || type.getRank() == 0)
      return invalidInput("scan input " + std::to_string(i) +
                          " is expected to have rank 1 or more");
    TESSERA_TRY(const int64_t axis, scanAxis(node, "scan_input_axes", i, type.getRank()));
    llvm::SmallVector<int64_t> shape(type.getShape());
    if (!mlir::ShapedType::isDynamic(shape[static_cast<size_t>(axis)]))
      length = shape[static_cast<size_t>(axis)];
    shape.erase(shape.begin() + axis);
    inputTypes.push_back(mlir::RankedTensorType::get(shape, type.getElementType()));
  }
  return length;
}

static Result<NodeResults> importScan(Importer& importer, const Node& node,
                                      llvm::ArrayRef<mlir::Value> inputs, Scope& scope,
                                      mlir::Location location) {
  const int64_t numScan = node.intAttribute("num_scan_inputs").value_or(0);
  if (numScan < 1 || static_cast<size_t>(numScan) > inputs.size()) {
    return invalidInput("num_scan_inputs is " + std::to_string(numScan) + ", but the node has " +
                        std::to_string(inputs.size()) + " inputs");
  }
  for (const mlir::Value input : inputs) {
    if (!input) return invalidInput("an input of Scan is missing");
  }
  const size_t numStates = inputs.size() - static_cast<size_t>(numScan);
  Types inputTypes;
  for (size_t i = 0; i < numStates; ++i) inputTypes.push_back(inputs[i].getType());
  TESSERA_TRY(const int64_t length,
              appendSliceTypes(node, inputs.drop_front(numStates), inputTypes));
  TESSERA_TRY(const Graph* body, bodyOf(node, "body", inputs.size()));
  mlir::Operation* shell = createShell(ir::ScanOp::getOperationName(), location, 1);
  const TemporaryOp temporary(shell);
  TESSERA_TRY(const Types yielded, importLoopBody(importer, *body, shell->getRegion(0), inputTypes,
                                                  0, 0, numStates, scope, location));
  TESSERA_TRY_VOID(checkOutputCount(node, yielded.size()));
  Types types(inputTypes.begin(), inputTypes.begin() + static_cast<int64_t>(numStates));
  for (size_t i = numStates; i < yielded.size(); ++i) {
    const auto slice = llvm::dyn_cast<mlir::RankedTensorType>(yielded[i]);
    if (!slice)
      return invalidInput("the type of scan output " + std::to_string(i - numStates) +
                          " is not known");
    TESSERA_TRY(const int64_t axis,
                scanAxis(node, "scan_output_axes", i - numStates, slice.getRank() + 1));
    llvm::SmallVector<int64_t> shape(slice.getShape());
    shape.insert(shape.begin() + axis, length);
    types.push_back(mlir::RankedTensorType::get(shape, slice.getElementType()));
  }
  mlir::Builder& builder = importer.builder;
  llvm::SmallVector<mlir::NamedAttribute> attributes{
      builder.getNamedAttr("num_scan_inputs", builder.getI64IntegerAttr(numScan))};
  for (const char* name :
       {"scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions"}) {
    if (const std::vector<int64_t>* values = node.intsAttribute(name)) {
      attributes.push_back(builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(*values)));
    }
  }
  return resultsOf(finish(importer, shell, inputs, types, attributes), node);
}

bool isControlFlow(const Node& node) {
  return node.domain.empty() && llvm::is_contained(kControlFlowOperators, node.opType);
}

Result<NodeResults> importControlFlow(Importer& importer, const Node& node,
                                      llvm::ArrayRef<mlir::Value> inputs, Scope& scope,
                                      mlir::Location location) {
  if (node.opType == "If") return importIf(importer, node, inputs, scope, location);
  if (node.opType == "Loop") return importLoop(importer, node, inputs, scope, location);
  return importScan(importer, node, inputs, scope, location);
}

}  // namespace tessera::onnx
