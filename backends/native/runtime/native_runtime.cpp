// The runtime half of target kind "native": kernels are functions of a shared object,
// format/kernel_abi.h.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "backends/native/format/kernel_abi.h"
#include "backends/native/runtime/shared_object.h"
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

struct Instance {
  SharedObject code;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

int32_t fail(const tessera_host_services* services, const std::string& message) {
  services->log(services->host, TESSERA_LOG_ERROR, message.c_str());
  return 1;
}

int32_t create(const tessera_host_services* services, const void* blob, size_t blobSize,
               void** instance) {
  auto code = SharedObject::load({static_cast<const std::byte*>(blob), blobSize});
  if (!code) return fail(services, code.error().message);
  *instance = new Instance{.code = std::move(*code), .kernels = {}};
  return 0;
}

void destroy(void* instance) { delete static_cast<Instance*>(instance); }

int32_t findSymbol(void* instance, const tessera_host_services* services, const char* name,
                   const tessera_signature* signature, void** symbol) {
  auto& self = *static_cast<Instance*>(instance);
  auto kernel = std::make_unique<Kernel>();
  kernel->function = reinterpret_cast<tessera_native_kernel>(self.code.find(name));
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

extern "C" const tessera_backend_runtime* tessera_backend_native_runtime(void) {
  namespace native = tessera::backend_native;
  static const tessera_backend_runtime half = {.size = sizeof(tessera_backend_runtime),
                                               .abi_version = TESSERA_BACKEND_RUNTIME_ABI_VERSION,
                                               .name = "native",
                                               .create = native::create,
                                               .destroy = native::destroy,
                                               .find_symbol = native::findSymbol,
                                               .run = native::run,
                                               .prepare_constants = nullptr,
                                               .infer_shapes = nullptr,
                                               .space_alloc = nullptr,
                                               .space_free = nullptr,
                                               .copy_in = nullptr,
                                               .copy_out = nullptr,
                                               .copy_peer = nullptr};
  return &half;
}
