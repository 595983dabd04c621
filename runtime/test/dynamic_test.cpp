// Shapes that are known only at run time.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "artifact/test/test_bundles.h"
#include "runtime/test/runtime_fixture.h"

namespace tessera::runtime::test {
namespace {

using artifact::kDynamic;
using artifact::Storage;
using artifact::test::plainBuffer;

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST(DynamicTest, OutputAndItsViewFollowTheInput) {
  const Executable executable = mustLoad(artifact::test::dynamicBundle(kernelCode()));
  EXPECT_EQ(executable.info().is_static, 0);
  EXPECT_EQ(executable.info().inputs[0]->dims[0], -1);
  EXPECT_STREQ(executable.info().inputs[0]->dim_names[0], "batch");
  Context context = mustCreate(executable);
  for (const int64_t batch : {2, 5, 1, 0, 100}) {
    const std::vector<float> x = counting(static_cast<size_t>(batch) * 3);
    const std::vector<int64_t> shape = {batch, 3};
    ASSERT_TRUE(context.setInput("x", ElementType::kF32, shape, x.data()));
    const Status status = context.run();
    ASSERT_TRUE(status) << status.error().message;
    auto y = context.output("y");
    auto z = context.output("z");
    ASSERT_TRUE(y && z);
    EXPECT_EQ(shapeOf(*y), shape);
    EXPECT_EQ(shapeOf(*z), (std::vector<int64_t>{batch * 3}));
    EXPECT_EQ(y->data, z->data);
    const std::vector<float> values = valuesOf<float>(*y);
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 2 * x[i]);
  }
}

TEST(DynamicTest, MemoryGrowsOnlyWhenNeeded) {
  const Executable executable = mustLoad(artifact::test::dynamicBundle(kernelCode()));
  Context context = mustCreate(executable);
  const std::vector<float> x = counting(3000);
  const auto runWith = [&](int64_t batch) {
    const std::vector<int64_t> shape = {batch, 3};
    EXPECT_TRUE(context.setInput("x", ElementType::kF32, shape, x.data()));
    EXPECT_TRUE(context.run());
    return context.memoryBytes();
  };
  const uint64_t small = runWith(10);
  const uint64_t large = runWith(1000);
  EXPECT_GT(large, small);
  EXPECT_EQ(runWith(10), large);
  EXPECT_EQ(runWith(999), large);
}

/// y = 2^length x, one region after the other on [?, 3].
artifact::Bundle chainBundle(size_t length) {
  artifact::Bundle bundle = oneKernel("twice_dynamic", {input({kDynamic, 3})}, {});
  bundle.program.clear();
  for (uint32_t i = 0; i < length; ++i) {
    const Storage storage = i + 1 < length ? Storage::kDynamic : Storage::kOutput;
    bundle.buffers.push_back(plainBuffer({kDynamic, 3}, storage));
    bundle.program.emplace_back(
        artifact::CallInstruction{.region = 0, .inputs = {i}, .outputs = {i + 1}});
  }
  bundle.outputs = {{.name = "y", .buffer = static_cast<uint32_t>(length)}};
  return bundle;
}

TEST(DynamicTest, BuffersThatNeverLiveTogetherShareMemory) {
  const std::vector<int64_t> shape = {1000, 3};
  const std::vector<float> x = counting(3000);
  const auto bytesOf = [&](size_t length) {
    const Executable executable = mustLoad(chainBundle(length));
    EXPECT_EQ(executable.info().num_run_time_sized_buffers, length);
    Context context = mustCreate(executable);
    const uint64_t before = context.memoryBytes();
    EXPECT_TRUE(context.setInput(0, ElementType::kF32, shape, x.data()));
    for (int round = 0; round < 2; ++round) {
      EXPECT_TRUE(context.run());
      const std::vector<float> y = valuesOf<float>(*context.output(0));
      for (size_t i = 0; i < y.size(); i += 100)
        EXPECT_EQ(y[i], std::ldexp(x[i], static_cast<int>(length))) << i;
    }
    return context.memoryBytes() - before;
  };
  EXPECT_GE(bytesOf(2), 2 * x.size() * sizeof(float));
  EXPECT_EQ(bytesOf(10), bytesOf(2));
}

TEST(DynamicTest, WhatIsReadLaterKeepsItsMemory) {
  // Of a chain of six, the second result is an output, a view of the first is read at the end.
  artifact::Bundle bundle = chainBundle(6);
  bundle.outputs.push_back({.name = "second", .buffer = 2});
  artifact::Buffer view = plainBuffer({kDynamic}, Storage::kView);
  view.index = 1;
  bundle.buffers.push_back(view);
  bundle.buffers.push_back(output({kDynamic}));
  bundle.outputs.push_back({.name = "flat", .buffer = 8});
  bundle.program.insert(bundle.program.begin() + 1,
                        artifact::ViewInstruction{.view = 7, .dims = {kDynamic}});
  bundle.program.emplace_back(artifact::CopyInstruction{.source = 7, .destination = 8});
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  for (const int64_t batch : {2, 50, 3}) {
    const std::vector<float> x = counting(static_cast<size_t>(batch) * 3);
    const std::vector<int64_t> shape = {batch, 3};
    ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x.data()));
    ASSERT_TRUE(context.run());
    const std::vector<float> last = valuesOf<float>(*context.output("y"));
    const std::vector<float> second = valuesOf<float>(*context.output("second"));
    const std::vector<float> flat = valuesOf<float>(*context.output("flat"));
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(last[i], 64 * x[i]);
      EXPECT_EQ(second[i], 4 * x[i]);
      EXPECT_EQ(flat[i], 2 * x[i]);
    }
  }
}

