#include "compiler/driver/measuring/reference_values.h"

#include <random>

#include "compiler/interpreter/interpret.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"

namespace tessera::driver {

using nlohmann::json;

/// Uniform in [-1, 1) for floats; 0 or 1 for integers and bool.
static reference::Tensor randomTensor(mlir::RankedTensorType type, std::mt19937_64& random) {
  reference::Tensor tensor(ir::toElementType(type.getElementType()),
                           reference::Shape(type.getShape().begin(), type.getShape().end()));
  std::uniform_real_distribution<float> real(-1, 1);
  auto* bytes = static_cast<std::byte*>(tensor.data());
  if (tensor.type() == ElementType::kF32) {
    for (float& element : tensor.as<float>()) element = real(random);
  } else if (tensor.type() == ElementType::kF64) {
    for (double& element : tensor.as<double>()) element = real(random);
  } else {
    const size_t size = elementSizeBytes(tensor.type());
    for (size_t at = 0; at + size <= tensor.sizeBytes(); at += size)
      bytes[at] = static_cast<std::byte>(random() & 1);  // Little-endian; 0 or tiny for halves.
  }
  return tensor;
}

static Result<json> keep(const reference::TensorView& view, SharedMemory& memory) {
  size_t size = elementSizeBytes(view.type);
  for (const int64_t dim : view.shape) size *= static_cast<size_t>(dim);
  TESSERA_TRY(const Extent extent, memory.append({static_cast<const std::byte*>(view.data), size}));
  return json{{"type", static_cast<int>(view.type)},
              {"shape", std::vector<int64_t>(view.shape.begin(), view.shape.end())},
              {"offset", extent.offset},
              {"size", extent.size}};
}

Result<ReferenceValues> ReferenceValues::make(const placement::OperatorGraph& graph,
                                              SharedMemory& memory, uint64_t seed) {
  ReferenceValues values;
  std::optional<Error> failure;
  const auto add = [&](mlir::Value value, const reference::TensorView& view) {
    Result<json> kept = keep(view, memory);
    if (kept)
      values.values_[value] = std::move(*kept);
    else if (!failure)
      failure = kept.error();
  };
  mlir::func::FuncOp entry = graph.entry();
  std::mt19937_64 random(seed);
  std::vector<reference::Tensor> inputs;
  std::vector<reference::TensorView> views;
  for (const mlir::BlockArgument argument : entry.getArguments()) {
    inputs.push_back(randomTensor(mlir::cast<mlir::RankedTensorType>(argument.getType()), random));
    add(argument, inputs.back().view());
  }
  for (const reference::Tensor& input : inputs) views.push_back(input.view());
  const auto observe = [&](mlir::Operation& op, std::span<const evaluate::TensorValue> results) {
    const placement::OperatorGraph::Range range = graph.nodesOf(&op);
    if (range.end != range.first + 1 || graph.operation(range.first) != &op) return;
    for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
      add(result, value.view());
  };
  auto module = mlir::cast<mlir::ModuleOp>(entry->getParentOp());
  TESSERA_TRY_VOID(interpreter::interpret(module, ir::kEntryFunction, views, observe));
  if (failure) return std::move(*failure);
  return values;
}

Result<json> ReferenceValues::describe(llvm::ArrayRef<mlir::Value> origins) const {
  json list = json::array();
  for (const mlir::Value origin : origins) {
    const auto it = values_.find(origin);
    if (it == values_.end())
      return targetFailed("the reference does not tell a value that it needs");
    list.push_back(it->second);
  }
  return list;
}

}  // namespace tessera::driver
