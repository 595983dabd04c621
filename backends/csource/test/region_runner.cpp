#include "backends/csource/test/region_runner.h"

#include <cstring>

#include "backends/csource/compiler/register.h"
#include "backends/csource/format/region_abi.h"
#include "compiler/evaluate/evaluate.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "compiler/lowering/test/kernel_harness.h"
#include "mlir/Parser/Parser.h"
#include "runtime/backend/code_loader.h"
#include "runtime/backend/load_services.h"

namespace tessera::backend_csource {

using namespace mlir;
using lowering::GuardedMemory;

/// How often a value is rounded on its way to one element of the results: at most once for each
/// operation on it, and a few times in functions such as exp. What moves elements has none.
static int64_t roundingsOf(Operation& op) {
  auto counted = dyn_cast<ir::TsrOpInterface>(op);
  if (!counted || counted.getFlops() <= 0) return 0;
  constexpr int64_t kFunctionRoundings = 8;
  const auto result = cast<RankedTensorType>(op.getResult(0).getType());
  return counted.getFlops() / result.getNumElements() + kFunctionRoundings;
}

/// Whether every operator of the function is taken.
static bool isTaken(func::FuncOp function, const backend_api::Backend& backend,
                    const target::Target& target) {
  return llvm::all_of(function.getBody().front().without_terminator(), [&](Operation& op) {
    return isa<ir::ConstantOp>(op) || backend_api::isSupported(backend.supports(&op, target));
  });
}

Result<std::unique_ptr<RegionRunner>> RegionRunner::compile(const std::string& text,
                                                            const target::Target& target) {
  std::unique_ptr<RegionRunner> runner(new RegionRunner());
  DialectRegistry registry;
  registry.insert<ir::TsrDialect, func::FuncDialect>();
  runner->context_ = std::make_unique<MLIRContext>(registry);
  runner->module_ = parseSourceString<ModuleOp>(text, runner->context_.get());
  if (!runner->module_) return targetFailed("the test's module does not parse");
  const auto backend = createBackend();
  for (auto function : runner->module_->getOps<func::FuncOp>()) {
    if (isTaken(function, *backend, target)) runner->regions_.push_back(function);
  }
  if (runner->regions_.empty()) return runner;
  target::Target strict = target;
  if (const char* keep = std::getenv("TESSERA_KEEP_C"))
    strict.attributes["keep"] = std::string(keep);
  strict.attributes["cflags"] =
      std::string(target.stringOr("cflags", "")) + " -Wall -Wextra -Werror";
  backend_api::CodeCache cache;
  TESSERA_TRY(runner->emission_, backend->emit(*runner->module_, runner->regions_, strict,
                                               {.cache = cache, .progress = {}}));
  const std::vector<std::byte>& code = runner->emission_.blobs[0].bytes;
  runtime::LoadServices services;
  if (runtime::codeLoader().load_code(services.services(), code.data(), code.size(),
                                      &runner->library_) != 0)
    return targetFailed(services.messageOr("cannot load the regions"));
  return runner;
}

RegionRunner::~RegionRunner() {
  if (library_ != nullptr) runtime::codeLoader().unload_code(library_);
}

/// Aligned to its elements only, so that nothing lies between its end and the unreadable page.
static GuardedMemory memoryFor(Type type) {
  const auto tensor = cast<RankedTensorType>(type);
  return {static_cast<size_t>(ir::physicalSizeBytes(tensor)),
          elementSizeBytes(ir::toElementType(tensor.getElementType()))};
}

Result<std::vector<reference::Tensor>> RegionRunner::run(
    size_t i, const std::vector<reference::Tensor>& inputs, int numThreads) const {
  func::FuncOp function = regions_[i];
  const auto& code = std::get<backend_api::RegionCode>(emission_.regions[i]);
  const auto region = reinterpret_cast<tessera_csource_region>(
      runtime::codeLoader().find_code_symbol(library_, code.entry.c_str()));
  if (!region) return targetFailed("no entry '" + code.entry + "'");
  std::vector<GuardedMemory> buffers;
  for (const Type type : function.getArgumentTypes()) buffers.push_back(memoryFor(type));
  for (const Type type : function.getResultTypes()) buffers.push_back(memoryFor(type));
  for (size_t k = 0; k < inputs.size(); ++k)
    std::memcpy(buffers[k].data(), inputs[k].data(), inputs[k].sizeBytes());
  std::vector<void*> pointers;
  pointers.reserve(buffers.size());
  for (const GuardedMemory& buffer : buffers) pointers.push_back(buffer.data());
  lowering::HarnessHost host(numThreads);
  if (region(host.services(), pointers.data()) != 0)
    return targetFailed("the region failed: " + host.refusal);
  if (host.workspaceBytes > code.workspaceBytes)
    return targetFailed("the region asked for more workspace than its code says");
  std::vector<reference::Tensor> results;
  for (auto [k, type] : llvm::enumerate(function.getResultTypes())) {
    const auto tensor = cast<RankedTensorType>(type);
    results.emplace_back(ir::toElementType(tensor.getElementType()), tensor.getShape().vec());
    std::memcpy(results.back().data(), buffers[inputs.size() + k].data(),
                results.back().sizeBytes());
  }
  return results;
}

Result<Expected> RegionRunner::evaluate(size_t i,
                                        const std::vector<reference::Tensor>& inputs) const {
  Expected expected;
  const auto evaluateOne =
      [&](Operation& op,
          const evaluate::Environment& environment) -> Result<std::vector<evaluate::TensorValue>> {
    TESSERA_TRY(const auto operands, evaluate::operandValues(op, environment));
    std::vector<reference::TensorView> views;
    for (const evaluate::TensorValue& operand : operands) views.push_back(operand.view());
    TESSERA_TRY(auto tensors, evaluate::evaluateOperation(op, views));
    expected.roundings += roundingsOf(op);
    std::vector<evaluate::TensorValue> results;
    for (reference::Tensor& tensor : tensors)
      results.push_back(evaluate::shareTensor(std::move(tensor)));
    return results;
  };
  std::vector<evaluate::TensorValue> arguments;
  for (const reference::Tensor& input : inputs) {
    arguments.push_back(
        {.type = input.type(), .shape = input.shape(), .data = input.data(), .owner = nullptr});
  }
  func::FuncOp function = regions_[i];
  TESSERA_TRY(const auto values,
              evaluate::evaluateBlock(function.getBody().front(), std::move(arguments), nullptr,
                                      evaluateOne));
  for (const evaluate::TensorValue& value : values)
    expected.tensors.push_back(evaluate::copyTensor(value));
  return expected;
}

}  // namespace tessera::backend_csource
