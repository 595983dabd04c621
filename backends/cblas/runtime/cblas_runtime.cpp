// The runtime half: reads region graphs of one product each.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backends/cblas/runtime/product.h"
#include "region_graph/signature.h"

namespace tessera::backend_cblas {
namespace {

/// What a product reads and writes: positions among the call's inputs.
struct Symbol {
  Product product;
  std::vector<int32_t> inputs;
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
  std::vector<int32_t> inputs = operators[0]->inputs;
  if (hasBias) {
    const std::vector<int32_t>& addends = operators[1]->inputs;
    inputs.push_back(addends[addends[0] == operators[0]->outputs[0] ? 1 : 0]);
  }
  TESSERA_TRY(Product product,
              Product::of(graph, *operators[0], hasBias ? inputs[2] : region_graph::kAbsent));
  Symbol symbol{.product = std::move(product), .inputs = {}};
  for (const int32_t input : inputs) {
    const auto found = std::ranges::find(graph.arguments, input);
    if (found == graph.arguments.end())
      return invalidInput("region graph '" + graph.name + "' multiplies what is no argument");
    symbol.inputs.push_back(static_cast<int32_t>(found - graph.arguments.begin()));
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
  const auto input = [&](size_t i) -> const void* {
    return i < symbol.inputs.size() ? call->inputs[symbol.inputs[i]]->data : nullptr;
  };
  run(symbol.product, *static_cast<const Instance*>(instance)->library, *call->services, input(0),
      input(1), input(2), call->outputs[0]->data);
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
