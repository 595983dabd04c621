// The runtime half of target kind "native": kernels are functions of a shared object,
// format/kernel_abi.h.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "backends/native/format/kernel_abi.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_native {
namespace {

/// A dimension whose value the kernel gets at run time.
struct OpenDim {
  uint32_t input;
  uint32_t dim;
};

/// A kernel at one call site.
struct Kernel {
  tessera_native_kernel function = nullptr;
  std::vector<OpenDim> openDims;
};

/// A code blob that is loaded.
struct Instance {
  const tessera_code_loader& loader;
  void* code = nullptr;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

/// The device is the code loader: there is one host, and kernels know its CPU.
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
  auto made = std::make_unique<Instance>(Instance{
      .loader = *static_cast<const tessera_code_loader*>(device), .code = nullptr, .kernels = {}});
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
  auto kernel = std::make_unique<Kernel>();
  kernel->function =
      reinterpret_cast<tessera_native_kernel>(self.loader.find_code_symbol(self.code, name));
  if (kernel->function == nullptr)
    return fail(services, std::string("native code has no symbol '") + name + "'");
  for (uint32_t input = 0; input < signature->num_inputs; ++input) {
    const tessera_argument_type& type = *signature->inputs[input];
    for (int32_t dim = 0; dim < type.rank; ++dim) {
      if (type.dims[dim] == -1) kernel->openDims.push_back({input, static_cast<uint32_t>(dim)});
    }
  }
  const size_t numArguments = size_t{signature->num_inputs} + signature->num_outputs;
  if (numArguments > TESSERA_NATIVE_MAX_ARGUMENTS ||
      kernel->openDims.size() > TESSERA_NATIVE_MAX_ARGUMENTS) {
    return fail(services, std::string("native kernel '") + name + "' has " +
                              std::to_string(numArguments) + " arguments and " +
                              std::to_string(kernel->openDims.size()) +
                              " open dimensions, at most " +
                              std::to_string(TESSERA_NATIVE_MAX_ARGUMENTS) + " are supported");
  }
  *symbol = kernel.get();
  self.kernels.push_back(std::move(kernel));
  return 0;
}

int32_t run(void* /*instance*/, const tessera_call* call) {
  const Kernel& kernel = *static_cast<const Kernel*>(call->symbol);
  // Uninitialised on purpose: only the used part is written, and on every call.
  std::array<void*, TESSERA_NATIVE_MAX_ARGUMENTS> buffers;
  std::array<int64_t, TESSERA_NATIVE_MAX_ARGUMENTS> sizes;
  size_t count = 0;
  for (uint32_t i = 0; i < call->num_inputs; ++i) buffers[count++] = call->inputs[i]->data;
  for (uint32_t i = 0; i < call->num_outputs; ++i) buffers[count++] = call->outputs[i]->data;
  count = 0;
  for (const OpenDim& open : kernel.openDims)
    sizes[count++] = call->inputs[open.input]->shape[open.dim];
  return kernel.function(call->services, buffers.data(), sizes.data());
}

}  // namespace
}  // namespace tessera::backend_native

extern "C" const tessera_backend_runtime* tessera_backend_entry(void) {
  namespace native = tessera::backend_native;
  static const tessera_backend_runtime half = [] {
    tessera_backend_runtime table = {};
    table.size = sizeof(table);
    table.abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION;
    table.name = "native";
    table.version = TESSERA_NATIVE_VERSION;
    table.create = native::create;
    table.destroy = native::destroy;
    table.find_symbol = native::findSymbol;
    table.run = native::run;
    table.device_create = native::createDevice;
    table.device_destroy = native::destroyDevice;
    return table;
  }();
  return &half;
}
