// The C ABI of the runtime half. OpenVINO throws: nothing leaves these functions.
#include <charconv>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>

#include "runtime_half/symbol.h"
#include "shared/blob.h"
#include "shared/openvino_model.h"
#include "tessera/backend_runtime.h"

namespace tessera_openvino {

namespace {

/// A blob and the symbols found in it. The blob stays where it is: weights are read there.
struct Instance {
  std::span<const std::byte> blob;
  std::mutex mutex;
  std::vector<std::unique_ptr<Symbol>> symbols;
};

/// Runs `work`; what it throws is why the call fails.
template <typename Work>
int32_t guarded(const tessera_host_services* services, const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    services->log(services->host, TESSERA_LOG_ERROR, sentenceOf(error).c_str());
    return 1;
  }
}

}  // namespace

static int32_t create(void*, const tessera_host_services* services, const void* blob, size_t size,
                      void** instance) {
  return guarded(services, [&] {
    auto made = std::make_unique<Instance>();
    made->blob = {static_cast<const std::byte*>(blob), size};
    numRegionsOf(made->blob);  // It is one.
    *instance = made.release();
  });
}

static void destroy(void* instance) { delete static_cast<Instance*>(instance); }

static int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                          const tessera_signature* signature, void** symbol) {
  return guarded(services, [&] {
    auto& self = *static_cast<Instance*>(instance);
    uint64_t region = 0;
    const char* end = name + std::strlen(name);
    if (std::from_chars(name, end, region).ptr != end)
      throw std::runtime_error("the code has no entry '" + std::string(name) + "'");
    auto made = std::make_unique<Symbol>(self.blob, region, *signature);
    const std::scoped_lock lock(self.mutex);
    *symbol = self.symbols.emplace_back(std::move(made)).get();
  });
}

static int32_t run(void*, const tessera_call* call) {
  return guarded(call->services, [&] { static_cast<State*>(call->state)->run(*call); });
}

static int32_t prepare(void*, const tessera_host_services* services, void* symbol, void** state,
                       uint64_t*) {
  return guarded(services, [&] {
    *state = new State(*static_cast<Symbol*>(symbol), services->num_threads(services->host));
  });
}

static void release(void*, void*, void* state) { delete static_cast<State*>(state); }

}  // namespace tessera_openvino

const tessera_backend_runtime* tessera_backend_entry(void) {
  static const tessera_backend_runtime half = {
      .size = sizeof(tessera_backend_runtime),
      .abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION,
      .name = "openvino",
      .version = TESSERA_OPENVINO_VERSION,
      .create = tessera_openvino::create,
      .destroy = tessera_openvino::destroy,
      .find_symbol = tessera_openvino::findSymbol,
      .run = tessera_openvino::run,
      .prepare = tessera_openvino::prepare,
      .release = tessera_openvino::release,
  };
  return &half;
}
