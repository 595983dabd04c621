#include "backends/native/test/kernel_runner.h"

#include <cstring>

#include "backends/native/compiler/register.h"
#include "backends/native/format/kernel_abi.h"
#include "backends/native/test/kernel_roundings.h"
#include "compiler/evaluate/evaluate.h"
#include "compiler/evaluate/relayout.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "mlir/Parser/Parser.h"
#include "runtime/backend/load_services.h"

namespace tessera::backend_native {

using namespace mlir;

/// Keeps the diagnostics of a context while it lives.
class DiagnosticText {
 public:
  explicit DiagnosticText(MLIRContext* context)
      : handler_(context, [this](Diagnostic& diagnostic) {
          llvm::raw_string_ostream(text_)
              << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
        }) {}
  Error error(const std::string& what) const { return targetFailed(what + ": " + text_); }

 private:
  std::string text_;
  ScopedDiagnosticHandler handler_;
};

Result<std::unique_ptr<KernelRunner>> KernelRunner::compile(const std::string& text,
                                                            const std::string& mcpu) {
  const auto backend = createBackend();
  const target::Target target{.kind = "native", .attributes = {{"mcpu", mcpu}}};
  std::unique_ptr<KernelRunner> runner(new KernelRunner());
  DialectRegistry registry;
  registry.insert<ir::TsrDialect, func::FuncDialect>();
  backend->registerDialects(registry);
  runner->context_ = std::make_unique<MLIRContext>(registry);
  MLIRContext* context = runner->context_.get();
  const DiagnosticText diagnostics(context);
  runner->module_ = parseSourceString<ModuleOp>(text, context);
  if (!runner->module_) return diagnostics.error("the test's module does not parse");
  std::vector<func::FuncOp> regions;
  for (auto function : runner->module_->getOps<func::FuncOp>()) {
    function->setAttr(backend_api::kTargetAttribute, backend_api::toAttribute(context, target));
    regions.push_back(function);
  }
  PassManager manager(context);
  backend->addPasses(target::Phase::kLower, target::HookPoint::kAfter, manager, target);
  backend->addPasses(target::Phase::kOptimize, target::HookPoint::kAfter, manager, target);
  if (failed(manager.run(*runner->module_))) return diagnostics.error("the passes failed");
  backend_api::CodeCache cache;
  TESSERA_TRY(runner->emission_,
              backend->emit(*runner->module_, regions, target, {.cache = cache, .progress = {}}));
  const std::vector<std::byte>& code = runner->library();
  runtime::LoadServices services;
  void* loaded = nullptr;
  if (runtime::codeLoader().load_code(services.services(), code.data(), code.size(), &loaded) != 0)
    return targetFailed(services.messageOr("cannot load the kernels"));
  runner->library_.reset(loaded);
  return runner;
}

KernelRunner::~KernelRunner() = default;

std::vector<std::string> KernelRunner::regions() {
  std::vector<std::string> names;
  for (auto function : module_->getOps<func::FuncOp>()) names.push_back(function.getName().str());
  return names;
}

/// Memory of a value: physical order of its type.
static std::vector<std::byte> toMemory(const reference::Tensor& tensor, RankedTensorType type) {
  const auto* data = static_cast<const std::byte*>(tensor.data());
  const std::span<const std::byte> bytes(data, tensor.sizeBytes());
  if (ir::isPlain(type)) return {bytes.begin(), bytes.end()};
  return evaluate::relayout(bytes, ir::withoutLayout(type), type);
}

static reference::Tensor fromMemory(const ValueMemory& memory, RankedTensorType type) {
  reference::Tensor tensor(ir::toElementType(type.getElementType()), memory.shape);
  std::span<const std::byte> bytes = memory.bytes;
  std::vector<std::byte> plain;
  if (!ir::isPlain(type)) {
    plain = evaluate::relayout(bytes, type, ir::withoutLayout(type));
    bytes = plain;
  }
  if (tensor.sizeBytes() > 0) std::memcpy(tensor.data(), bytes.data(), tensor.sizeBytes());
  return tensor;
}

using lowering::GuardedMemory;

/// Memory of a value of type `type`. As the ABI allows, it is aligned to its elements only, so that
/// nothing lies between its end and the unreadable page.
static GuardedMemory memoryFor(RankedTensorType type, size_t sizeBytes) {
  return {sizeBytes, elementSizeBytes(ir::toElementType(type.getElementType()))};
}

Result<std::vector<reference::Tensor>> KernelRunner::run(
    const std::string& name, const std::vector<reference::Tensor>& inputs, int numThreads) {
  const FunctionType type = region(name).getFunctionType();
  std::vector<ValueMemory> memory;
  for (auto [input, tensor] : llvm::zip_equal(inputs, type.getInputs()))
    memory.push_back(
        {.shape = input.shape(), .bytes = toMemory(input, cast<RankedTensorType>(tensor))});
  TESSERA_TRY(const std::vector<ValueMemory> outputs, runOnMemory(name, memory, numThreads));
  std::vector<reference::Tensor> results;
  for (auto [output, tensor] : llvm::zip_equal(outputs, type.getResults()))
    results.push_back(fromMemory(output, cast<RankedTensorType>(tensor)));
  return results;
}

Result<std::vector<ValueMemory>> KernelRunner::runOnMemory(const std::string& name,
                                                           const std::vector<ValueMemory>& inputs,
                                                           int numThreads) {
  func::FuncOp function = region(name);
  const std::vector<std::string> names = regions();
  const auto answer = std::ranges::find(names, name) - names.begin();
  const auto* code = std::get_if<backend_api::RegionCode>(&emission_.regions.at(answer));
  if (!code) return targetFailed("region '" + name + "' was refused");
  const std::string& entry = code->entry;
  const auto kernel = reinterpret_cast<tessera_native_kernel>(
      runtime::codeLoader().find_code_symbol(library_.get(), entry.c_str()));
  if (!kernel) return targetFailed("no entry '" + entry + "'");
  std::vector<GuardedMemory> buffers;
  std::vector<int64_t> sizes;
  for (auto [input, type] : llvm::zip_equal(inputs, function.getArgumentTypes())) {
    const auto tensor = cast<RankedTensorType>(type);
    const GuardedMemory& buffer = buffers.emplace_back(memoryFor(tensor, input.bytes.size()));
    if (!input.bytes.empty()) std::memcpy(buffer.data(), input.bytes.data(), input.bytes.size());
    for (int64_t d = 0; d < tensor.getRank(); ++d) {
      if (tensor.isDynamicDim(d)) sizes.push_back(input.shape[d]);
    }
  }
  std::vector<int> outputBuffer;
  for (const Type type : function.getResultTypes()) {
    const auto tensor = cast<RankedTensorType>(type);
    const int64_t bytes = ir::physicalSizeBytes(tensor);
    outputBuffer.push_back(bytes < 0 ? -1 : static_cast<int>(buffers.size()));
    if (bytes >= 0) buffers.push_back(memoryFor(tensor, static_cast<size_t>(bytes)));
  }
  std::vector<void*> pointers;
  pointers.reserve(inputs.size() + outputBuffer.size());
  for (size_t i = 0; i < inputs.size(); ++i) pointers.push_back(buffers[i].data());
  for (const int index : outputBuffer)
    pointers.push_back(index < 0 ? nullptr : buffers[index].data());
  lowering::HarnessHost host(numThreads);
  for (const Type type : function.getResultTypes()) {
    const Type element = cast<RankedTensorType>(type).getElementType();
    host.elementBytes.push_back(elementSizeBytes(ir::toElementType(element)));
  }
  std::vector<GuardedMemory> prepared;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string number = std::to_string(i);
    const auto* bytes = static_cast<const int64_t*>(runtime::codeLoader().find_code_symbol(
        library_.get(), (entry + "_prepared_" + number).c_str()));
    if (!bytes) continue;
    const auto prepare =
        reinterpret_cast<tessera_native_kernel>(runtime::codeLoader().find_code_symbol(
            library_.get(), (entry + "_prepare_" + number).c_str()));
    const GuardedMemory& memory =
        prepared.emplace_back(static_cast<size_t>(*bytes), TESSERA_BUFFER_ALIGNMENT);
    void* const pair[] = {pointers[i], memory.data()};
    if (prepare(host.services(), pair, nullptr) != 0)
      return targetFailed("input " + number + " cannot be prepared");
    pointers[i] = memory.data();
  }
  if (kernel(host.services(), pointers.data(), sizes.data()) != 0)
    return targetFailed("the kernel failed: " + host.refusal);
  if (host.liveAllocations != 0) return targetFailed("the kernel did not release all temporaries");
  std::vector<ValueMemory> results;
  for (size_t i = 0; i < outputBuffer.size(); ++i) {
    const bool isGiven = outputBuffer[i] >= 0;
    const auto bytes = isGiven ? buffers[outputBuffer[i]].bytes() : host.outputs[i].memory.bytes();
    const auto type = cast<RankedTensorType>(function.getResultTypes()[i]);
    results.push_back({.shape = isGiven ? type.getShape().vec() : host.outputs[i].dims,
                       .bytes = {bytes.begin(), bytes.end()}});
  }
  return results;
}

