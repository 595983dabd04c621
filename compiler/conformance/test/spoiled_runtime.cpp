// The runtime halves: they evaluate the text of a region, and spoil what comes out.
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "compiler/conformance/expected.h"
#include "compiler/conformance/test/spoiled_backend.h"
#include "compiler/evaluate/relayout.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "mlir/Parser/Parser.h"

namespace tessera::backend_spoiled {
namespace {

using namespace mlir;
using reference::Tensor;

/// How many instances there are, for the half that is wrong when it is loaded twice.
std::atomic<int> numInstances = 0;

struct Instance {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::string fault;
  bool isSecond = false;
  std::map<void*, size_t> numRuns;  ///< Of each symbol.
  std::mutex lock;                  ///< Of the context and of numRuns.
};

int32_t create(void*, const tessera_host_services*, const void* blob, size_t size,
               void** instance) {
  auto* self = new Instance();
  self->context.loadDialect<ir::TsrDialect, func::FuncDialect>();
  const std::string code(static_cast<const char*>(blob), size);
  const StringRef text = code;  // With a zero behind it, as the parser wants.
  self->module = parseSourceString<ModuleOp>(text, &self->context);
  self->fault = text.drop_front(3).take_until([](char c) { return c == '\n'; }).str();
  self->isSecond = numInstances++ > 0;
  *instance = self;
  return self->module ? 0 : 1;
}

void destroy(void* instance) {
  if (instance != nullptr) --numInstances;
  delete static_cast<Instance*>(instance);
}

int32_t findSymbol(void* instance, const tessera_host_services*, const char* name,
                   const tessera_signature*, void** symbol) {
  auto function = static_cast<Instance*>(instance)->module->lookupSymbol<func::FuncOp>(name);
  *symbol = function.getOperation();
  return function ? 0 : 1;
}

using Bytes = std::vector<std::byte>;

RankedTensorType tensorOf(Type type) { return cast<RankedTensorType>(type); }

Tensor inputOf(const tessera_dltensor& tensor, RankedTensorType type) {
  Tensor result(ir::toElementType(type.getElementType()), type.getShape().vec());
  const auto* data = static_cast<const std::byte*>(tensor.data);
  Bytes bytes(data, data + ir::physicalSizeBytes(type));
  if (!ir::isPlain(type)) bytes = evaluate::relayout(bytes, type, ir::withoutLayout(type));
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

/// Makes an element another one.
void spoil(Bytes& bytes, size_t at, size_t elementBytes) {
  if ((at + 1) * elementBytes <= bytes.size()) bytes[(at + 1) * elementBytes - 1] ^= std::byte{1};
}

/// Ones in the padding of blocks of f32.
void dirty(Bytes& memory, RankedTensorType type) {
  std::vector<float> ones(static_cast<size_t>(type.getNumElements()), 1.0F);
  const auto* data = reinterpret_cast<const std::byte*>(ones.data());
  const Bytes isElement =
      evaluate::relayout({data, ones.size() * sizeof(float)}, ir::withoutLayout(type), type);
  for (size_t at = 0; at < memory.size(); at += sizeof(float)) {
    float one = 0;
    std::memcpy(&one, isElement.data() + at, sizeof one);
    if (one == 0) memory[at + 3] = std::byte{0x3F};
  }
}

/// Whether a range but the first was given to a thread.
bool isShared(const tessera_host_services* services) {
  bool isSecond = false;
  services->parallel_for(
      services->host, 2,
      [](void* seen, int64_t begin, int64_t) {
        if (begin > 0) *static_cast<bool*>(seen) = true;
      },
      &isSecond);
  return isSecond;
}

void write(Instance& self, const tessera_call* call, uint32_t index, const Tensor& tensor,
           RankedTensorType type) {
  const auto* data = static_cast<const std::byte*>(tensor.data());
  Bytes bytes(data, data + tensor.sizeBytes());
  const size_t elementBytes = elementSizeBytes(tensor.type());
  const auto count = static_cast<size_t>(tensor.count());
  if (self.fault == "last_lane" && count % 8 != 0) spoil(bytes, count - 1, elementBytes);
  if (self.fault == "second_thread" && isShared(call->services)) spoil(bytes, 0, elementBytes);
  if (self.fault == "second_output" && index == 1) spoil(bytes, 0, elementBytes);
  if (self.fault == "second_load" && self.isSecond) spoil(bytes, 0, elementBytes);
  // The last bit: within the tolerance of what rounds at all.
  if (self.fault == "bits" && tensor.type() == ElementType::kF32 && count > 0 &&
      self.numRuns[call->symbol] % 2 == 1)
    bytes[0] ^= std::byte{1};
  if (!ir::isPlain(type)) {
    bytes = evaluate::relayout(bytes, ir::withoutLayout(type), type);
    if (self.fault == "padding") dirty(bytes, type);
  }
  if (!bytes.empty()) std::memcpy(call->outputs[index]->data, bytes.data(), bytes.size());
}

int32_t run(void* instance, const tessera_call* call) {
  auto& self = *static_cast<Instance*>(instance);
  const std::lock_guard hold(self.lock);
  auto function = cast<func::FuncOp>(static_cast<Operation*>(call->symbol));
  std::vector<Tensor> inputs;
  std::vector<reference::TensorView> views;
  for (uint32_t i = 0; i < call->num_inputs; ++i)
    inputs.push_back(inputOf(*call->inputs[i], tensorOf(function.getArgumentTypes()[i])));
  for (const Tensor& input : inputs) views.push_back(input.view());
  const auto expected = conformance::evaluateFunction(function, views);
  if (!expected) {
    call->services->log(call->services->host, TESSERA_LOG_ERROR, expected.error().message.c_str());
    return 1;
  }
  for (uint32_t i = 0; i < call->num_outputs; ++i)
    write(self, call, i, expected->outputs[i], tensorOf(function.getResultTypes()[i]));
  ++self.numRuns[call->symbol];
  return 0;
}

tessera_backend_runtime makeHalf(const char* name) {
  tessera_backend_runtime half = {};
  half.size = sizeof(half);
  half.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
  half.name = name;
  half.version = "1";
  half.create = create;
  half.destroy = destroy;
  half.find_symbol = findSymbol;
  half.run = run;
  return half;
}

}  // namespace

const tessera_backend_runtime& runtimeHalf() {
  static const tessera_backend_runtime half = makeHalf("spoiled");
  return half;
}

}  // namespace tessera::backend_spoiled

namespace tessera::backend_upright {

const tessera_backend_runtime& runtimeHalf() {
  static const tessera_backend_runtime half = backend_spoiled::makeHalf("upright");
  return half;
}

}  // namespace tessera::backend_upright
