#include "compiler/plugin_host/query_model.h"

#include <charconv>

#include "compiler/ir/tsr.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tessera::plugin_host {

using namespace mlir;

/// The key under which a node says which operator it comes from.
static constexpr const char* kOperatorKey = "tessera.operator";

/// Values from outside that an operator and its bodies use, each once, in order.
static llvm::SetVector<Value> usedFromOutside(Operation* op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// Values that somebody else uses, or nobody.
static SmallVector<Value> resultsOf(ArrayRef<Operation*> ops) {
  const llvm::DenseSet<Operation*> inside(ops.begin(), ops.end());
  const auto isInside = [&](Operation* user) {
    for (; user != nullptr; user = user->getParentOp()) {
      if (inside.contains(user)) return true;
    }
    return false;
  };
  SmallVector<Value> results;
  for (Operation* op : ops) {
    for (const Value result : op->getResults()) {
      if (result.use_empty() || !llvm::all_of(result.getUsers(), isInside))
        results.push_back(result);
    }
  }
  return results;
}

namespace {

/// A function that holds copies of operators.
struct Copies {
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  llvm::DenseMap<Operation*, size_t> indices;  ///< Of the copies.
};

}  // namespace

static Copies copyOf(ArrayRef<Operation*> ops) {
  MLIRContext* context = ops.front()->getContext();
  const Location location = UnknownLoc::get(context);
  Copies copies;
  copies.module = ModuleOp::create(location);
  copies.function = func::FuncOp::create(location, "query", FunctionType::get(context, {}, {}));
  copies.module->push_back(copies.function);
  Block* block = copies.function.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  IRMapping mapping;
  for (auto [i, op] : llvm::enumerate(ops)) {
    for (const Value value : usedFromOutside(op)) {
      if (mapping.contains(value)) continue;
      if (auto constant = value.getDefiningOp<ir::ConstantOp>())
        builder.clone(*constant, mapping);
      else
        mapping.map(value, block->addArgument(value.getType(), value.getLoc()));
    }
    copies.indices[builder.clone(*op, mapping)] = i;
  }
  SmallVector<Value> results;
  for (const Value result : resultsOf(ops)) results.push_back(mapping.lookup(result));
  builder.create<func::ReturnOp>(location, results);
  copies.function.setFunctionType(
      FunctionType::get(context, block->getArgumentTypes(), TypeRange(ValueRange(results))));
  return copies;
}

static std::optional<size_t> operatorOf(const onnx::NodeProto& node, size_t numOps) {
  for (const onnx::StringStringEntryProto& entry : node.metadata_props()) {
    if (entry.key() != kOperatorKey) continue;
    const std::string& text = entry.value();
    size_t index = 0;
    std::from_chars(text.data(), text.data() + text.size(), index);
    if (index < numOps) return index;
  }
  return std::nullopt;
}

Result<QueryModel> modelOf(ArrayRef<Operation*> ops, int opset) {
  const Copies copies = copyOf(ops);
  const auto notes = [&](Operation* op) -> onnx::NodeNotes {
    // What is inside of a composite stands for the composite.
    for (; op != nullptr; op = op->getParentOp()) {
      const auto found = copies.indices.find(op);
      if (found != copies.indices.end()) return {{kOperatorKey, std::to_string(found->second)}};
    }
    return {};
  };
  TESSERA_TRY(onnx::ExportedModel model,
              onnx::exportFunction(copies.function, {.opset = opset, .notes = notes}));
  QueryModel query{.model = std::move(model), .opOfNode = {}};
  for (const onnx::NodeProto& node : query.model.proto->graph().node())
    query.opOfNode.push_back(operatorOf(node, ops.size()));
  return query;
}

}  // namespace tessera::plugin_host
