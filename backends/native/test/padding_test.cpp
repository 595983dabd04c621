// Lanes behind the last channel: native says when they hold more than zeros, and an owner that
// needs zeros gets them.
#include "backends/native/compiler/padding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "backends/native/compiler/lower/lowerings.h"
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

/// What is run here: kernels of both levels keep to the same rule.
std::string level() { return lowering::runsHere("x86-64-v4") ? "x86-64-v4" : "x86-64-v3"; }
int64_t lanesPerBlock() { return lowering::runsHere("x86-64-v4") ? 16 : 8; }
constexpr size_t kChannels = 20;

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
    choices[0].operands[0] = ir::withBlocks(choices[0].operands[0], {1}, {lanesPerBlock()});
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
    owner.target.attributes["mcpu"] = level();
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
    auto runner = KernelRunner::compile(text, level());
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

TEST_F(PaddingTest, TheSumOfAllLanesIsTheSumOfTheChannels) {
  if (!lowering::runsHere(level())) GTEST_SKIP() << "this machine has no " << level();
  auto module = partitioned(kSumOfSigmoids, /*hasSummer=*/true);
  ValueMemory input{.shape = {1, 20, 3, 3},
                    .bytes = std::vector<std::byte>(size_t{20} * 9 * sizeof(float))};
  const ValueMemory output = Machine(*module).run(std::move(input));  // Zeros.
  float sum = 0;
  std::memcpy(&sum, output.bytes.data(), sizeof sum);
  EXPECT_FLOAT_EQ(sum, 20 * 9 * 0.5F);
}

/// A function for each operator that keeps zeros, on values of !t (4x4).
std::string operatorsThatKeepZeros() {
  std::string text;
  for (const char* op : {"abs", "ceil", "celu", "elu", "erf", "floor", "gelu", "hard_swish",
                         "identity", "leaky_relu", "mish", "neg", "relu", "round", "selu", "sign",
                         "softsign", "tanh", "thresholded_relu"})
    text += "func.func private @" + std::string(op) + "(%x: !t) -> !t { %0 = tsr." + op +
            " %x : (!t) -> !t return %0 : !t }\n";
  for (const char* op : {"add", "sub", "sum", "max", "min", "mul", "prelu"})
    text += "func.func private @" + std::string(op) + "(%x: !t, %y: !t) -> !t { %0 = tsr." + op +
            " %x, %y : (!t, !t) -> !t return %0 : !t }\n";
  text +=
      "func.func private @lrn(%x: !t) -> !t { %0 = tsr.lrn %x {size = 5 : i64} : (!t) -> !t "
      "return %0 : !t }\n";
  for (const char* op : {"average_pool", "max_pool"})
    text += "func.func private @" + std::string(op) + "(%x: !t) -> !half { %0 = tsr." + op +
            " %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!t) -> !half " +
            "return %0 : !half }\n";
  for (const char* op : {"global_average_pool", "global_max_pool"})
    text += "func.func private @" + std::string(op) + "(%x: !t) -> !one { %0 = tsr." + op +
            " %x : (!t) -> !one return %0 : !one }\n";
  for (const char* op : {"reduce_l2", "reduce_max", "reduce_mean", "reduce_min", "reduce_sum"})
    text += "func.func private @" + std::string(op) + R"((%x: !t) -> !one {
        %axes = tsr.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2xi64>
        %0 = tsr.)" +
            op + " %x, %axes : (!t, tensor<2xi64>) -> !one return %0 : !one }\n";
  text += R"(func.func private @clip(%x: !t) -> !t {
    %low = tsr.constant dense<-1.0> : tensor<f32> -> tensor<f32>
    %high = tsr.constant dense<6.0> : tensor<f32> -> tensor<f32>
    %0 = tsr.clip %x, %low, %high {operandSegmentSizes = array<i32: 1, 1, 1>} :
      (!t, tensor<f32>, tensor<f32>) -> !t
    return %0 : !t
  })";
  text += R"(func.func private @resize(%x: !t) -> !twice {
    %sizes = tsr.constant dense<[1, 20, 8, 8]> : tensor<4xi64> -> tensor<4xi64>
    %0 = tsr.resize %x, %sizes {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} :
      (!t, tensor<4xi64>) -> !twice
    return %0 : !twice
  })";
  text += R"(func.func private @gather(%x: !t) -> !t {
    %channels = tsr.constant dense<[19, 0, 18, 1, 17, 2, 16, 3, 15, 4, 14, 5, 13, 6, 12, 7, 11, 8,
                                    10, 9]> : tensor<20xi64> -> tensor<20xi64>
    %0 = tsr.gather %x, %channels {axis = 1 : i64} : (!t, tensor<20xi64>) -> !t
    return %0 : !t
  })";
  text += R"(func.func private @slice(%x: !t) -> !t {
    %start = tsr.constant dense<-1> : tensor<1xi64> -> tensor<1xi64>
    %end = tsr.constant dense<-21> : tensor<1xi64> -> tensor<1xi64>
    %axis = tsr.constant dense<1> : tensor<1xi64> -> tensor<1xi64>
    %0 = tsr.slice %x, %start, %end, %axis, %start {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} :
      (!t, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !t
    return %0 : !t
  })";
  text += R"(func.func private @split(%x: !t) -> !t {
    %lengths = tsr.constant dense<20> : tensor<1xi64> -> tensor<1xi64>
    %0 = tsr.split %x, %lengths {axis = 1 : i64} : (!t, tensor<1xi64>) -> !t
    return %0 : !t
  })";
  text += R"(func.func private @concat(%x: !t) -> !t {
    %0 = tsr.concat %x {axis = 1 : i64} : (!t) -> !t
    return %0 : !t
  })";
  text += R"(func.func private @pad(%x: !t) -> !twice {
    %pads = tsr.constant dense<[0, 0, 1, 2, 0, 0, 3, 2]> : tensor<8xi64> -> tensor<8xi64>
    %0 = tsr.pad %x, %pads {operandSegmentSizes = array<i32: 1, 1, 0, 0>} :
      (!t, tensor<8xi64>) -> !twice
    return %0 : !twice
  })";
  text += R"(func.func private @instance_norm(%x: !t, %scale: !line, %bias: !line) -> !t {
    %0 = tsr.instance_norm %x, %scale, %bias : (!t, !line, !line) -> !t
    return %0 : !t
  })";
  text += R"(func.func private @conv(%x: !t, %w: !weights) -> !t {
    %0 = tsr.conv %x, %w : (!t, !weights) -> !t
    return %0 : !t
  })";
  text += R"(func.func private @conv_transpose(%x: !t, %w: !turned) -> !t {
    %0 = tsr.conv_transpose %x, %w : (!t, !turned) -> !t
    return %0 : !t
  })";
  return text;
}

