// Lanes behind the last channel: native says when they hold more than zeros, and an owner that
// needs zeros gets them.
#include "backends/native/compiler/padding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "backends/native/compiler/native_backend.h"
#include "backends/native/test/kernel_runner.h"
#include "compiler/backend_api/registry.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/passes.h"
#include "mlir/Parser/Parser.h"

namespace tessera::backend_native {
namespace {

using namespace mlir;

constexpr int64_t kLanes = 16;
constexpr const char* kCpu = "x86-64-v4";

/// Takes sums over everything, of channels in blocks: it adds up all lanes, so that they must hold
/// zeros.
class LaneSummer final : public backend_api::Backend {
 public:
  const target::TargetKind& kind() const override { return kind_; }
  std::string version() const override { return "0"; }
  backend_api::Support supports(Operation* op, const target::Target&) const override {
    if (isa<ir::ReduceSumOp>(op)) return backend_api::Supported{};
    return backend_api::Declined{"it sums"};
  }
  std::vector<backend_api::LayoutChoice> chooseLayouts(
      Operation* op, ArrayRef<RankedTensorType> available,
      const target::Target& target) const override {
    auto choices = Backend::chooseLayouts(op, available, target);
    choices[0].operands[0] = ir::withBlocks(choices[0].operands[0], {1}, {kLanes});
    return choices;
  }
  Result<backend_api::Emission> emit(ModuleOp, ArrayRef<func::FuncOp>, const target::Target&,
                                     const backend_api::EmitContext&) const override {
    return backend_api::Emission{};
  }

 private:
  target::TargetKind kind_{.name = "summer", .attributes = {}, .isHost = false};
};

class PaddingTest : public testing::Test {
 protected:
  PaddingTest() {
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    DialectRegistry dialects;
    native_.backend->registerDialects(dialects);
    context_.appendDialectRegistry(dialects);
    backend_api::attachRegistry(context_, backends_);
  }

  OwningOpRef<ModuleOp> partitioned(const std::string& text, bool hasSummer) {
    auto module = parseSourceString<ModuleOp>(text, &context_);
    backends_.setDefaultOwners(hasSummer ? backend_api::Owners{summer_, native_}
                                         : backend_api::Owners{native_});
    PassManager manager(&context_);
    partition::buildGreedyPartition(manager, [](OpPassManager&) {});
    EXPECT_TRUE(module && succeeded(manager.run(*module)));
    return module;
  }

  /// Operators of all regions, in order.
  static std::vector<std::string> operators(ModuleOp module) {
    std::vector<std::string> names;
    for (auto call : ir::entryFunction(module).getOps<func::CallOp>()) {
      auto region = module.lookupSymbol<func::FuncOp>(call.getCallee());
      for (Operation& op : region.getBody().front().without_terminator())
        names.push_back(op.getName().stripDialect().str());
    }
    return names;
  }

  backend_api::Owner added(std::unique_ptr<backend_api::Backend> backend) {
    backend_api::Owner owner;
    owner.target.kind = backend->kind().name;
    owner.backend = *backends_.add(std::move(backend));
    return owner;
  }

  backend_api::BackendRegistry backends_;
  MLIRContext context_;
  backend_api::Owner summer_ = added(std::make_unique<LaneSummer>());
  backend_api::Owner native_ = nativeOwner();

