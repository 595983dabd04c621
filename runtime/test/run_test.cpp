// Static programs: binding, running, outputs, profile.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "artifact/test/test_bundles.h"
#include "runtime/test/runtime_fixture.h"

namespace tessera::runtime::test {
namespace {

class RunTest : public ::testing::Test {
 protected:
  RunTest() { std::iota(x_.begin(), x_.end(), 0.0f); }

  tessera_dltensor xTensor() { return Context::plainTensor(ElementType::kF32, shape_, x_.data()); }
  void expectResult(const float* y) const {
    for (size_t i = 0; i < x_.size(); ++i)
      EXPECT_EQ(y[i], 2 * (x_[i] + static_cast<float>(i))) << i;
  }
  /// Status of binding a tensor to input "x".
  tessera_status bind(const tessera_dltensor& tensor) {
    return tessera_context_set_input(context_.handle(), "x", &tensor);
  }
  std::string message() const { return tessera_context_message(context_.handle()); }

  std::array<float, 16> x_;
  const std::vector<int64_t> shape_ = {2, 8};
  const Executable executable_ = mustLoad(artifact::test::staticBundle(kernelCode()));
  Context context_ = mustCreate(executable_);
};

TEST_F(RunTest, ComputesThroughArenaAndConstant) {
  ASSERT_TRUE(context_.setInput("x", xTensor()));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(context_.run());
    auto y = context_.output("y");
    ASSERT_TRUE(y);
    EXPECT_EQ(shapeOf(*y), shape_);
    EXPECT_EQ(fromDtype(y->dtype), ElementType::kF32);
    expectResult(static_cast<const float*>(y->data));
    x_[3] += 1;  // Bound without copying: the next run sees it.
  }
}

TEST_F(RunTest, TouchingMemoryChangesNothing) {
  context_.touchMemory();
  ASSERT_TRUE(context_.setInput("x", xTensor()));
  ASSERT_TRUE(context_.run());
  context_.touchMemory();
  const auto y = context_.output("y");
  ASSERT_TRUE(y);
  expectResult(static_cast<const float*>(y->data));
  tessera_context_touch_memory(nullptr);
}

TEST_F(RunTest, NothingIsLeftInMemoryThatWasFilled) {
  ASSERT_TRUE(context_.setInput("x", xTensor()));
  ASSERT_TRUE(context_.run());
  const auto before = context_.output("y");
  ASSERT_TRUE(before);
  context_.fillMemory(0xCD);
  EXPECT_EQ(*static_cast<const uint32_t*>(before->data), 0xCDCDCDCD);
  EXPECT_FALSE(context_.output("y"));
  ASSERT_TRUE(context_.run());
  const auto after = context_.output("y");
  ASSERT_TRUE(after);
  expectResult(static_cast<const float*>(after->data));
  tessera_context_fill_memory(nullptr, 0);
}

TEST_F(RunTest, DescribesItself) {
  const tessera_executable_info& info = executable_.info();
  EXPECT_STREQ(info.model_name, "model");
  EXPECT_STREQ(info.producer, "tessera test");
  ASSERT_EQ(info.num_inputs, 1u);
  EXPECT_STREQ(info.inputs[0]->name, "x");
  EXPECT_EQ(info.inputs[0]->rank, 2);
  EXPECT_EQ(info.inputs[0]->dims[1], 8);
  EXPECT_STREQ(info.inputs[0]->dim_names[1], "");
  ASSERT_EQ(info.num_regions, 2u);
  EXPECT_STREQ(info.regions[1]->name, "twice16");
  EXPECT_STREQ(info.regions[1]->backend, "native");
  ASSERT_EQ(info.regions[1]->num_nodes, 1u);
  EXPECT_STREQ(info.regions[1]->node_names[0], "node_twice16");
  EXPECT_EQ(info.regions[1]->flops, 16u);
  ASSERT_EQ(info.num_metadata, 1u);
  EXPECT_STREQ(info.metadata[0]->value, "value");
  EXPECT_EQ(info.arena_bytes, 64u);
  EXPECT_EQ(info.constant_bytes, 64u);
  EXPECT_GT(info.code_bytes, 1000u);
  EXPECT_EQ(info.num_instructions, 2u);
  EXPECT_EQ(info.is_static, 1);
}

TEST_F(RunTest, ChecksEveryPropertyOfAnInput) {
  tessera_dltensor tensor = xTensor();
  tensor.dtype = toDtype(ElementType::kI32);
  EXPECT_EQ(bind(tensor), TESSERA_ERROR_DTYPE);
  EXPECT_EQ(message(), "input 'x' has element type i32, expected f32");

  tensor = xTensor();
  std::array<int64_t, 3> otherShape = {2, 4, 2};
  tensor.shape = otherShape.data();
  EXPECT_EQ(bind(tensor), TESSERA_ERROR_SHAPE);
  EXPECT_EQ(message(), "input 'x' has shape [2, 4], expected [2, 8]");
  tensor.ndim = 3;
  EXPECT_EQ(bind(tensor), TESSERA_ERROR_SHAPE);
  EXPECT_EQ(message(), "input 'x' has shape [2, 4, 2], expected [2, 8]");

  tensor = xTensor();
  std::array<int64_t, 2> strides = {1, 2};
  tensor.strides = strides.data();
  EXPECT_EQ(bind(tensor), TESSERA_ERROR_STRIDES);
  EXPECT_EQ(message(), "input 'x' has stride 2 in dimension 1, expected 1 (compact row-major)");
  strides = {8, 1};
  EXPECT_EQ(bind(tensor), TESSERA_OK);

  tensor = xTensor();
  tensor.byte_offset = 2;
  EXPECT_EQ(bind(tensor), TESSERA_ERROR_ALIGNMENT);
  EXPECT_EQ(message(),
            "input 'x' is not aligned: its data must start at a multiple of 4 bytes, the size of "
            "its f32 elements");

  tensor = xTensor();
  tensor.device.device_type = 2;
  EXPECT_EQ(bind(tensor), TESSERA_ERROR_DEVICE);
  EXPECT_EQ(message(), "input 'x' is on DLPack device type 2, expected host memory (1)");

  tensor = xTensor();
  tensor.data = nullptr;
  EXPECT_EQ(bind(tensor), TESSERA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "input 'x' has no data");
  EXPECT_EQ(tessera_context_set_input(context_.handle(), "x", nullptr),
            TESSERA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tessera_context_set_input(context_.handle(), "z", &tensor), TESSERA_ERROR_NO_SUCH_NAME);
  EXPECT_EQ(message(), "there is no input 'z', expected one of 'x'");
  EXPECT_EQ(tessera_context_set_input_at(context_.handle(), 1, &tensor), TESSERA_ERROR_INDEX_RANGE);
  EXPECT_EQ(message(), "there is no input 1, the model has 1");
}

TEST_F(RunTest, NullArgumentsAreNamed) {
  tessera_dltensor tensor = xTensor();
  const auto expectMessage = [&](tessera_status status, const char* expected) {
    EXPECT_EQ(status, TESSERA_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(message(), expected);
    // Another failure in between: its message must not stay.
    EXPECT_EQ(tessera_context_set_input_at(context_.handle(), 9, &tensor),
              TESSERA_ERROR_INDEX_RANGE);
  };
  tessera_context* context = context_.handle();
  expectMessage(tessera_context_set_input(context, nullptr, &tensor),
                "the name of the input is null");
  expectMessage(tessera_context_set_input(context, "x", nullptr), "input 'x' is null");
  expectMessage(tessera_context_set_output(context, nullptr, &tensor),
                "the name of the output is null");
  expectMessage(tessera_context_get_output(context, nullptr, &tensor),
                "the name of the output is null");
  expectMessage(tessera_context_get_output(context, "y", nullptr),
                "the tensor for the output is null");
  expectMessage(tessera_context_get_output_at(context, 0, nullptr),
                "the tensor for the output is null");
  const tessera_profile_entry* entries = nullptr;
  uint32_t count = 0;
  expectMessage(tessera_context_profile(context, nullptr, &count),
                "the place for the entries is null");
  expectMessage(tessera_context_profile(context, &entries, nullptr),
                "the place for their number is null");
}

TEST_F(RunTest, ByteOffsetIsAdded) {
  std::array<float, 20> padded = {};
  std::iota(padded.begin() + 4, padded.end(), 0.0f);
  tessera_dltensor tensor = Context::plainTensor(ElementType::kF32, shape_, padded.data());
  tensor.byte_offset = 16;
  ASSERT_EQ(bind(tensor), TESSERA_OK);
  ASSERT_TRUE(context_.run());
  expectResult(static_cast<const float*>(context_.output(0)->data));
}

TEST_F(RunTest, ElementAlignmentIsEnough) {
  alignas(64) std::array<float, 17> storage = {};
  std::iota(storage.begin() + 1, storage.end(), 0.0f);
  ASSERT_EQ(bind(Context::plainTensor(ElementType::kF32, shape_, storage.data() + 1)), TESSERA_OK);
  ASSERT_TRUE(context_.run());
  expectResult(static_cast<const float*>(context_.output(0)->data));
}

TEST_F(RunTest, NeedsInputsBeforeRunAndRunBeforeOutputs) {
  tessera_dltensor y = {};
  EXPECT_EQ(tessera_context_get_output(context_.handle(), "y", &y), TESSERA_ERROR_NOT_RUN);
  EXPECT_EQ(tessera_context_run(context_.handle()), TESSERA_ERROR_INPUT_NOT_SET);
  EXPECT_EQ(message(), "input 'x' is not set");
  EXPECT_EQ(tessera_context_get_output(context_.handle(), "q", &y), TESSERA_ERROR_NO_SUCH_NAME);
}

TEST_F(RunTest, Z1_OutputGoesWhereTheCallerWants) {
  std::array<float, 16> mine = {};
  ASSERT_TRUE(context_.setInput(0, xTensor()));
  ASSERT_TRUE(context_.setOutput(0, Context::plainTensor(ElementType::kF32, shape_, mine.data())));
  ASSERT_TRUE(context_.run());
  expectResult(mine.data());
  EXPECT_EQ(context_.output(0)->data, mine.data());
  ASSERT_EQ(tessera_context_set_output(context_.handle(), "y", nullptr), TESSERA_OK);
  ASSERT_TRUE(context_.run());
  EXPECT_NE(context_.output(0)->data, mine.data());
  expectResult(static_cast<const float*>(context_.output(0)->data));
}

TEST_F(RunTest, Z2_OutputsThatShareABufferAreCopiedWhereWanted) {
  artifact::Bundle bundle = artifact::test::staticBundle(kernelCode());
  bundle.outputs.push_back({.name = "again", .buffer = 3});
  bundle.outputs.push_back({.name = "input", .buffer = 0});
  bundle.outputs.push_back({.name = "constant", .buffer = 1});
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  std::array<std::array<float, 16>, 3> mine = {};
  ASSERT_TRUE(context.setInput(0, xTensor()));
  for (uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(
        context.setOutput(i + 1, Context::plainTensor(ElementType::kF32, shape_, mine[i].data())));
  }
  ASSERT_TRUE(context.run());
  expectResult(static_cast<const float*>(context.output(0)->data));
  expectResult(mine[0].data());
  EXPECT_EQ(mine[1], x_);
  EXPECT_EQ(mine[2][15], 15.0f);
}

TEST_F(RunTest, Z3_AReshapeOfAnInputIsReadInPlace) {
  artifact::Bundle bundle = oneKernel("twice16", {input({2, 8})}, {output({16})});
  artifact::Buffer flat = artifact::test::plainBuffer({16}, artifact::Storage::kView);
  flat.index = 0;
  bundle.buffers.push_back(flat);
  std::get<artifact::CallInstruction>(bundle.program[0]).inputs = {2};
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  ASSERT_TRUE(context.setInput(0, xTensor()));
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(context.run());
    for (size_t i = 0; i < 16; ++i) EXPECT_EQ(valuesOf<float>(*context.output(0))[i], 2 * x_[i]);
    x_[5] -= 40;  // Nothing was copied when it was bound, and nothing is when it runs.
  }
  EXPECT_EQ(executable.info().num_instructions, 1u);
  EXPECT_LT(context.memoryBytes(), 2 * 64u);
}

TEST_F(RunTest, ProfileCountsCallsPerRegion) {
  ASSERT_TRUE(context_.setInput(0, xTensor()));
  ASSERT_TRUE(context_.run());
  EXPECT_EQ(context_.profile()[0].count, 0u);
  ASSERT_TRUE(context_.setProfiling(true));
  ASSERT_TRUE(context_.run());
  ASSERT_TRUE(context_.run());
  ASSERT_EQ(context_.profile().size(), 2u);
  EXPECT_EQ(context_.profile()[1].region, 1u);
  EXPECT_EQ(context_.profile()[1].count, 2u);
  ASSERT_TRUE(context_.setProfiling(false));
  ASSERT_TRUE(context_.run());
  EXPECT_EQ(context_.profile()[1].count, 2u);
  ASSERT_TRUE(context_.setProfiling(true));
  EXPECT_EQ(context_.profile()[1].count, 0u);
}

TEST_F(RunTest, ViewsAndCopiesMoveBytes) {
  // y = the second half of x in front of its first half.
  artifact::Bundle bundle = oneKernel("add16", {input({16})}, {output({16})});
  artifact::Buffer half = artifact::test::plainBuffer({8}, artifact::Storage::kView);
  half.index = 1;
  half.offset = 32;
  bundle.buffers.push_back(half);
  bundle.program = {artifact::CopyInstruction{.source = 0, .destination = 1, .sourceOffset = 32},
                    artifact::CopyInstruction{.source = 0, .destination = 2, .sizeBytes = 32}};
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  const std::vector<int64_t> shape = {16};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x_.data()));
  ASSERT_TRUE(context.run());
  const std::vector<float> y = valuesOf<float>(*context.output(0));
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(y[i], x_[(i + 8) % 16]);
}