TEST(DynamicTest, SizeMayDependOnData) {
  const Executable executable =
      mustLoad(oneKernel("non_zero", {input({kDynamic})}, {output({kDynamic}, ElementType::kI64)}));
  Context context = mustCreate(executable);
  const std::vector<float> x = {0, 1, 0, 0, 2, 3};
  const std::vector<int64_t> shape = {6};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x.data()));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(valuesOf<int64_t>(*context.output(0)), (std::vector<int64_t>{1, 4, 5}));
}

TEST(DynamicTest, KernelGetsOpenDimensionsInOrder) {
  const Executable executable =
      mustLoad(oneKernel("report_sizes", {input({kDynamic, 2}), input({3, kDynamic})},
                         {output({2}, ElementType::kI64)}));
  Context context = mustCreate(executable);
  const std::vector<float> data(64);
  const std::vector<int64_t> first = {7, 2};
  const std::vector<int64_t> second = {3, 5};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, first, data.data()));
  ASSERT_TRUE(context.setInput(1, ElementType::kF32, second, data.data()));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(valuesOf<int64_t>(*context.output(0)), (std::vector<int64_t>{7, 5}));
}

TEST(DynamicTest, EqualSymbolsMustGetEqualSizes) {
  artifact::Bundle bundle = oneKernel("report_sizes", {input({kDynamic, 2}), input({3, kDynamic})},
                                      {output({2}, ElementType::kI64)});
  bundle.inputs[0].dimNames = {"n", ""};
  bundle.inputs[1].dimNames = {"", "n"};
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  const std::vector<float> data(64);
  const std::vector<int64_t> first = {7, 2};
  const std::vector<int64_t> second = {3, 5};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, first, data.data()));
  ASSERT_TRUE(context.setInput(1, ElementType::kF32, second, data.data()));
  EXPECT_EQ(tessera_context_run(context.handle()), TESSERA_ERROR_SHAPE);
  EXPECT_STREQ(tessera_context_message(context.handle()),
               "dimension 'n' is 7 in input 'x0' but 5 in input 'x1'");
}

TEST(DynamicTest, WrongAllocationsAreReported) {
  const auto messageOf = [](const std::string& symbol, tessera_status expected) {
    const Executable executable =
        mustLoad(oneKernel(symbol, {}, {output({kDynamic}, ElementType::kI64)}));
    const Context context = mustCreate(executable);
    EXPECT_EQ(tessera_context_run(context.handle()), expected);
    return std::string(tessera_context_message(context.handle()));
  };
  EXPECT_EQ(messageOf("forget_output", TESSERA_ERROR_KERNEL),
            "region 'forget_output' (node 'node_forget_output'): it did not allocate its output 0");
  EXPECT_EQ(
      messageOf("wrong_rank", TESSERA_ERROR_SHAPE),
      "region 'wrong_rank' (node 'node_wrong_rank'): a tensor got shape [1, 1, 1], declared is "
      "[?]");
  EXPECT_EQ(messageOf("huge_output", TESSERA_ERROR_OUT_OF_MEMORY),
            "region 'huge_output' (node 'node_huge_output'): no memory for a tensor of "
            "2305843009213693952 bytes");
}

TEST(DynamicTest, RunTimeShapedOutputCannotBePlaced) {
  const Executable executable = mustLoad(artifact::test::dynamicBundle(kernelCode()));
  Context context = mustCreate(executable);
  std::vector<float> mine(30);
  const std::vector<int64_t> shape = {10, 3};
  const Status status =
      context.setOutput(0, Context::plainTensor(ElementType::kF32, shape, mine.data()));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "output 'y' has a run-time shape and cannot be placed");
}

/// Reshapes x [?, 3] to the shape in input "s" [2].
artifact::Bundle reshapeBundle() {
  artifact::Bundle bundle =
      oneKernel("forget_output", {input({kDynamic, 3}), input({2}, ElementType::kI64)}, {});
  artifact::Buffer view = plainBuffer({kDynamic, kDynamic}, Storage::kView);
  view.index = 0;
  bundle.buffers.push_back(view);
  bundle.buffers.push_back(output({kDynamic, kDynamic}));
  bundle.outputs = {{.name = "y", .buffer = 3}};
  bundle.program = {artifact::ViewInstruction{.view = 2, .dims = {}, .shapeBuffer = 1},
                    artifact::CopyInstruction{.source = 2, .destination = 3}};
  return bundle;
}