/// Height and width of !t.
constexpr size_t kHeight = 4, kWidth = 4;

/// A !t: 0.75 in each channel, `padding` behind the last.
ValueMemory paddedWith(float padding) {
  const auto lanes = static_cast<size_t>(lanesPerBlock());
  constexpr size_t area = kHeight * kWidth;
  std::vector<float> values((kChannels + lanes - 1) / lanes * lanes * area, padding);
  for (size_t c = 0; c < kChannels; ++c) {
    for (size_t at = 0; at < area; ++at)
      values[(c / lanes * area + at) * lanes + c % lanes] = 0.75F;
  }
  ValueMemory memory{.shape = {1, kChannels, kHeight, kWidth},
                     .bytes = std::vector<std::byte>(values.size() * sizeof(float))};
  std::memcpy(memory.bytes.data(), values.data(), memory.bytes.size());
  return memory;
}

/// A !weights: 0.25 from each channel to each, zeros where one of them is none.
ValueMemory weights() {
  const auto lanes = static_cast<size_t>(lanesPerBlock());
  const size_t blocks = (kChannels + lanes - 1) / lanes;
  std::vector<float> values(blocks * lanes * blocks * lanes, 0.0F);
  for (size_t out = 0; out < kChannels; ++out) {
    for (size_t in = 0; in < kChannels; ++in) {
      const size_t block = out / lanes * blocks + in / lanes;
      values[(block * lanes + in % lanes) * lanes + out % lanes] = 0.25F;
    }
  }
  ValueMemory memory{.shape = {kChannels, kChannels, 1, 1},
                     .bytes = std::vector<std::byte>(values.size() * sizeof(float))};
  std::memcpy(memory.bytes.data(), values.data(), memory.bytes.size());
  return memory;
}

/// A !line: 0.25 for each channel, zeros behind them.
ValueMemory line() {
  const auto lanes = static_cast<size_t>(lanesPerBlock());
  std::vector<float> values((kChannels + lanes - 1) / lanes * lanes, 0.0F);
  std::fill_n(values.begin(), kChannels, 0.25F);
  ValueMemory memory{.shape = {kChannels},
                     .bytes = std::vector<std::byte>(values.size() * sizeof(float))};
  std::memcpy(memory.bytes.data(), values.data(), memory.bytes.size());
  return memory;
}

/// What stands behind the last channel, and is not zero.
std::vector<float> numbersInPadding(const ValueMemory& memory) {
  const auto lanes = static_cast<size_t>(lanesPerBlock());
  std::vector<float> values(memory.bytes.size() / sizeof(float)), found;
  std::memcpy(values.data(), memory.bytes.data(), memory.bytes.size());
  for (size_t i = kChannels / lanes * (values.size() / (kChannels / lanes + 1)); i < values.size();
       ++i) {
    if (i % lanes >= kChannels % lanes && values[i] != 0) found.push_back(values[i]);
  }
  return found;
}

