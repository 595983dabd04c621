// Schedules: what their texts say, and that every one of a region computes the same.
#include "backends/native/compiler/contraction/schedule.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "backends/native/test/kernel_runner.h"
#include "mlir/Parser/Parser.h"
#include "tessera/tensor_compare.h"

namespace tessera::backend_native {
namespace {

using namespace mlir;
using reference::Tensor;

TEST(ScheduleTest, TextsAreReadAsTheyAreWritten) {
  for (const char* text :
       {"", "tile=14x2", "unroll=8", "outer=panels", "algorithm=winograd", "reduce=2048", "split=4",
        "tile=9x3 unroll=2 outer=rows reduce=64 split=1 algorithm=direct"}) {
    const auto schedule = parseSchedule(text);
    ASSERT_TRUE(schedule) << text;
    EXPECT_EQ(schedule->text(), text);
  }
}

TEST(ScheduleTest, WhatIsNoScheduleIsNone) {
  for (const char* text : {"fast", "tile", "tile=", "tile=4", "tile=0x2", "tile=4x", "tile=4x2x2",
                           "tile=33x1", "tile=1x9", "unroll=0", "unroll=33", "unroll=-1",
                           "outer=both", "algorithm=fft", "unroll=2 unroll=4", "reduce=0",
                           "split=65", "split=2 split=2", "tile=99999999999999999999x1"})
    EXPECT_FALSE(parseSchedule(text)) << text;
}

/// Only one algorithm has the windows of a pool in its squares.
TEST(ScheduleTest, APoolKeepsItsAlgorithm) {
  MLIRContext context;
  context.loadDialect<ir::TsrDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
    !x = tensor<1x32x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    !w = tensor<32x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [16, 16]>>
    !y = tensor<1x32x8x8xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
    func.func private @pooled(%x: !x, %w: !w) -> !y {
      %0 = tsr.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (!x, !w) -> !x
      %1 = tsr.max_pool %0 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (!x) -> !y
      return %1 : !y
    })",
                                            &context);
  ASSERT_TRUE(module);
  const auto region = module->lookupSymbol<func::FuncOp>("pooled");
  const CodeTarget cpu{*lowering::makeCpuTarget("x86-64-v4")};
  const auto planned = planRegion(region, cpu, *parseSchedule("algorithm=direct"));
  const auto* plan = std::get_if<RegionPlan>(&planned);
  ASSERT_TRUE(plan) << std::get<backend_api::Declined>(planned).reason;
  EXPECT_TRUE(std::get<ConvPlan>(plan->contraction.kernel).isWinograd);
  const auto schedules = schedulesOf(region, cpu);
  ASSERT_TRUE(schedules);
  EXPECT_EQ(schedules->choices, (std::vector<std::string>{"outer=panels", "outer=rows"}));
}