TEST_F(RunTest, WorkspaceGrowsBeyondWhatTheArtifactSays) {
  const Executable executable =
      mustLoad(oneKernel("reverse_through_workspace", {input({16})}, {output({16})}));
  Context context = mustCreate(executable);
  const std::vector<int64_t> shape = {16};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x_.data()));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(valuesOf<float>(*context.output(0))[0], x_[15]);
  EXPECT_GE(context.memoryBytes(), uint64_t{1} << 20);
}

TEST_F(RunTest, AWorkspaceOfNoBytesIsNoMistake) {
  const Executable executable =
      mustLoad(oneKernel("copy_without_scratch", {input({16})}, {output({16})}));
  Context context = mustCreate(executable);
  const std::vector<int64_t> shape = {16};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x_.data()));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(valuesOf<float>(*context.output(0))[3], x_[3]);
}

TEST_F(RunTest, ScratchThatIsInThePlanIsTakenFromThere) {
  constexpr int64_t kScratchBytes = int64_t{1} << 20;
  artifact::Bundle bundle = oneKernel("reverse_through_workspace", {input({16})}, {output({16})});
  artifact::Buffer scratch =
      artifact::test::plainBuffer({kScratchBytes / 4}, artifact::Storage::kArena);
  scratch.offset = 64;
  bundle.buffers.push_back(scratch);
  bundle.memorySpaces[0].arenaBytes = kScratchBytes + 64;
  bundle.regions[0].implementations[0].workspaceBytes = kScratchBytes;
  std::get<artifact::CallInstruction>(bundle.program[0]).workspace = 2;
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  const std::vector<int64_t> shape = {16};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x_.data()));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(valuesOf<float>(*context.output(0))[0], x_[15]);
  EXPECT_LT(context.memoryBytes(), uint64_t{2} << 20);
}