/// What native says of the padding of an operator's result.
bool isCalledZero(Operation& op) {
  backend_api::LayoutChoice choice;
  for (const Type type : op.getOperandTypes())
    choice.operands.push_back(cast<RankedTensorType>(type));
  for (const Type type : op.getResultTypes())
    choice.results.push_back(cast<RankedTensorType>(type));
  settlePadding(&op, SmallVector<RankedTensorType>(choice.operands), choice);
  return ir::layoutOf(choice.results[0]).getPadding() == ir::Padding::Zero;
}

/// The types of the functions here.
std::string typesOfFunctions() {
  const std::string lanes = std::to_string(lanesPerBlock());
  const std::string blocks = "blockDims = [1], blockSizes = [" + lanes + "]";
  std::string text;
  for (const auto& [name, size] :
       {std::pair("!t", "4x4"), {"!half", "2x2"}, {"!one", "1x1"}, {"!twice", "8x8"}})
    text += std::string(name) + " = tensor<1x20x" + size + "xf32, #tsr.layout<" + blocks + ">>\n";
  text += "!finite = tensor<1x20x4x4xf32, #tsr.layout<" + blocks + ", padding = finite>>\n";
  text += "!line = tensor<20xf32, #tsr.layout<blockDims = [0], blockSizes = [" + lanes + "]>>\n";
  text += "!weights = tensor<20x20x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [" +
          lanes + ", " + lanes + "]>>\n";
  // In memory the same.
  text +=
      "!turned = tensor<20x20x1x1xf32, #tsr.layout<order = [1, 0, 2, 3], blockDims = [0, 1], "
      "blockSizes = [" +
      lanes + ", " + lanes + "]>>\n";
  return text;
}

/// The operator before a region's return.
Operation& lastOperator(func::FuncOp region) {
  return *std::prev(region.getBody().front().without_terminator().end());
}

// What native calls zero is: each operator on zeros in blocks gives nothing but zeros behind them.
TEST_F(PaddingTest, PaddingThatIsNotCalledFiniteHoldsZeros) {
  if (!lowering::runsHere(level())) GTEST_SKIP() << "this machine has no " << level();
  auto runner = KernelRunner::compile(typesOfFunctions() + operatorsThatKeepZeros(), level());
  ASSERT_TRUE(runner) << runner.error().toString();
  for (const std::string& name : (*runner)->regions()) {
    func::FuncOp region = (*runner)->region(name);
    std::vector<ValueMemory> inputs(region.getNumArguments(), paddedWith(0));
    if (name == "conv" || name == "conv_transpose") inputs[1] = weights();
    if (name == "instance_norm") inputs[1] = inputs[2] = line();
    const auto results = (*runner)->runOnMemory(name, inputs, /*numThreads=*/1);
    ASSERT_TRUE(results) << results.error().toString();
    EXPECT_EQ(numbersInPadding((*results)[0]), std::vector<float>()) << name;
    EXPECT_TRUE(isCalledZero(lastOperator(region))) << name;
  }
}

TEST_F(PaddingTest, ZerosTimesFiniteNumbersAreZeros) {
  if (!lowering::runsHere(level())) GTEST_SKIP() << "this machine has no " << level();
  auto runner = KernelRunner::compile(typesOfFunctions() + R"(
    func.func private @mul(%x: !t, %y: !finite) -> !t {
      %0 = tsr.mul %x, %y : (!t, !finite) -> !t
      return %0 : !t
    })",
                                      level());
  ASSERT_TRUE(runner) << runner.error().toString();
  const std::vector<ValueMemory> inputs = {paddedWith(0), paddedWith(3)};
  const auto results = (*runner)->runOnMemory("mul", inputs, /*numThreads=*/1);
  ASSERT_TRUE(results) << results.error().toString();
  EXPECT_EQ(numbersInPadding((*results)[0]), std::vector<float>());
  EXPECT_TRUE(isCalledZero(lastOperator((*runner)->region("mul"))));
}

// An operator that native begins to call zero needs a function in operatorsThatKeepZeros.
TEST_F(PaddingTest, WhatIsCalledZeroIsRunHere) {
  auto module = parseSourceString<ModuleOp>(
      typesOfFunctions() + operatorsThatKeepZeros() +
          "func.func private @two(%x: !t, %y: !t) -> !t { return %x : !t }",
      &context_);
  ASSERT_TRUE(module);
  const ValueRange operands = module->lookupSymbol<func::FuncOp>("two").getArguments();
  for (const std::string& name : loweredOperators()) {
    if (module->lookupSymbol(name) || name == "composite") continue;  // Whose body decides.
    const OperationState state(UnknownLoc::get(&context_), "tsr." + name, operands,
                               operands.front().getType());
    Operation* op = Operation::create(state);  // Not a legal one; what it is decides.
    EXPECT_FALSE(isCalledZero(*op)) << name;
    op->destroy();
  }
}

}  // namespace
}  // namespace tessera::backend_native
