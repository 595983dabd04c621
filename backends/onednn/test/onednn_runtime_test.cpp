// The runtime half by itself, as the runtime loads it: what contexts share, and graphs whose sizes
// do not fit.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "region_graph/graph.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_onednn {
namespace {

using region_graph::GraphT;
using region_graph::OperatorT;
using region_graph::ProgramT;
using region_graph::TensorT;

/// Services with a number of threads, scratch memory, and what is logged.
struct Host {
  int32_t numThreads = 1;
  std::string message;
  std::vector<std::byte> memory = std::vector<std::byte>(1 << 20);
  tessera_host_services services = {};

  Host() {
    services.size = sizeof(services);
    services.host = this;
    services.num_threads = [](void* host) { return static_cast<Host*>(host)->numThreads; };
    services.log = [](void* host, int32_t, const char* message) {
      static_cast<Host*>(host)->message = message;
    };
    services.workspace = [](void* host, size_t bytes) -> void* {
      auto& memory = static_cast<Host*>(host)->memory;
      void* data = memory.data();
      size_t space = memory.size();
      return std::align(64, bytes, data, space);
    };
  }
};

int32_t addTensor(GraphT& graph, std::vector<int64_t> dims) {
  graph.tensors.push_back(std::make_unique<TensorT>());
  graph.tensors.back()->dims = std::move(dims);
  return static_cast<int32_t>(graph.tensors.size()) - 1;
}

OperatorT& addOperator(GraphT& graph, const char* name, std::vector<int32_t> inputs,
                       int32_t output) {
  graph.operators.push_back(std::make_unique<OperatorT>());
  OperatorT& op = *graph.operators.back();
  op.name = name;
  op.inputs = std::move(inputs);
  op.outputs = {output};
  op.group = static_cast<uint32_t>(graph.operators.size()) - 1;
  return op;
}

/// y = tanh(x w): x [4, 32], w [32, 48].
ProgramT dense() {
  auto graph = std::make_unique<GraphT>();
  graph->name = "dense";
  const int32_t x = addTensor(*graph, {4, 32}), w = addTensor(*graph, {32, 48});
  const int32_t product = addTensor(*graph, {4, 48}), y = addTensor(*graph, {4, 48});
  graph->arguments = {x, w};
  graph->results = {y};
  addOperator(*graph, "matmul", {x, w}, product);
  addOperator(*graph, "tanh", {product}, y);
  ProgramT program;
  program.graphs.push_back(std::move(graph));
  return program;
}

class OnednnRuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(TESSERA_RUNTIME_HALF, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    half_ = reinterpret_cast<decltype(&tessera_backend_entry)>(
        dlsym(library_, "tessera_backend_entry"))();
  }
  void TearDown() override { half_->destroy(instance_); }

  /// The symbol of the first graph, for a call with the graph's own types; null when refused.
  void* load(const ProgramT& program) {
    const GraphT& graph = *program.graphs.front();
    const std::vector<std::byte> bytes = region_graph::writeProgram(program);
    blob_.assign(bytes.size() / 16 + 1, {});
    std::memcpy(blob_.data(), bytes.data(), bytes.size());
    if (half_->create(nullptr, &host_.services, blob_.data(), bytes.size(), &instance_) != 0)
      return nullptr;
    std::vector<tessera_argument_type> types;
    std::vector<int32_t> tensors = graph.arguments;
    tensors.insert(tensors.end(), graph.results.begin(), graph.results.end());
    for (const int32_t tensor : tensors) {
      const TensorT& of = *graph.tensors[static_cast<size_t>(tensor)];
      types.push_back({.size = sizeof(tessera_argument_type),
                       .dtype = {.code = TESSERA_DTYPE_FLOAT, .bits = 32, .lanes = 1},
                       .rank = static_cast<int32_t>(of.dims.size()),
                       .dims = of.dims.data(),
                       .layout = "",
                       .size_bytes = region_graph::sizeBytes(of),
                       .memory_space = TESSERA_HOST_SPACE});
    }
    std::vector<const tessera_argument_type*> pointers;
    for (const tessera_argument_type& type : types) pointers.push_back(&type);
    const tessera_signature signature = {
        .size = sizeof(signature),
        .num_inputs = static_cast<uint32_t>(graph.arguments.size()),
        .num_outputs = static_cast<uint32_t>(graph.results.size()),
        .inputs = pointers.data(),
        .outputs = pointers.data() + graph.arguments.size()};
    void* symbol = nullptr;
    return half_->find_symbol(instance_, &host_.services, graph.name.c_str(), &signature,
                              &symbol) == 0
               ? symbol
               : nullptr;
  }

  /// Why no context can run the damaged program; empty when one can.
  std::string whyRefused(const std::function<void(GraphT&)>& damage) {
    ProgramT program = dense();
    damage(*program.graphs.front());
    half_->destroy(instance_);
    instance_ = nullptr;
    void* symbol = load(program);
    if (symbol == nullptr) return host_.message;
    void* state = nullptr;
    uint64_t workspaceBytes = 0;
    if (half_->prepare(instance_, &host_.services, symbol, &state, &workspaceBytes) != 0)
      return host_.message;
    half_->release(instance_, symbol, state);
    return "";
  }

  void run(void* symbol, void* state, const std::vector<const tessera_dltensor*>& inputs,
           const std::vector<const tessera_dltensor*>& outputs) {
    tessera_call call = {};
    call.size = sizeof(call);
    call.num_inputs = static_cast<uint32_t>(inputs.size());
    call.num_outputs = static_cast<uint32_t>(outputs.size());
    call.services = &host_.services;
    call.symbol = symbol;
    call.state = state;
    call.inputs = inputs.data();
    call.outputs = outputs.data();
    EXPECT_EQ(half_->run(instance_, &call), 0) << host_.message;
  }