/// Contractions as regions have them: of whole and of broken tiles and blocks, with borders, in one
/// order and another, with what follows on accumulators. LANES stands for the size of blocks.
constexpr const char* kRegions = R"(
  func.func private @borders(%x: tensor<2x40x9x11xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>,
                             %w: tensor<40x40x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>)
      -> tensor<2x40x9x11xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
    %0 = tsr.conv %x, %w {pads = array<i64: 1, 1, 1, 1>}
        : (tensor<2x40x9x11xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>,
           tensor<40x40x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>)
        -> tensor<2x40x9x11xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
    %1 = tsr.relu %0 : (tensor<2x40x9x11xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>)
        -> tensor<2x40x9x11xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
    return %1 : tensor<2x40x9x11xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  }
  func.func private @few(%x: tensor<1x3x5x4xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>,
                         %w: tensor<5x3x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>)
      -> tensor<1x5x3x2xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
    %0 = tsr.conv %x, %w
        : (tensor<1x3x5x4xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>,
           tensor<5x3x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>)
        -> tensor<1x5x3x2xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
    return %0 : tensor<1x5x3x2xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  }
  func.func private @strided(%x: tensor<1x32x13x13xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>,
                             %w: tensor<100x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>)
      -> tensor<1x100x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
    %0 = tsr.conv %x, %w {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
        : (tensor<1x32x13x13xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>,
           tensor<100x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>)
        -> tensor<1x100x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
    return %0 : tensor<1x100x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  }
  func.func private @row_major(%x: tensor<1x3x20x20xf32>,
                               %w: tensor<24x3x5x5xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>)
      -> tensor<1x24x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
    %0 = tsr.conv %x, %w
        : (tensor<1x3x20x20xf32>, tensor<24x3x5x5xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>)
        -> tensor<1x24x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
    return %0 : tensor<1x24x16x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  }
  func.func private @packed(%x: tensor<37x50xf32>, %w: tensor<50x100xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>)
      -> tensor<37x100xf32> {
    %0 = tsr.matmul %x, %w : (tensor<37x50xf32>, tensor<50x100xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<37x100xf32>
    return %0 : tensor<37x100xf32>
  }
  func.func private @one_row(%x: tensor<1x70xf32>, %w: tensor<70x90xf32>) -> tensor<1x90xf32> {
    %0 = tsr.matmul %x, %w : (tensor<1x70xf32>, tensor<70x90xf32>) -> tensor<1x90xf32>
    return %0 : tensor<1x90xf32>
  }
  func.func private @long(%x: tensor<40x1100xf32>, %w: tensor<1100x90xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<90xf32>)
      -> tensor<40x90xf32> {
    %0 = tsr.gemm %x, %w, %c : (tensor<40x1100xf32>, tensor<1100x90xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, tensor<90xf32>) -> tensor<40x90xf32>
    %1 = tsr.gelu %0 : (tensor<40x90xf32>) -> tensor<40x90xf32>
    return %1 : tensor<40x90xf32>
  }
  func.func private @batched(%x: tensor<3x2x19x20xf32>, %w: tensor<2x20x33xf32>) -> tensor<3x2x19x33xf32> {
    %0 = tsr.matmul %x, %w : (tensor<3x2x19x20xf32>, tensor<2x20x33xf32>) -> tensor<3x2x19x33xf32>
    return %0 : tensor<3x2x19x33xf32>
  }
  func.func private @transposed(%x: tensor<30x21xf32>, %w: tensor<40x30xf32>, %c: tensor<40xf32>) -> tensor<21x40xf32> {
    %0 = tsr.gemm %x, %w, %c {transA = 1 : i64, transB = 1 : i64} : (tensor<30x21xf32>, tensor<40x30xf32>, tensor<40xf32>) -> tensor<21x40xf32>
    return %0 : tensor<21x40xf32>
  }
  func.func private @depthwise(%x: tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>,
                               %w: tensor<40x1x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>)
      -> tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
    %0 = tsr.conv %x, %w {group = 40 : i64, pads = array<i64: 1, 1, 1, 1>}
        : (tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>,
           tensor<40x1x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>)
        -> tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
    return %0 : tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  }
  func.func private @groups(%x: tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %w: tensor<40x2x3x3xf32>)
      -> tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
    %0 = tsr.conv %x, %w {group = 20 : i64, pads = array<i64: 1, 1, 1, 1>}
        : (tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<40x2x3x3xf32>)
        -> tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
    return %0 : tensor<1x40x9x19xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  }
  func.func private @few_results(%x: tensor<1x5x20x45xf32>, %w: tensor<3x5x3x3xf32>) -> tensor<1x3x20x45xf32> {
    %0 = tsr.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x5x20x45xf32>, tensor<3x5x3x3xf32>) -> tensor<1x3x20x45xf32>
    return %0 : tensor<1x3x20x45xf32>
  }
  func.func private @attention(%q: tensor<2x13x16xf32>, %k: tensor<2x16x150xf32>, %v: tensor<2x150x40xf32>) -> tensor<2x13x40xf32> {
    %0 = tsr.matmul %q, %k : (tensor<2x13x16xf32>, tensor<2x16x150xf32>) -> tensor<2x13x150xf32>
    %1 = tsr.softmax %0 : (tensor<2x13x150xf32>) -> tensor<2x13x150xf32>
    %2 = tsr.matmul %1, %v : (tensor<2x13x150xf32>, tensor<2x150x40xf32>) -> tensor<2x13x40xf32>
    return %2 : tensor<2x13x40xf32>
  }
  func.func private @long_attention(%q: tensor<9x24xf32>, %k: tensor<24x1500xf32>, %v: tensor<1500x20xf32>) -> tensor<9x20xf32> {
    %0 = tsr.matmul %q, %k : (tensor<9x24xf32>, tensor<24x1500xf32>) -> tensor<9x1500xf32>
    %1 = tsr.softmax %0 : (tensor<9x1500xf32>) -> tensor<9x1500xf32>
    %2 = tsr.matmul %1, %v : (tensor<9x1500xf32>, tensor<1500x20xf32>) -> tensor<9x20xf32>
    return %2 : tensor<9x20xf32>
  })";