TEST_F(RunTest, KernelErrorsNameTheRegion) {
  const Executable failing = mustLoad(oneKernel("return_error", {}, {output({16})}));
  const Context context = mustCreate(failing);
  EXPECT_EQ(tessera_context_run(context.handle()), TESSERA_ERROR_KERNEL);
  EXPECT_STREQ(
      tessera_context_message(context.handle()),
      "region 'return_error' (node 'node_return_error'): backend 'native' returned error 7");
  const Executable logging = mustLoad(oneKernel("log_error", {}, {output({16})}));
  const Context loggingContext = mustCreate(logging);
  EXPECT_EQ(tessera_context_run(loggingContext.handle()), TESSERA_ERROR_KERNEL);
  EXPECT_STREQ(
      tessera_context_message(loggingContext.handle()),
      "region 'log_error' (node 'node_log_error'): index 12 is out of range, expected less "
      "than 10");
  tessera_dltensor y = {};
  EXPECT_EQ(tessera_context_get_output_at(loggingContext.handle(), 0, &y), TESSERA_ERROR_NOT_RUN);
}

TEST(RuntimeApi, BoolAcceptsOlderDlpackTypes) {
  const artifact::Bundle bundle =
      oneKernel("forget_output", {input({2}, ElementType::kBool)}, {output({16})});
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable);
  const std::array<uint8_t, 2> values = {0, 1};
  const std::vector<int64_t> shape = {2};
  tessera_dltensor tensor = Context::plainTensor(ElementType::kBool, shape, values.data());
  EXPECT_TRUE(context.setInput(0, tensor));
  tensor.dtype = {.code = TESSERA_DTYPE_UINT, .bits = 8, .lanes = 1};
  EXPECT_TRUE(context.setInput(0, tensor));
  tensor.dtype = {.code = TESSERA_DTYPE_UINT, .bits = 1, .lanes = 1};
  EXPECT_TRUE(context.setInput(0, tensor));
  tensor.dtype = {.code = TESSERA_DTYPE_INT, .bits = 8, .lanes = 1};
  EXPECT_FALSE(context.setInput(0, tensor));
}