  struct alignas(16) Block {
    std::byte bytes[16];
  };
  void* library_ = nullptr;
  const tessera_backend_runtime* half_ = nullptr;
  void* instance_ = nullptr;
  std::vector<Block> blob_;
  Host host_;
};

tessera_dltensor tensorOf(std::vector<float>& data) {
  tessera_dltensor tensor = {};
  tensor.data = data.data();
  return tensor;
}

TEST_F(OnednnRuntimeTest, ContextsOfAnyNumberOfThreadsShareWeightsThatAreGone) {
  void* symbol = load(dense());
  ASSERT_NE(symbol, nullptr) << host_.message;
  std::vector<float> x(4 * 32), w(32 * 48), expected;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) * 0.1F;
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 5) * 0.1F - 0.2F;
  tessera_dltensor weights = tensorOf(w);
  const tessera_dltensor* constants[] = {nullptr, &weights};
  uint8_t released[2] = {};
  ASSERT_EQ(half_->prepare_constants(instance_, &host_.services, symbol, constants, 2, released), 0)
      << host_.message;
  EXPECT_EQ(released[0], 0);
  ASSERT_EQ(released[1], 1);
  weights.data = nullptr;
  std::ranges::fill(w, 1e30F);
  for (const int32_t numThreads : {1, 2, 3}) {
    host_.numThreads = numThreads;
    void* state = nullptr;
    uint64_t workspaceBytes = 0;
    ASSERT_EQ(half_->prepare(instance_, &host_.services, symbol, &state, &workspaceBytes), 0)
        << host_.message;
    std::vector<float> y(4 * 48, -9);
    tessera_dltensor input = tensorOf(x), output = tensorOf(y);
    run(symbol, state, {&input, &weights}, {&output});
    run(symbol, state, {&input, &weights}, {&output});
    half_->release(instance_, symbol, state);
    if (expected.empty()) expected = y;
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-5F) << i;
  }
  EXPECT_NE(expected[0], -9);
}

// Square weights, which the library packs into one form as they are and transposed.
TEST_F(OnednnRuntimeTest, WeightsThatTwoSeeDifferentlyArePackedForEach) {
  auto graph = std::make_unique<GraphT>();
  graph->name = "square";
  const int32_t x = addTensor(*graph, {4, 32}), w = addTensor(*graph, {32, 32});
  const int32_t plain = addTensor(*graph, {4, 32}), transposed = addTensor(*graph, {4, 32});
  graph->arguments = {x, w};
  graph->results = {plain, transposed};
  addOperator(*graph, "matmul", {x, w}, plain);
  region_graph::ProductT product;
  product.transposes_b = true;
  addOperator(*graph, "gemm", {x, w}, transposed).attributes.Set(product);
  ProgramT program;
  program.graphs.push_back(std::move(graph));
  void* symbol = load(program);
  ASSERT_NE(symbol, nullptr) << host_.message;
  std::vector<float> xs(4 * 32), ws(32 * 32), y(4 * 32), z(4 * 32);
  for (size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<float>(i % 7);
  for (size_t i = 0; i < ws.size(); ++i) ws[i] = static_cast<float>(i % 5) - 2;
  tessera_dltensor input = tensorOf(xs), weights = tensorOf(ws), first = tensorOf(y),
                   second = tensorOf(z);
  const tessera_dltensor* constants[] = {nullptr, &weights};
  uint8_t released[2] = {};
  ASSERT_EQ(half_->prepare_constants(instance_, &host_.services, symbol, constants, 2, released), 0)
      << host_.message;
  void* state = nullptr;
  uint64_t workspaceBytes = 0;
  ASSERT_EQ(half_->prepare(instance_, &host_.services, symbol, &state, &workspaceBytes), 0);
  run(symbol, state, {&input, &weights}, {&first, &second});
  half_->release(instance_, symbol, state);
  for (size_t i = 0; i < y.size(); ++i) {
    float expected = 0, expectedTransposed = 0;
    for (size_t k = 0; k < 32; ++k) {
      expected += xs[i / 32 * 32 + k] * ws[k * 32 + i % 32];
      expectedTransposed += xs[i / 32 * 32 + k] * ws[i % 32 * 32 + k];
    }
    EXPECT_EQ(y[i], expected) << i;
    EXPECT_EQ(z[i], expectedTransposed) << i;
  }
}

TEST_F(OnednnRuntimeTest, SizesThatDoNotFitAreRefused) {
  EXPECT_EQ(whyRefused([](GraphT&) {}), "");
  EXPECT_EQ(whyRefused([](GraphT& g) {
              g.operators[1]->name = "reshape";
              g.tensors[3]->dims = {4, 49};
            }),
            "region graph 'dense' has sizes or orders that do not fit");
  EXPECT_EQ(whyRefused([](GraphT& g) { g.tensors[3]->dims = {5, 48}; }),
            "region graph 'dense' has sizes or orders that do not fit");
  EXPECT_EQ(whyRefused([](GraphT& g) { g.tensors[3]->order = {1, 0}; }),
            "region graph 'dense' has sizes or orders that do not fit");
  EXPECT_EQ(whyRefused([](GraphT& g) { g.tensors[1]->dims = {31, 48}; }), "sizes do not multiply");
  EXPECT_EQ(whyRefused([](GraphT& g) { g.operators[1]->name = "unsqueeze"; }), "");
  EXPECT_EQ(whyRefused([](GraphT& g) { g.operators[1]->name = "exp2"; }),
            "region graph 'dense': there is no operator 'exp2'");
}

}  // namespace
}  // namespace tessera::backend_onednn
