// The runtime half: region graphs as programs of oneDNN primitives.
#include <exception>
#include <memory>
#include <string>

#include "backends/onednn/runtime/builder.h"
#include "region_graph/signature.h"

extern "C" {
// Of libgomp, for the calling thread; oneDNN bakes the number in when a primitive is made.
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}

namespace tessera::backend_onednn {
namespace {

/// The calling thread has the services' number of threads while this lives.
class ThreadScope {
 public:
  explicit ThreadScope(const tessera_host_services& services) : before_(omp_get_max_threads()) {
    omp_set_num_threads(services.num_threads(services.host));
  }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  ~ThreadScope() { omp_set_num_threads(before_); }

 private:
  int before_;
};

/// A region at one call site.
struct Symbol {
  const region_graph::GraphT* graph = nullptr;
  std::unique_ptr<Constants> constants;
};

struct Instance {
  dnnl::engine engine;
  std::unique_ptr<region_graph::ProgramT> program;
  std::vector<std::unique_ptr<Symbol>> symbols;
};

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

/// Runs `body`, which may throw what oneDNN's C++ interface throws.
template <typename Body>
int32_t guarded(const tessera_host_services* services, const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return fail(services, std::string("oneDNN: ") + error.what());
  }
}

int32_t create(void*, const tessera_host_services* services, const void* blob, size_t size,
               void** instance) {
  return guarded(services, [&] {
    auto program = region_graph::readProgram({static_cast<const std::byte*>(blob), size});
    if (!program) return fail(services, program.error().message);
    *instance = new Instance{.engine = dnnl::engine(dnnl::engine::kind::cpu, 0),
                             .program = std::move(*program),
                             .symbols = {}};
    return 0;
  });
}
void destroy(void* instance) { delete static_cast<Instance*>(instance); }

int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                   const tessera_signature* signature, void** symbol) {
  return guarded(services, [&] {
    auto& self = *static_cast<Instance*>(instance);
    const region_graph::GraphT* graph = findGraph(*self.program, name);
    if (graph == nullptr) return fail(services, "there is no region '" + std::string(name) + "'");
    if (const std::string why = whyUnfit(*graph, *signature); !why.empty())
      return fail(services, why);
    auto made = std::make_unique<Symbol>();
    made->graph = graph;
    made->constants = std::make_unique<Constants>(*graph);
    *symbol = self.symbols.emplace_back(std::move(made)).get();
    return 0;
  });
}

int32_t build(const Instance& self, const Symbol& symbol, const tessera_host_services* services,
              std::unique_ptr<Program>& program) {
  const ThreadScope threads(*services);
  auto built = Builder(*symbol.graph, *symbol.constants, self.engine).build();
  if (!built) return fail(services, built.error().message);
  program = std::move(*built);
  return 0;
}

/// Builds once, for whatever number of threads: what that packs all contexts share. A constant that
/// is read in no other form has been copied for good.
int32_t prepareConstants(void* instance, const tessera_host_services* services, void* symbol,
                         const tessera_dltensor* const* inputs, uint32_t numInputs,
                         uint8_t* released) {
  return guarded(services, [&] {
    auto& self = *static_cast<Symbol*>(symbol);
    for (uint32_t i = 0; i < numInputs; ++i) {
      if (inputs[i] != nullptr) self.constants->setArgument(i, inputs[i]->data);
    }
    std::unique_ptr<Program> program;
    if (build(*static_cast<const Instance*>(instance), self, services, program) != 0) return 1;
    for (uint32_t i = 0; i < numInputs; ++i) {
      if (inputs[i] == nullptr || program->readsInput(i)) continue;
      self.constants->release(self.graph->arguments[i]);
      released[i] = 1;
    }
    return 0;
  });
}

int32_t prepare(void* instance, const tessera_host_services* services, void* symbol, void** state,
                uint64_t* workspaceBytes) {
  return guarded(services, [&] {
    std::unique_ptr<Program> program;
    const auto& self = *static_cast<const Symbol*>(symbol);
    if (build(*static_cast<const Instance*>(instance), self, services, program) != 0) return 1;
    *workspaceBytes = program->workspaceBytes();
    *state = program.release();
    return 0;
  });
}
void release(void*, void*, void* state) { delete static_cast<Program*>(state); }

int32_t run(void*, const tessera_call* call) {
  const tessera_host_services* services = call->services;
  auto& program = *static_cast<Program*>(call->state);
  void* workspace = services->workspace(services->host, program.workspaceBytes());
  if (workspace == nullptr) return fail(services, "memory is short");
  const ThreadScope threads(*services);
  const int status = program.run(*call, workspace);
  return status == 0
             ? 0
             : fail(services, "oneDNN: a primitive failed, status " + std::to_string(status));
}

}  // namespace
}  // namespace tessera::backend_onednn

const tessera_backend_runtime* tessera_backend_entry() {
  using namespace tessera::backend_onednn;
  static const tessera_backend_runtime half = [] {
    tessera_backend_runtime made = {};
    made.size = sizeof(made);
    made.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
    made.name = "onednn";
    made.version = "1";
    made.create = create;
    made.destroy = destroy;
    made.find_symbol = findSymbol;
    made.prepare_constants = prepareConstants;
    made.prepare = prepare;
    made.release = release;
    made.run = run;
    return made;
  }();
  return &half;
}