class SchedulesOfTest : public testing::TestWithParam<const char*> {
 protected:
  SchedulesOfTest() {
    context_.loadDialect<ir::TsrDialect, func::FuncDialect>();
    cpu_ = CodeTarget{*lowering::makeCpuTarget(GetParam())};
    text_ = kRegions;
    const std::string lanes = std::to_string(cpu_.vectorLanes);
    for (size_t at = 0; (at = text_.find("LANES", at)) != std::string::npos;)
      text_.replace(at, 5, lanes);
  }

  MLIRContext context_;
  CodeTarget cpu_;
  std::string text_;
};

/// Of any reduction, in parts of a few steps and such that none or all of them are left over.
constexpr const char* kReductions[] = {"reduce=16",
                                       "reduce=33",
                                       "split=2",
                                       "split=5",
                                       "tile=4x2 unroll=2 outer=rows reduce=20",
                                       "outer=panels reduce=100"};

/// Each region once for each of its schedules, and once without: "borders", "borders_0", ...
std::string withSchedules(ModuleOp module, const CodeTarget& cpu) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto region : module.getOps<func::FuncOp>()) {
    stream << region << "\n";
    const auto schedules = schedulesOf(region, cpu);
    if (!schedules) {
      ADD_FAILURE() << region.getName().str() << " has no schedules";
      continue;
    }
    std::vector<std::string> choices = schedules->choices;
    choices.insert(choices.end(), std::begin(kReductions), std::end(kReductions));
    for (auto [i, choice] : llvm::enumerate(choices)) {
      auto copy = region.clone();
      copy.setName((region.getName() + "_" + std::to_string(i)).str());
      copy->setAttr(backend_api::kScheduleAttribute, StringAttr::get(copy.getContext(), choice));
      stream << copy << "\n";
      copy->erase();
    }
  }
  return text;
}

TEST_P(SchedulesOfTest, ChoicesDependOnTheClassAlone) {
  auto module = parseSourceString<ModuleOp>(text_, &context_);
  ASSERT_TRUE(module);
  std::set<std::string> classes;
  for (auto region : module->getOps<func::FuncOp>()) {
    const auto before = schedulesOf(region, cpu_);
    ASSERT_TRUE(before) << region.getName().str();
    EXPECT_TRUE(classes.insert(before->shapeClass).second) << before->shapeClass;
    EXPECT_GE(before->choices.size(), 3U);
    const std::set<std::string> distinct(before->choices.begin(), before->choices.end());
    EXPECT_EQ(distinct.size(), before->choices.size());
    region->setAttr(backend_api::kScheduleAttribute,
                    StringAttr::get(&context_, before->choices.front()));
    EXPECT_EQ(schedulesOf(region, cpu_)->choices, before->choices);
  }
}

TEST_P(SchedulesOfTest, EachComputesTheSame) {
  if (!lowering::runsHere(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
  auto module = parseSourceString<ModuleOp>(text_, &context_);
  ASSERT_TRUE(module);
  auto runner = KernelRunner::compile(withSchedules(*module, cpu_), GetParam());
  ASSERT_TRUE(runner) << runner.error().toString();
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<Tensor> inputs;
  Evaluation expected;
  std::set<std::string> entries;
  for (const std::string& name : (*runner)->regions()) {
    SCOPED_TRACE(name);
    func::FuncOp region = (*runner)->region(name);
    if (!region->hasAttr(backend_api::kScheduleAttribute)) {
      inputs.clear();
      for (const Type type : region.getArgumentTypes()) {
        Tensor& input =
            inputs.emplace_back(ElementType::kF32, cast<RankedTensorType>(type).getShape().vec());
        for (float& element : input.as<float>()) element = values(random);
      }
      auto evaluated = (*runner)->evaluate(name, inputs);
      ASSERT_TRUE(evaluated) << evaluated.error().toString();
      expected = std::move(*evaluated);
    }
    const auto actual = (*runner)->run(name, inputs, 2);
    ASSERT_TRUE(actual) << actual.error().toString();
    const std::span<const float> found = actual->front().as<float>(),
                                 wanted = expected.tensors.front().as<float>();
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], 2e-4) << i;
  }
  for (const auto& answer : (*runner)->emission().regions)
    entries.insert(std::get<backend_api::RegionCode>(answer).entry);
  // Schedules that differ from the emitter's choice are other code.
  EXPECT_GT(entries.size(), (*runner)->regions().size() / 2);
}

INSTANTIATE_TEST_SUITE_P(Cpus, SchedulesOfTest, testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto& cpu) { return std::string(cpu.param).substr(7); });

}  // namespace
}  // namespace tessera::backend_native
