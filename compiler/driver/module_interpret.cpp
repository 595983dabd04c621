// The reference target: a module evaluated through the interpreter.
#include <cstring>

#include "compiler/driver/input_order.h"
#include "compiler/driver/module_state.h"
#include "compiler/interpreter/interpret.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/exclusions.h"
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

static std::vector<HostTensor> toHosts(const std::vector<evaluate::TensorValue>& values) {
  std::vector<HostTensor> tensors;
  for (const evaluate::TensorValue& value : values)
    tensors.push_back(toHost("output " + std::to_string(tensors.size()), value));
  return tensors;
}

static evaluate::TensorValue toValue(const HostTensor& tensor) {
  return {.type = tensor.type,
          .shape = {tensor.shape.begin(), tensor.shape.end()},
          .data = tensor.bytes.data(),
          .owner = tensor.owner};
}

static bool fits(const HostTensor& tensor, mlir::RankedTensorType type) {
  if (tensor.type != ir::toElementType(type.getElementType()) ||
      tensor.shape.size() != static_cast<size_t>(type.getRank()))
    return false;
  size_t size = elementSizeBytes(tensor.type);
  for (auto [dim, declared] : llvm::zip_equal(tensor.shape, type.getShape())) {
    if (dim < 0 || (!mlir::ShapedType::isDynamic(declared) && dim != declared)) return false;
    size *= static_cast<size_t>(dim);
  }
  return tensor.bytes.size() == size;
}

namespace {

/// Calls of regions that belong to another target than the host target.
class ForeignCalls {
 public:
  using Values = std::vector<evaluate::TensorValue>;

  ForeignCalls(mlir::ModuleOp module, const Module::RegionRunner& runner)
      : module_(module), owners_(partition::OwnerIndex::of(module)), runner_(runner) {
    if (!runner || mlir::failed(owners_)) return;
    module.walk([&](mlir::func::CallOp call) { numbers_.try_emplace(call, numbers_.size()); });
  }

  /// Nothing for calls of others. What the runner gives.
  std::optional<Result<Values>> run(mlir::func::CallOp call,
                                    std::span<const evaluate::TensorValue> arguments) {
    const auto number = numbers_.find(call);
    if (number == numbers_.end() || !isForeign(regionOf(call))) return std::nullopt;
    std::vector<HostTensor> inputs;
    for (auto [operand, value] : llvm::zip_equal(call.getOperands(), arguments)) {
      if (operand.getDefiningOp<ir::ConstantOp>()) continue;
      inputs.push_back(toHost("input" + std::to_string(inputs.size()), value));
    }
    Result<std::vector<HostTensor>> outputs = runner_(number->second, inputs);
    if (!outputs) return Result<Values>(std::move(outputs).error());
    if (outputs->size() != call.getNumResults())
      return Result<Values>(targetFailed("region '" + call.getCallee().str() + "' gave " +
                                         std::to_string(outputs->size()) + " values, expected " +
                                         std::to_string(call.getNumResults())));
    Values results;
    for (auto [output, type] : llvm::zip_equal(*outputs, call.getResultTypes())) {
      if (!fits(output, llvm::cast<mlir::RankedTensorType>(type)))
        return Result<Values>(targetFailed("region '" + call.getCallee().str() +
                                           "' gave a tensor of another type or shape"));
      results.push_back(toValue(output));
    }
    return Result<Values>(std::move(results));
  }

  /// The same, compared with what the reference gives, which is what it returns. Differences go
  /// into the list.
  std::optional<Result<Values>> compare(mlir::func::CallOp call,
                                        std::span<const evaluate::TensorValue> arguments,
                                        const Module::ResultComparer& whatDiffers,
                                        std::vector<RegionDifference>& differences) {
    const std::optional<Result<Values>> actual = run(call, arguments);
    if (!actual) return std::nullopt;
    std::vector<reference::TensorView> views;
    for (const evaluate::TensorValue& argument : arguments) views.push_back(argument.view());
    auto expected = interpreter::interpret(module_, call.getCallee().str(), views);
    if (!expected) return Result<Values>(std::move(expected).error());
    Values results;
    for (reference::Tensor& tensor : *expected)
      results.push_back(evaluate::shareTensor(std::move(tensor)));
    const std::string what =
        *actual ? whatDiffers(toHosts(**actual), toHosts(results)) : actual->error().message;
    if (!what.empty()) note(regionOf(call), what, differences);
    return Result<Values>(std::move(results));
  }

