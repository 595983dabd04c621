// The runtime half of target kind "native": kernels are functions of a shared object,
// format/kernel_abi.h.
#include <array>
#include <cstdlib>
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

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

/// An input that the kernel reads in a form of its own.
struct Preparation {
  uint32_t input = 0;
  size_t bytes = 0;
  tessera_native_kernel function = nullptr;
  std::unique_ptr<void, FreeMemory> constant;  ///< That form, where the input is a constant.
};

/// A kernel at one call site.
struct Kernel {
  tessera_native_kernel function = nullptr;
  std::vector<OpenDim> openDims;
  std::vector<Preparation> preparations;
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

std::vector<Preparation> findPreparations(const Instance& self, const std::string& name,
                                          uint32_t numInputs) {
  std::vector<Preparation> found;
  for (uint32_t input = 0; input < numInputs; ++input) {
    const std::string number = std::to_string(input);
    const auto* bytes = static_cast<const int64_t*>(
        self.loader.find_code_symbol(self.code, (name + "_prepared_" + number).c_str()));
    if (bytes == nullptr) continue;
    found.push_back(
        {.input = input,
         .bytes = static_cast<size_t>(*bytes),
         .function = reinterpret_cast<tessera_native_kernel>(
             self.loader.find_code_symbol(self.code, (name + "_prepare_" + number).c_str())),
         .constant = nullptr});
  }
  return found;
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
  kernel->preparations = findPreparations(self, name, signature->num_inputs);
  *symbol = kernel.get();
  self.kernels.push_back(std::move(kernel));
  return 0;
}

int32_t prepareConstants(void* /*instance*/, const tessera_host_services* services, void* symbol,
                         const tessera_dltensor* const* inputs, uint32_t /*num_inputs*/,
                         uint8_t* released) {
  for (Preparation& preparation : static_cast<Kernel*>(symbol)->preparations) {
    const tessera_dltensor* constant = inputs[preparation.input];
    if (constant == nullptr) continue;
    const size_t bytes = (preparation.bytes + TESSERA_BUFFER_ALIGNMENT - 1) /
                         TESSERA_BUFFER_ALIGNMENT * TESSERA_BUFFER_ALIGNMENT;
    preparation.constant.reset(std::aligned_alloc(TESSERA_BUFFER_ALIGNMENT, bytes));
    if (preparation.constant == nullptr)
      return fail(services, "no memory for " + std::to_string(bytes) + " bytes of weights");
    void* const buffers[] = {constant->data, preparation.constant.get()};
    const int32_t result = preparation.function(services, buffers, nullptr);
    if (result != 0) return result;
    released[preparation.input] = 1;
  }
  return 0;
}

/// Puts what the kernel reads instead of some inputs in their places; inputs that are no constants
/// are prepared for this call, in memory that lasts as long.
int32_t replaceInputs(const Kernel& kernel, const tessera_host_services* services, void** buffers) {
  for (const Preparation& preparation : kernel.preparations) {
    void*& buffer = buffers[preparation.input];
    if (preparation.constant != nullptr) {
      buffer = preparation.constant.get();
      continue;
    }
    void* made = services->allocate(services->host, preparation.bytes);
    if (made == nullptr) return 1;
    void* const pair[] = {buffer, made};
    const int32_t result = preparation.function(services, pair, nullptr);
    if (result != 0) return result;
    buffer = made;
  }
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
  if (!kernel.preparations.empty()) {
    const int32_t result = replaceInputs(kernel, call->services, buffers.data());
    if (result != 0) return result;
  }
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
    table.prepare_constants = native::prepareConstants;
    table.device_create = native::createDevice;
    table.device_destroy = native::destroyDevice;
    return table;
  }();
  return &half;
}
