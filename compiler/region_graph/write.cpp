#include "compiler/region_graph/write.h"

#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"

using namespace mlir;

namespace tessera::region_graph {

namespace {

class GraphWriter {
 public:
  Result<std::unique_ptr<GraphT>> run(func::FuncOp region, ArrayRef<Chain> chains) {
    graph_->name = region.getName().str();
    for (const Value argument : region.getArguments())
      graph_->arguments.push_back(tensorOf(argument));
    DenseMap<Operation*, const Chain*> chainOf;
    for (const Chain& chain : chains) {
      for (Operation* op : chain) chainOf[op] = &chain;
    }
    Block& body = region.getBody().front();
    for (Operation& op : body.without_terminator()) {
      if (isa<ir::ConstantOp>(op)) continue;
      const Chain* chain = chainOf.lookup(&op);
      // A chain stands where its last operator stands: whatever it reads is computed by then.
      if (chain != nullptr && chain->back() != &op) continue;
      const Chain alone = {&op};
      for (Operation* part : chain != nullptr ? *chain : alone)
        TESSERA_TRY_VOID(addOperator(part, part == (chain ? chain->front() : &op)));
    }
    for (const Value result : body.getTerminator()->getOperands())
      graph_->results.push_back(tensorOf(result));
    return std::move(graph_);
  }

 private:
  Status addOperator(Operation* op, bool beginsGroup) {
    auto described = describe(op);
    if (!described) return described.error();
    for (Described& one : *described) {
      auto added = std::make_unique<OperatorT>();
      added->name = std::move(one.name);
      added->attributes = std::move(one.attributes);
      if (beginsGroup) ++numGroups_;
      added->group = numGroups_ - 1;
      while (!one.inputs.empty() && !one.inputs.back()) one.inputs.pop_back();
      for (const Value value : one.inputs) added->inputs.push_back(tensorOf(value));
      for (const Value value : one.outputs) added->outputs.push_back(tensorOf(value));
      graph_->operators.push_back(std::move(added));
    }
    return {};
  }

  int32_t tensorOf(Value value) {
    if (!value) return kAbsent;
    const auto [known, isNew] =
        indices_.try_emplace(value, static_cast<int32_t>(graph_->tensors.size()));
    if (isNew) addTensor(value);
    return known->second;
  }

  void addTensor(Value value) {
    const auto type = cast<RankedTensorType>(value.getType());
    auto tensor = std::make_unique<TensorT>();
    tensor->element_type = static_cast<uint8_t>(ir::toElementType(type.getElementType()));
    for (const int64_t size : type.getShape())
      tensor->dims.push_back(ShapedType::isDynamic(size) ? -1 : size);
    if (const ir::LayoutAttr layout = ir::layoutOf(type)) {
      tensor->order.assign(layout.getOrder().begin(), layout.getOrder().end());
      tensor->block_dims.assign(layout.getBlockDims().begin(), layout.getBlockDims().end());
      tensor->block_sizes.assign(layout.getBlockSizes().begin(), layout.getBlockSizes().end());
    }
    if (const auto bytes = ir::constantBytes(value)) {
      const auto* first = reinterpret_cast<const uint8_t*>(bytes->bytes.data());
      tensor->data.assign(first, first + bytes->bytes.size());
    }
    graph_->tensors.push_back(std::move(tensor));
  }

  std::unique_ptr<GraphT> graph_ = std::make_unique<GraphT>();
  DenseMap<Value, int32_t> indices_;
  uint32_t numGroups_ = 0;
};

}  // namespace

Result<std::unique_ptr<GraphT>> describeRegion(func::FuncOp region, ArrayRef<Chain> chains) {
  return GraphWriter().run(region, chains);
}

}  // namespace tessera::region_graph