Result<Evaluation> KernelRunner::evaluate(const std::string& name,
                                          const std::vector<reference::Tensor>& inputs) {
  Evaluation evaluation;
  const auto evaluateOne =
      [&](Operation& op,
          const evaluate::Environment& environment) -> Result<std::vector<evaluate::TensorValue>> {
    std::vector<evaluate::TensorValue> results;
    if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
      TESSERA_TRY(evaluate::TensorValue value, evaluate::constantTensor(constant));
      results.push_back(std::move(value));
      return results;
    }
    TESSERA_TRY(const auto operands, evaluate::operandValues(op, environment));
    std::vector<reference::TensorView> views;
    views.reserve(operands.size());
    for (const evaluate::TensorValue& operand : operands) views.push_back(operand.view());
    TESSERA_TRY(auto tensors, evaluate::evaluateOperation(op, views));
    std::vector<reference::TensorView> resultViews;
    resultViews.reserve(tensors.size());
    for (const reference::Tensor& tensor : tensors) resultViews.push_back(tensor.view());
    evaluation.roundings += roundingsOf(op, views, resultViews);
    for (reference::Tensor& tensor : tensors)
      results.push_back(evaluate::shareTensor(std::move(tensor)));
    return results;
  };
  std::vector<evaluate::TensorValue> arguments;
  arguments.reserve(inputs.size());
  for (const reference::Tensor& input : inputs) {
    arguments.push_back(
        {.type = input.type(), .shape = input.shape(), .data = input.data(), .owner = nullptr});
  }
  TESSERA_TRY(const auto values,
              evaluate::evaluateBlock(region(name).getBody().front(), std::move(arguments), nullptr,
                                      evaluateOne));
  for (const evaluate::TensorValue& value : values)
    evaluation.tensors.push_back(evaluate::copyTensor(value));
  return evaluation;
}

}  // namespace tessera::backend_native