TEST(DynamicTest, ReshapeTakesItsShapeFromATensor) {
  const Executable executable = mustLoad(reshapeBundle());
  Context context = mustCreate(executable);
  const std::vector<float> x = counting(12);
  const std::vector<int64_t> shape = {4, 3};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x.data()));
  const std::vector<int64_t> length = {2};
  const auto reshapedTo = [&](std::vector<int64_t> target) {
    EXPECT_TRUE(context.setInput(1, ElementType::kI64, length, target.data()));
    const Status status = context.run();
    EXPECT_TRUE(status) << status.error().message;
    auto y = context.output(0);
    EXPECT_EQ(valuesOf<float>(*y), x);
    return shapeOf(*y);
  };
  EXPECT_EQ(reshapedTo({6, 2}), (std::vector<int64_t>{6, 2}));
  EXPECT_EQ(reshapedTo({-1, 6}), (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(reshapedTo({0, -1}), (std::vector<int64_t>{4, 3}));
}

TEST(DynamicTest, ImpossibleReshapeIsAnError) {
  const Executable executable = mustLoad(reshapeBundle());
  Context context = mustCreate(executable);
  const std::vector<float> x = counting(12);
  const std::vector<int64_t> shape = {4, 3};
  const std::vector<int64_t> length = {2};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x.data()));
  const auto messageFor = [&](std::vector<int64_t> target) {
    EXPECT_TRUE(context.setInput(1, ElementType::kI64, length, target.data()));
    EXPECT_EQ(tessera_context_run(context.handle()), TESSERA_ERROR_SHAPE);
    return std::string(tessera_context_message(context.handle()));
  };
  EXPECT_EQ(messageFor({6, 3}), "a view of shape [6, 3] does not fit into a tensor of 48 bytes");
  EXPECT_EQ(messageFor({2, 3}), "a reshape to [2, 3] does not use all 48 bytes of its tensor");
  EXPECT_EQ(messageFor({-1, 5}), "a reshape to [2, 5] does not use all 48 bytes of its tensor");
  EXPECT_EQ(messageFor({-1, -1}), "a reshape asks for shape [?, ?]");
  EXPECT_EQ(messageFor({-3, 1}), "a reshape asks for shape [-3, 1]");
  EXPECT_EQ(messageFor({INT64_MAX, INT64_MAX}),
            "a reshape asks for shape [9223372036854775807, 9223372036854775807]");
}

TEST(DynamicTest, ViewDimensionsFollowTheViewedTensor) {
  artifact::Bundle bundle = oneKernel("forget_output", {input({kDynamic, 3, 2})}, {});
  artifact::Buffer view = plainBuffer({kDynamic, 6}, Storage::kView);
  view.index = 0;
  bundle.buffers.push_back(view);
  bundle.outputs = {{.name = "y", .buffer = 1}};
  bundle.program = {artifact::ViewInstruction{.view = 1, .dims = {artifact::viewDimOf(0), 6}}};
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  const std::vector<float> x = counting(24);
  const std::vector<int64_t> shape = {4, 3, 2};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x.data()));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(shapeOf(*context.output(0)), (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(context.output(0)->data, x.data());
}

TEST(DynamicTest, GuardsChooseByRunTimeShape) {
  artifact::Bundle bundle = artifact::test::dynamicBundle(kernelCode());
  artifact::Implementation never = bundle.regions[0].implementations[0];
  never.symbol = "return_error";
  never.dimGuards = {{.input = 0, .dim = 0, .minimum = 10, .maximum = 20}};
  bundle.regions[0].implementations[0].dimGuards = {
      {.input = 0, .dim = 0, .minimum = 0, .maximum = 5}};
  bundle.regions[0].implementations.insert(bundle.regions[0].implementations.begin(), never);
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  const std::vector<float> x = counting(90);
  const auto runWith = [&](int64_t batch) {
    const std::vector<int64_t> shape = {batch, 3};
    EXPECT_TRUE(context.setInput("x", ElementType::kF32, shape, x.data()));
    return tessera_context_run(context.handle());
  };
  EXPECT_EQ(runWith(4), TESSERA_OK);
  EXPECT_EQ(runWith(15), TESSERA_ERROR_KERNEL);
  EXPECT_EQ(runWith(30), TESSERA_ERROR_BACKEND);
  EXPECT_STREQ(tessera_context_message(context.handle()),
               "no implementation of region 'twice_dynamic' accepts the shapes of this run");
}

}  // namespace
}  // namespace tessera::runtime::test
