// The runtime half: reads region graphs of one product each.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cblas/runtime/product.h"
#include "region_graph/signature.h"

namespace tessera::backend_cblas {
namespace {

/// What a product reads: one of the call's inputs, or a constant of the region graph.
struct Operand {
  std::optional<size_t> input;
  const void* constant = nullptr;
};

struct Symbol {
  Product product;
  std::vector<Operand> operands;
};

struct Instance {
  const Library* library = nullptr;
  std::unique_ptr<region_graph::ProgramT> program;
  std::vector<std::unique_ptr<Symbol>> symbols;
};

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

int32_t deviceCreate(const tessera_host_services* services, const tessera_target* target,
                     void** device) {
  const std::string named = libraryPathOf(target->text);
  auto library = loadLibrary(named.empty() ? TESSERA_OPENBLAS : named);
  if (!library) return fail(services, library.error().message);
  *device = library->release();
  return 0;
}
void deviceDestroy(void* device) { delete static_cast<Library*>(device); }

int32_t create(void* device, const tessera_host_services* services, const void* blob, size_t size,
               void** instance) {
  auto program = region_graph::readProgram({static_cast<const std::byte*>(blob), size});
  if (!program) return fail(services, program.error().message);
  *instance = new Instance{.library = static_cast<const Library*>(device),
                           .program = std::move(*program),
                           .symbols = {}};
  return 0;
}
void destroy(void* instance) { delete static_cast<Instance*>(instance); }

Result<Operand> operandOf(const region_graph::GraphT& graph, int32_t index) {
  const auto found = std::ranges::find(graph.arguments, index);
  if (found != graph.arguments.end())
    return Operand{.input = static_cast<size_t>(found - graph.arguments.begin())};
  if (index != region_graph::kAbsent) {
    const region_graph::TensorT& tensor = *graph.tensors[static_cast<size_t>(index)];
    if (!tensor.data.empty() || numElements(tensor) == 0)
      return Operand{.input = {}, .constant = tensor.data.data()};
  }
  return invalidInput("region graph '" + graph.name + "' multiplies what it does not have");
}

Result<Symbol> makeSymbol(const region_graph::GraphT& graph) {
  const auto& operators = graph.operators;
  const auto sizes = [&](size_t op) {
    return graph.tensors[static_cast<size_t>(operators[op]->outputs.front())]->dims;
  };
  const bool hasBias = operators.size() == 2 && operators[1]->name == "add" &&
                       operators[1]->group == operators[0]->group &&
                       operators[0]->inputs.size() == 2 && sizes(0) == sizes(1);
  if ((operators.size() != 1 && !hasBias) || graph.results != operators.back()->outputs)
    return invalidInput("region graph '" + graph.name + "' is not one product");
  std::vector<int32_t> tensors = operators[0]->inputs;
  if (hasBias) {
    const std::vector<int32_t>& addends = operators[1]->inputs;
    tensors.push_back(addends[addends[0] == operators[0]->outputs[0] ? 1 : 0]);
  }
  TESSERA_TRY(Product product,
              Product::of(graph, *operators[0], hasBias ? tensors[2] : region_graph::kAbsent));
  Symbol symbol{.product = std::move(product), .operands = {}};
  for (const int32_t tensor : tensors) {
    TESSERA_TRY(const Operand operand, operandOf(graph, tensor));
    symbol.operands.push_back(operand);
  }
  return symbol;
}

int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                   const tessera_signature* signature, void** symbol) {
  auto& self = *static_cast<Instance*>(instance);
  const region_graph::GraphT* graph = findGraph(*self.program, name);
  if (graph == nullptr) return fail(services, "there is no region '" + std::string(name) + "'");
  if (const std::string why = whyUnfit(*graph, *signature); !why.empty())
    return fail(services, why);
  auto made = makeSymbol(*graph);
  if (!made) return fail(services, made.error().message);
  *symbol = self.symbols.emplace_back(std::make_unique<Symbol>(std::move(*made))).get();
  return 0;
}

int32_t run(void* instance, const tessera_call* call) {
  const auto& symbol = *static_cast<const Symbol*>(call->symbol);
  const auto read = [&](size_t i) -> const void* {
    if (i >= symbol.operands.size()) return nullptr;
    const Operand& operand = symbol.operands[i];
    return operand.input ? call->inputs[*operand.input]->data : operand.constant;
  };
  run(symbol.product, *static_cast<const Instance*>(instance)->library, *call->services, read(0),
      read(1), read(2), call->outputs[0]->data);
  return 0;
}

}  // namespace
}  // namespace tessera::backend_cblas

const tessera_backend_runtime* tessera_backend_entry() {
  using namespace tessera::backend_cblas;
  static const tessera_backend_runtime half = [] {
    tessera_backend_runtime made = {};
    made.size = sizeof(made);
    made.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
    made.name = "cblas";
    made.version = "1";
    made.device_create = deviceCreate;
    made.device_destroy = deviceDestroy;
    made.create = create;
    made.destroy = destroy;
    made.find_symbol = findSymbol;
    made.run = run;
    return made;
  }();
  return &half;
}
