// The reference target: a module evaluated through the interpreter.
#include <cstring>

#include "compiler/driver/input_order.h"
#include "compiler/driver/module_state.h"
#include "compiler/interpreter/interpret.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/partition/owner_index.h"
#include "compiler/partition/passes.h"
#include "compiler/target/target.h"

namespace tessera {

bool isInterpretedTarget(const std::string& target) { return target == target::kInterpreter; }

static HostTensor toHost(std::string name, evaluate::TensorValue value) {
  size_t size = elementSizeBytes(value.type);
  for (const int64_t dim : value.shape) size *= static_cast<size_t>(dim);
  return {.name = std::move(name),
          .type = value.type,
          .shape = {value.shape.begin(), value.shape.end()},
          .bytes = {static_cast<const std::byte*>(value.data), size},
          .owner = std::move(value.owner)};
}

static evaluate::TensorValue toValue(const HostTensor& tensor) {
  return {.type = tensor.type,
          .shape = {tensor.shape.begin(), tensor.shape.end()},
          .data = tensor.bytes.data(),
          .owner = tensor.owner};
}

namespace {

/// Calls of regions that belong to another target than the host target.
class ForeignCalls {
 public:
  ForeignCalls(mlir::ModuleOp module, const Module::RegionRunner& runner)
      : module_(module), owners_(partition::OwnerIndex::of(module)), runner_(runner) {
    if (!runner || mlir::failed(owners_)) return;
    module.walk([&](mlir::func::CallOp call) { numbers_.try_emplace(call, numbers_.size()); });
  }

  std::optional<Result<std::vector<evaluate::TensorValue>>> operator()(
      mlir::func::CallOp call, std::span<const evaluate::TensorValue> arguments) {
    const auto number = numbers_.find(call);
    if (number == numbers_.end() || !isForeign(call)) return std::nullopt;
    return run(call, number->second, arguments);
  }

 private:
  bool isForeign(mlir::func::CallOp call) {
    auto region = module_.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
    const backend_api::Owner* owner = region ? owners_->of(region) : nullptr;
    return owner && owner != owners_->host();
  }

  Result<std::vector<evaluate::TensorValue>> run(mlir::func::CallOp call, size_t number,
                                                 std::span<const evaluate::TensorValue> arguments) {
    std::vector<HostTensor> inputs;
    for (auto [operand, value] : llvm::zip_equal(call.getOperands(), arguments)) {
      if (operand.getDefiningOp<ir::ConstantOp>()) continue;
      inputs.push_back(toHost("input" + std::to_string(inputs.size()), value));
    }
    TESSERA_TRY(const std::vector<HostTensor> outputs, runner_(number, inputs));
    std::vector<evaluate::TensorValue> results;
    for (const HostTensor& output : outputs) results.push_back(toValue(output));
    return results;
  }

  mlir::ModuleOp module_;
  mlir::FailureOr<partition::OwnerIndex> owners_;
  const Module::RegionRunner& runner_;
  llvm::DenseMap<mlir::Operation*, size_t> numbers_;
};

}  // namespace

Result<std::vector<std::byte>> Module::compileCall(size_t call) const {
  TESSERA_TRY(Module copy, clone(""));
  const Status status = copy.state_->door->run(
      copy.state_->module(), Phase::kPostPartition, [&](mlir::OpPassManager& manager) {
        manager.addPass(partition::createIsolateCallPass({.call = call}));
      });
  if (!status) return state_->atFile(status.error());
  return copy.compileToMemory();
}

Result<std::vector<HostTensor>> Module::interpret(std::span<const HostTensor> inputs,
                                                  const RegionRunner& runner) {
  if (phase() >= Phase::kLower)
    return usageError("the module is at phase '" + std::string(phaseName(phase())) +
                      "'; only modules before phase 'lower' can be interpreted");
  TESSERA_TRY(const auto ordered, driver::inModelOrder(this->inputs(), inputs));
  std::vector<reference::TensorView> views;
  views.reserve(ordered.size());
  for (const HostTensor* tensor : ordered)
    views.push_back({.type = tensor->type, .shape = tensor->shape, .data = tensor->bytes.data()});
  ForeignCalls foreign(state_->module(), runner);
  auto results = interpreter::interpret(state_->module(), ir::kEntryFunction.str(), views,
                                        /*observer=*/nullptr, foreign);
  if (!results) return state_->atFile(std::move(results).error());
  const std::vector<PortInfo> ports = outputs();
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < results->size(); ++i) {
    auto owner = std::make_shared<const reference::Tensor>(std::move((*results)[i]));
    tensors.push_back({.name = ports[i].name,
                       .type = owner->type(),
                       .shape = owner->shape(),
                       .bytes = {static_cast<const std::byte*>(owner->data()), owner->sizeBytes()},
                       .owner = owner});
  }
  return tensors;
}

}  // namespace tessera