TEST(RuntimeApi, NullHandlesAreHarmless) {
  tessera_executable_destroy(nullptr);
  tessera_context_destroy(nullptr);
  EXPECT_EQ(tessera_executable_describe(nullptr), nullptr);
  EXPECT_EQ(tessera_context_run(nullptr), TESSERA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tessera_context_create(nullptr, nullptr, nullptr, nullptr, 0),
            TESSERA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tessera_executable_load_file(nullptr, nullptr, nullptr, nullptr, 0),
            TESSERA_ERROR_INVALID_ARGUMENT);
#define TESSERA_STATUS(name, number, meaning)     \
  EXPECT_STREQ(tessera_status_name(name), #name); \
  EXPECT_EQ(name, number);
#include "tessera/status_codes.def"
#undef TESSERA_STATUS
  EXPECT_STREQ(tessera_status_name(-5), "unknown status");
}

TEST(RuntimeApi, NegativeThreadCountIsRefused) {
  const Executable executable = mustLoad(artifact::test::staticBundle(kernelCode()));
  const auto context = Context::create(executable, {.numThreads = -1});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().message, "the number of threads is -1");
}

TEST(RuntimeApi, ThreadCountComesFromContextThenArtifact) {
  artifact::Bundle bundle = oneKernel("report_threads", {}, {output({1}, ElementType::kI64)});
  bundle.defaultThreads = 3;
  const Executable executable = mustLoad(bundle);
  Context context = mustCreate(executable, 0);
  ASSERT_TRUE(context.run());
  EXPECT_EQ(valuesOf<int64_t>(*context.output(0))[0], 3);
  ASSERT_TRUE(context.setNumThreads(2));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(valuesOf<int64_t>(*context.output(0))[0], 2);
}

}  // namespace
}  // namespace tessera::runtime::test