 private:
  backend_api::Owner nativeOwner() {
    backend_api::Owner owner = added(std::make_unique<NativeBackend>());
    owner.target.attributes["mcpu"] = kCpu;
    return owner;
  }
};

using Names = std::vector<std::string>;

// Sigmoid makes 0.5 of each zero behind channel 20.
const std::string kSumOfSigmoids = R"(
  !x = tensor<1x20x3x3xf32>
  func.func @main(%x: !x) -> tensor<1x1x1x1xf32> {
    %w = tsr.constant dense<0.25> : tensor<20x20x1x1xf32> -> tensor<20x20x1x1xf32>
    %0 = tsr.conv %x, %w : (!x, tensor<20x20x1x1xf32>) -> !x
    %1 = tsr.sigmoid %0 : (!x) -> !x
    %2 = tsr.reduce_sum %1 : (!x) -> tensor<1x1x1x1xf32>
    return %2 : tensor<1x1x1x1xf32>
  })";

TEST_F(PaddingTest, AnOwnerThatNeedsZerosGetsAConversion) {
  auto module = partitioned(kSumOfSigmoids, /*hasSummer=*/true);
  EXPECT_EQ(operators(*module),
            (Names{"relayout", "relayout", "conv", "sigmoid", "relayout", "reduce_sum"}));
}

TEST_F(PaddingTest, NativeConvertsNothingForItself) {
  auto module = partitioned(R"(
    !x = tensor<1x20x3x3xf32>
    func.func @main(%x: !x) -> !x {
      %w = tsr.constant dense<0.25> : tensor<20x20x1x1xf32> -> tensor<20x20x1x1xf32>
      %0 = tsr.conv %x, %w : (!x, tensor<20x20x1x1xf32>) -> !x
      %1 = tsr.sigmoid %0 : (!x) -> !x
      %2 = tsr.conv %1, %w : (!x, tensor<20x20x1x1xf32>) -> !x
      %3 = tsr.add %1, %2 : (!x, !x) -> !x
      return %3 : !x
    })",
                            /*hasSummer=*/false);
  EXPECT_EQ(operators(*module),
            (Names{"relayout", "relayout", "conv", "sigmoid", "conv", "add", "relayout"}));
}

/// Runs the calls of @main: native's kernels on memory, the summer's region here.
class Machine {
 public:
  explicit Machine(ModuleOp module) : module_(module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (auto function : module.getOps<func::FuncOp>()) {
      const ir::TargetAttr owner = backend_api::ownerOf(function);
      if (owner && owner.getKind() == "native") function.print(stream), stream << "\n";
    }
    auto runner = KernelRunner::compile(text, kCpu);
    EXPECT_TRUE(runner) << runner.error().toString();
    runner_ = std::move(*runner);
  }

  ValueMemory run(ValueMemory input) {
    func::FuncOp entry = ir::entryFunction(module_);
    values_[entry.getArgument(0)] = std::move(input);
    for (Operation& op : entry.getBody().front().without_terminator()) {
      if (auto constant = dyn_cast<ir::ConstantOp>(op)) addConstant(constant);
      if (auto call = dyn_cast<func::CallOp>(op)) addCall(call);
    }
    return values_[entry.getBody().front().getTerminator()->getOperand(0)];
  }

 private:
  void addConstant(ir::ConstantOp constant) {
    const auto blob = ir::constantBytes(constant.getOutput());
    const auto type = cast<RankedTensorType>(constant.getType());
    values_[constant.getOutput()] = {.shape = type.getShape().vec(),
                                     .bytes = {blob->bytes.begin(), blob->bytes.end()}};
  }

  void addCall(func::CallOp call) {
    std::vector<ValueMemory> inputs;
    for (const Value operand : call.getOperands()) inputs.push_back(values_[operand]);
    auto region = module_.lookupSymbol<func::FuncOp>(call.getCallee());
    if (backend_api::ownerOf(region).getKind() == "summer") {
      values_[call.getResult(0)] = sumOfLanes(inputs[0]);
      return;
    }
    auto results = runner_->runOnMemory(call.getCallee().str(), inputs, /*numThreads=*/1);
    ASSERT_TRUE(results) << results.error().toString();
    values_[call.getResult(0)] = (*results)[0];
  }