 private:
  mlir::func::FuncOp regionOf(mlir::func::CallOp call) {
    return module_.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
  }
  bool isForeign(mlir::func::FuncOp region) {
    const backend_api::Owner* owner = region ? owners_->of(region) : nullptr;
    return owner && owner != owners_->host() && !isConversion(region);
  }
  /// Of layouts and memory spaces, which values here do not have.
  static bool isConversion(mlir::func::FuncOp region) {
    return llvm::all_of(region.getBody().front().without_terminator(), [](mlir::Operation& op) {
      return llvm::isa<ir::CopyOp, ir::RelayoutOp>(op);
    });
  }

  void note(mlir::func::FuncOp region, const std::string& what,
            std::vector<RegionDifference>& differences) {
    const auto name = region->getAttrOfType<mlir::StringAttr>(partition::kRegionClass);
    RegionDifference difference{
        .region = region.getName().str(),
        .regionClass = name ? name.str() : "",
        .target = backend_api::fromAttribute(backend_api::ownerOf(region)).toString(),
        .node = partition::firstNodeOf(region),
        .what = what};
    const auto isSame = [&](const RegionDifference& other) {
      return other.regionClass == difference.regionClass && other.target == difference.target;
    };
    if (llvm::none_of(differences, isSame)) differences.push_back(std::move(difference));
  }

  mlir::ModuleOp module_;
  mlir::FailureOr<partition::OwnerIndex> owners_;
  const Module::RegionRunner& runner_;
  llvm::DenseMap<mlir::Operation*, size_t> numbers_;
};

}  // namespace

/// Views of `inputs` in the order of the ports.
static Result<std::vector<reference::TensorView>> viewsOf(const std::vector<PortInfo>& ports,
                                                          std::span<const HostTensor> inputs) {
  TESSERA_TRY(const auto ordered, driver::inModelOrder(ports, inputs));
  std::vector<reference::TensorView> views;
  views.reserve(ordered.size());
  for (const HostTensor* tensor : ordered)
    views.push_back({.type = tensor->type, .shape = tensor->shape, .data = tensor->bytes.data()});
  return views;
}

Result<std::vector<RegionDifference>> Module::compareRegions(std::span<const HostTensor> inputs,
                                                             const RegionRunner& runner,
                                                             const ResultComparer& whatDiffers) {
  TESSERA_TRY(const auto views, viewsOf(this->inputs(), inputs));
  ForeignCalls foreign(state_->module(), runner);
  std::vector<RegionDifference> differences;
  const auto compared = [&](mlir::func::CallOp call,
                            std::span<const evaluate::TensorValue> arguments) {
    return foreign.compare(call, arguments, whatDiffers, differences);
  };
  auto results = interpreter::interpret(state_->module(), ir::kEntryFunction.str(), views,
                                        /*observer=*/nullptr, compared);
  if (!results) return state_->atFile(std::move(results).error());
  return differences;
}

Status Module::exclude(const RegionDifference& difference) {
  if (phase() >= Phase::kPartition)
    return usageError("the module is partitioned; regions are excluded before");
  const auto owners = partition::OwnerIndex::of(state_->module());
  const backend_api::Owner* owner =
      mlir::succeeded(owners) ? owners->findByText(difference.target) : nullptr;
  if (!owner) return usageError("target '" + difference.target + "' is none of the module's");
  partition::addExclusion(state_->module(), {.regionClass = difference.regionClass,
                                             .target = owners->attribute(*owner),
                                             .reason = difference.what,
                                             .node = difference.node});
  return {};
}

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
  TESSERA_TRY(const auto views, viewsOf(this->inputs(), inputs));
  ForeignCalls foreign(state_->module(), runner);
  const auto run = [&](mlir::func::CallOp call, std::span<const evaluate::TensorValue> arguments) {
    return foreign.run(call, arguments);
  };
  auto results = interpreter::interpret(state_->module(), ir::kEntryFunction.str(), views,
                                        /*observer=*/nullptr, run);
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
