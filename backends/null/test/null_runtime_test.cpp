// The runtime half by itself, as the runtime loads it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tessera/backend_runtime.h"

namespace tessera::backend_null {
namespace {

/// Services that keep what is logged and have scratch memory for one call.
struct Host {
  std::vector<std::string> messages;
  std::array<float, 64> memory = {};
  tessera_host_services services = {};

  Host() {
    services.size = sizeof(services);
    services.host = this;
    services.log = [](void* host, int32_t, const char* message) {
      static_cast<Host*>(host)->messages.emplace_back(message);
    };
    services.workspace = [](void* host, size_t bytes) -> void* {
      return bytes <= sizeof(memory) ? static_cast<Host*>(host)->memory.data() : nullptr;
    };
  }
};

tessera_argument_type typeOf(const int64_t& size) {
  tessera_argument_type type = {};
  type.size = sizeof(type);
  type.dtype = {.code = TESSERA_DTYPE_FLOAT, .bits = 32, .lanes = 1};
  type.rank = 1;
  type.dims = &size;
  type.size_bytes = size * int64_t{sizeof(float)};
  return type;
}

class NullRuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(TESSERA_RUNTIME_HALF, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    half_ = reinterpret_cast<decltype(&tessera_backend_entry)>(
        dlsym(library_, "tessera_backend_entry"))();
  }
  void TearDown() override {
    half_->destroy(instance_);
    dlclose(library_);
  }

  /// The symbol `p` of a program for inputs and one output of these numbers of elements; null when
  /// it is refused.
  void* load(const std::string& program, const std::vector<int64_t>& inputs, int64_t output) {
    half_->destroy(instance_);
    EXPECT_EQ(half_->create(nullptr, &host_.services, program.data(), program.size(), &instance_),
              0);
    std::vector<tessera_argument_type> types;
    types.reserve(inputs.size() + 1);
    for (const int64_t& size : inputs) types.push_back(typeOf(size));
    types.push_back(typeOf(output));
    std::vector<const tessera_argument_type*> pointers;
    pointers.reserve(types.size());
    for (const tessera_argument_type& type : types) pointers.push_back(&type);
    const tessera_signature signature = {.size = sizeof(signature),
                                         .num_inputs = static_cast<uint32_t>(inputs.size()),
                                         .num_outputs = 1,
                                         .inputs = pointers.data(),
                                         .outputs = pointers.data() + inputs.size()};
    void* symbol = nullptr;
    return half_->find_symbol(instance_, &host_.services, "p", &signature, &symbol) == 0 ? symbol
                                                                                         : nullptr;
  }

  void* library_ = nullptr;
  const tessera_backend_runtime* half_ = nullptr;
  void* instance_ = nullptr;
  Host host_;
};

TEST_F(NullRuntimeTest, AProgramThatDoesNotFitTheCallIsRefused) {
  const std::string sum = "program p\nadd 4 1 1 0 1\nreturn 0 0 0 2\n";
  EXPECT_NE(load(sum, {4, 4}, 4), nullptr);
  EXPECT_EQ(load(sum, {4, 3}, 4), nullptr);
  EXPECT_EQ(load(sum, {4, 4}, 5), nullptr);
  EXPECT_EQ(load(sum, {4}, 4), nullptr);
  const std::string product = "program p\nmatmul 2 3 4 0 1\nreturn 0 0 0 2\n";
  EXPECT_NE(load(product, {6, 12}, 8), nullptr);
  EXPECT_EQ(load(product, {6, 11}, 8), nullptr);
  EXPECT_EQ(host_.messages, std::vector<std::string>(4, "there is no program 'p' for this call"));
}

TEST_F(NullRuntimeTest, ATracedProgramLogsItsSteps) {
  void* symbol = load("traced p\nadd 2 1 1 0 1\nrelu 2 1 1 2\nreturn 0 0 0 3\n", {2, 2}, 2);
  ASSERT_NE(symbol, nullptr);
  void* state = nullptr;
  uint64_t workspaceBytes = 0;
  ASSERT_EQ(half_->prepare(instance_, &host_.services, symbol, &state, &workspaceBytes), 0);
  EXPECT_EQ(workspaceBytes, 16U);
  std::array<float, 2> a = {1, -5}, b = {2, 3}, y = {};
  tessera_dltensor tensors[3] = {};
  const tessera_dltensor* pointers[3] = {&tensors[0], &tensors[1], &tensors[2]};
  tensors[0].data = a.data();
  tensors[1].data = b.data();
  tensors[2].data = y.data();
  tessera_call call = {};
  call.size = sizeof(call);
  call.num_inputs = 2;
  call.num_outputs = 1;
  call.services = &host_.services;
  call.symbol = symbol;
  call.state = state;
  call.inputs = pointers;
  call.outputs = pointers + 2;
  EXPECT_EQ(half_->run(instance_, &call), 0);
  half_->release(instance_, symbol, state);
  EXPECT_EQ(y, (std::array<float, 2>{3, 0}));
  EXPECT_EQ(host_.messages, (std::vector<std::string>{"add", "relu"}));
}

}  // namespace
}  // namespace tessera::backend_null