  static ValueMemory sumOfLanes(const ValueMemory& input) {
    std::vector<float> lanes(input.bytes.size() / sizeof(float));
    std::memcpy(lanes.data(), input.bytes.data(), input.bytes.size());
    const float sum = std::accumulate(lanes.begin(), lanes.end(), 0.0F);
    ValueMemory result{.shape = {1, 1, 1, 1}, .bytes = std::vector<std::byte>(sizeof sum)};
    std::memcpy(result.bytes.data(), &sum, sizeof sum);
    return result;
  }

  ModuleOp module_;
  std::unique_ptr<KernelRunner> runner_;
  llvm::DenseMap<Value, ValueMemory> values_;
};

bool runsKernels() { return lowering::makeCpuTarget("native")->cpu >= kCpu; }

TEST_F(PaddingTest, TheSumOfAllLanesIsTheSumOfTheChannels) {
  if (!runsKernels()) GTEST_SKIP() << "this machine has no " << kCpu;
  auto module = partitioned(kSumOfSigmoids, /*hasSummer=*/true);
  ValueMemory input{.shape = {1, 20, 3, 3},
                    .bytes = std::vector<std::byte>(20 * 9 * sizeof(float))};
  const ValueMemory output = Machine(*module).run(std::move(input));  // Zeros.
  float sum = 0;
  std::memcpy(&sum, output.bytes.data(), sizeof sum);
  EXPECT_FLOAT_EQ(sum, 20 * 9 * 0.5F);
}

// What native calls zero is: each operator on zeros in blocks gives nothing but zeros behind them.
TEST_F(PaddingTest, PaddingThatIsNotCalledFiniteHoldsZeros) {
  if (!runsKernels()) GTEST_SKIP() << "this machine has no " << kCpu;
  const std::string type = "tensor<1x20x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>";
  std::string text;
  for (const char* op : {"abs", "ceil", "celu", "elu", "erf", "floor", "gelu", "hard_swish",
                         "identity", "leaky_relu", "mish", "neg", "relu", "round", "selu", "sign",
                         "softsign", "tanh", "thresholded_relu"})
    text += "func.func private @" + std::string(op) + "(%x: !t) -> !t { %0 = tsr." + op +
            " %x : (!t) -> !t return %0 : !t }\n";
  for (const char* op : {"add", "sub", "sum", "max", "min", "mul", "prelu"})
    text += "func.func private @" + std::string(op) + "(%x: !t, %y: !t) -> !t { %0 = tsr." + op +
            " %x, %y : (!t, !t) -> !t return %0 : !t }\n";
  auto runner = KernelRunner::compile("!t = " + type + "\n" + text, kCpu);
  ASSERT_TRUE(runner) << runner.error().toString();
  for (const std::string& name : (*runner)->regions()) {
    func::FuncOp region = (*runner)->region(name);
    std::vector<ValueMemory> inputs;
    for (unsigned i = 0; i < region.getNumArguments(); ++i) {
      std::vector<float> lanes(32 * 16, 0.0F);
      for (size_t c = 0; c < 20; ++c) {
        for (size_t at = 0; at < 16; ++at) lanes[c / 16 * 256 + at * 16 + c % 16] = 0.75F;
      }
      ValueMemory& input = inputs.emplace_back();
      input.shape = {1, 20, 4, 4};
      input.bytes.resize(lanes.size() * sizeof(float));
      std::memcpy(input.bytes.data(), lanes.data(), input.bytes.size());
    }
    const auto results = (*runner)->runOnMemory(name, inputs, /*numThreads=*/1);
    ASSERT_TRUE(results) << results.error().toString();
    std::vector<float> lanes(32 * 16);
    std::memcpy(lanes.data(), (*results)[0].bytes.data(), lanes.size() * sizeof(float));
    for (size_t at = 0; at < 16; ++at) {
      for (size_t lane = 4; lane < 16; ++lane)
        ASSERT_EQ(lanes[256 + at * 16 + lane], 0)
            << name << " leaves another number in lane " << lane;
    }
  }
}

}  // namespace
}  // namespace tessera::backend_native
