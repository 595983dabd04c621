// The runtime half of target kind "csource": regions are functions of a shared object,
// format/region_abi.h.
#include <array>
#include <memory>
#include <string>

#include "backends/csource/format/region_abi.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_csource {
namespace {

/// A code blob that is loaded. Symbols are its functions.
struct Instance {
  const tessera_code_loader& loader;
  void* code = nullptr;
};

constexpr uint32_t kMaxArguments = 4096;

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

/// The device is the code loader: there is one host.
int32_t createDevice(const tessera_host_services* services, const tessera_target* target,
                     void** device) {
  if (target->device_number != 0)
    return fail(services,
                std::string("target '") + target->text + "' does not exist, there is one host");
  *device = const_cast<tessera_code_loader*>(target->code_loader);
  return 0;
}

void destroyDevice(void* /*device*/) {}

int32_t create(void* device, const tessera_host_services* services, const void* blob,
               size_t blobSize, void** instance) {
  auto made = std::make_unique<Instance>(
      Instance{.loader = *static_cast<const tessera_code_loader*>(device)});
  const int32_t result = made->loader.load_code(services, blob, blobSize, &made->code);
  if (result == 0) *instance = made.release();
  return result;
}

void destroy(void* instance) {
  if (instance == nullptr) return;
  const std::unique_ptr<Instance> self(static_cast<Instance*>(instance));
  self->loader.unload_code(self->code);
}

int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                   const tessera_signature* signature, void** symbol) {
  auto& self = *static_cast<Instance*>(instance);
  *symbol = self.loader.find_code_symbol(self.code, name);
  if (*symbol == nullptr)
    return fail(services, std::string("compiled C has no function '") + name + "'");
  if (uint64_t{signature->num_inputs} + signature->num_outputs > kMaxArguments)
    return fail(services, std::string("region '") + name + "' has more than " +
                              std::to_string(kMaxArguments) + " inputs and outputs");
  return 0;
}

int32_t run(void* /*instance*/, const tessera_call* call) {
  // Uninitialised on purpose: only the used part is written, and on every call.
  std::array<void*, kMaxArguments> buffers;
  size_t count = 0;
  for (uint32_t i = 0; i < call->num_inputs; ++i) buffers[count++] = call->inputs[i]->data;
  for (uint32_t i = 0; i < call->num_outputs; ++i) buffers[count++] = call->outputs[i]->data;
  const auto region = reinterpret_cast<tessera_csource_region>(call->symbol);
  return region(call->services, buffers.data());
}

}  // namespace
}  // namespace tessera::backend_csource

extern "C" const tessera_backend_runtime* tessera_backend_entry(void) {
  namespace csource = tessera::backend_csource;
  static const tessera_backend_runtime half = [] {
    tessera_backend_runtime table = {};
    table.size = sizeof(table);
    table.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
    table.name = "csource";
    table.version = TESSERA_CSOURCE_VERSION;
    table.create = csource::create;
    table.destroy = csource::destroy;
    table.find_symbol = csource::findSymbol;
    table.run = csource::run;
    table.device_create = csource::createDevice;
    table.device_destroy = csource::destroyDevice;
    return table;
  }();
  return &half;
}
