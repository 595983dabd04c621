#include "compiler/driver/measuring/reference_values.h"

#include <random>

#include "base/content_hash.h"
#include "base/half.h"
#include "compiler/driver/measuring/code_version.h"
#include "compiler/interpreter/interpret.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/placement/saved_plans/plan_file.h"

namespace tessera::driver {

template <typename T, typename Draw>
static void fill(reference::Tensor& tensor, Draw draw) {
  for (T& element : tensor.as<T>()) element = static_cast<T>(draw());
}

/// Uniform in [-1, 1) for floats; 0 or `maxInteger`, which is 0 or 1, for integers and bool.
static reference::Tensor randomTensor(mlir::RankedTensorType type, unsigned maxInteger,
                                      std::mt19937_64& random) {
  reference::Tensor tensor(ir::toElementType(type.getElementType()),
                           reference::Shape(type.getShape().begin(), type.getShape().end()));
  std::uniform_real_distribution<float> real(-1, 1);
  switch (tensor.type()) {
    case ElementType::kF32:
      fill<float>(tensor, [&] { return real(random); });
      break;
    case ElementType::kF64:
      fill<double>(tensor, [&] { return real(random); });
      break;
    case ElementType::kF16:
      fill<uint16_t>(tensor, [&] { return base::encodeF16(real(random)); });
      break;
    case ElementType::kBF16:
      fill<uint16_t>(tensor, [&] { return base::encodeBF16(real(random)); });
      break;
    default: {
      auto* bytes = static_cast<std::byte*>(tensor.data());
      const size_t size = elementSizeBytes(tensor.type());
      for (size_t at = 0; at + size <= tensor.sizeBytes(); at += size)
        bytes[at] = static_cast<std::byte>(random() & maxInteger);  // Little-endian.
    }
  }
  return tensor;
}

/// Of a tensor of known sizes.
static uint64_t sizeOf(mlir::RankedTensorType type) {
  const auto count = static_cast<uint64_t>(type.getNumElements());
  return count * elementSizeBytes(ir::toElementType(type.getElementType()));
}

static Result<ReferenceValue> append(const reference::TensorView& view, SharedMemory& memory) {
  size_t size = elementSizeBytes(view.type);
  for (const int64_t dim : view.shape) size *= static_cast<size_t>(dim);
  TESSERA_TRY(const Extent extent, memory.append({static_cast<const std::byte*>(view.data), size}));
  return ReferenceValue{
      .type = view.type, .shape = {view.shape.begin(), view.shape.end()}, .extent = extent};
}

static bool isReturnedConstant(const placement::OperatorGraph& graph, mlir::Operation& op) {
  return mlir::isa<ir::ConstantOp>(op) && graph.isReturned(op.getResult(0));
}

/// What one seed gives, or else, where it does not run on that, with integers that are all 0.
Status ReferenceValues::compute(const placement::OperatorGraph& graph, SharedMemory& memory,
                                uint64_t seed) {
  Status first = compute(graph, memory, seed, /*maxInteger=*/1);
  if (first) return first;
  values_.clear();
  return compute(graph, memory, seed, /*maxInteger=*/0) ? Status() : first;
}

Status ReferenceValues::compute(const placement::OperatorGraph& graph, SharedMemory& memory,
                                uint64_t seed, unsigned maxInteger) {
  std::optional<Error> failure;
  const auto add = [&](mlir::Value value, const reference::TensorView& view) {
    if (!mlir::isa<mlir::RankedTensorType>(value.getType())) return;
    Result<ReferenceValue> appended = append(view, memory);
    if (appended)
      values_[value] = std::move(*appended);
    else if (!failure)
      failure = appended.error();
  };
  mlir::func::FuncOp entry = graph.entry();
  std::mt19937_64 random(seed);
  std::vector<reference::Tensor> inputs;
  std::vector<reference::TensorView> views;
  for (const mlir::BlockArgument argument : entry.getArguments()) {
    const auto type = mlir::cast<mlir::RankedTensorType>(argument.getType());
    inputs.push_back(randomTensor(type, maxInteger, random));
    add(argument, inputs.back().view());
  }
  for (const reference::Tensor& input : inputs) views.push_back(input.view());
  const auto observe = [&](mlir::Operation& op, std::span<const evaluate::TensorValue> results) {
    const placement::OperatorGraph::Range range = graph.nodesOf(&op);
    const bool isNode = range.end == range.first + 1 && graph.operation(range.first) == &op;
    if (!isNode && !isReturnedConstant(graph, op)) return;
    for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
      add(result, value.view());
  };
  auto module = mlir::cast<mlir::ModuleOp>(entry->getParentOp());
  TESSERA_TRY_VOID(interpreter::interpret(module, ir::kEntryFunction, views, observe));
  if (failure) return std::move(*failure);
  return {};
}

/// Arguments, results of operators, constants that are returned: the numbers of kept values are
/// places in this list.
static std::vector<mlir::Value> orderOf(const placement::OperatorGraph& graph) {
  std::vector<mlir::Value> order;
  llvm::append_range(order, graph.entry().getArguments());
  for (uint32_t node = 0; node < graph.size(); ++node)
    llvm::append_range(order, graph.operation(node)->getResults());
  mlir::func::FuncOp entry = graph.entry();
  for (const mlir::Value value : entry.getBody().front().getTerminator()->getOperands())
    if (graph.origin(value).getDefiningOp<ir::ConstantOp>()) order.push_back(graph.origin(value));
  return order;
}

Status ReferenceValues::take(const ReferenceCache::Found& found, llvm::ArrayRef<mlir::Value> order,
                             SharedMemory& memory) {
  for (const NumberedBytes& each : found.values) {
    TESSERA_TRY(const Extent extent, memory.append(each.bytes));
    const auto type = mlir::cast<mlir::RankedTensorType>(order[each.number].getType());
    values_[order[each.number]] = {.type = ir::toElementType(type.getElementType()),
                                   .shape = type.getShape().vec(),
                                   .extent = extent};
  }
  return {};
}

/// Whether each is a value of the model, of its size.
static bool areOf(llvm::ArrayRef<mlir::Value> order, const std::vector<NumberedBytes>& values) {
  return llvm::all_of(values, [&](const NumberedBytes& each) {
    if (each.number >= order.size()) return false;
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(order[each.number].getType());
    return type && type.hasStaticShape() && sizeOf(type) == each.bytes.size();
  });
}

void ReferenceValues::keep(llvm::ArrayRef<mlir::Value> order, const SharedMemory& memory,
                           const std::string& name, const ReferenceCache& cache) const {
  SharedView view;
  std::vector<NumberedBytes> values;
  for (auto [number, value] : llvm::enumerate(order)) {
    const auto it = values_.find(value);
    if (it == values_.end()) continue;
    if (!mlir::cast<mlir::RankedTensorType>(value.getType()).hasStaticShape()) return;
    const auto bytes = view.read(memory.path(), it->second.extent);
    if (!bytes) return;
    values.push_back({.number = number, .bytes = *bytes});
  }
  cache.keep(name, values);
}

Result<ReferenceValues> ReferenceValues::make(const placement::OperatorGraph& graph,
                                              SharedMemory& memory, uint64_t seed,
                                              const ReferenceCache* cache) {
  ReferenceValues values;
  if (cache == nullptr || compilerHash().empty()) {
    TESSERA_TRY_VOID(values.compute(graph, memory, seed));
    return values;
  }
  auto module = mlir::cast<mlir::ModuleOp>(graph.entry()->getParentOp());
  const std::string name = base::contentHash(placement::modelHash(module) + " seed " +
                                             std::to_string(seed) + " by " + compilerHash());
  const std::vector<mlir::Value> order = orderOf(graph);
  const std::optional<ReferenceCache::Found> found = cache->find(name);
  if (found && areOf(order, found->values)) {
    TESSERA_TRY_VOID(values.take(*found, order, memory));
    return values;
  }
  TESSERA_TRY_VOID(values.compute(graph, memory, seed));
  values.keep(order, memory, name, *cache);
  return values;
}

Result<ReferenceValue> ReferenceValues::find(mlir::Value origin) const {
  const auto it = values_.find(origin);
  if (it == values_.end()) return targetFailed("the reference does not tell a value that it needs");
  return it->second;
}

}  // namespace tessera::driver
