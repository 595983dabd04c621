// Regions with several implementations: one that does not load, prepare or run gives way to the
// next.
#include <gtest/gtest.h>

#include "runtime/test/device_fixture.h"

namespace tessera::runtime::test {
namespace {

class FallbackTest : public DeviceTest {
 protected:
  using Implementations = std::vector<std::pair<std::string, std::string>>;

  /// y = x through one region.
  static artifact::Bundle bundle(Implementations implementations) {
    DeviceProgram program;
    const uint32_t x = program.input("x");
    program.call(std::move(implementations), {x}, program.output("y"));
    program.bundle.memorySpaces.resize(1);
    return program.bundle;
  }
  /// The output of one run, divided by x, must be `factor`.
  void expectFactor(const artifact::Bundle& bundle, float factor) const {
    const Executable executable = mustLoad(bundle);
    Context context = mustCreate(executable);
    ASSERT_TRUE(set(context, "x"));
    for (int round = 0; round < 2; ++round) {
      const Status status = context.run();
      ASSERT_TRUE(status) << status.error().message;
      expectOutput(context, "y", factor, 0);
    }
  }
};

TEST_F(FallbackTest, WhatDoesNotLoadGivesWay) {
  expectFactor(bundle({{"fakedevice", "fail_load"}, {"native", "twice16"}}), 2);
  expectFactor(bundle({{"fakedevice:7", "add"}, {"native", "twice16"}}), 2);
  expectFactor(bundle({{"native", "no_such_symbol"}, {"fakedevice", "add"}}), 1);
}

TEST_F(FallbackTest, WhatCannotBePreparedGivesWay) {
  expectFactor(bundle({{"fakedevice", "fail_prepare"}, {"native", "twice16"}}), 2);
}

TEST_F(FallbackTest, WhatFailsWhileRunningGivesWay) {
  expectFactor(bundle({{"fakedevice", "fail_run"}, {"native", "twice16"}}), 2);
  expectFactor(bundle({{"native", "return_error"}, {"fakedevice", "add"}}), 1);
}

TEST_F(FallbackTest, OnlyWhatRunsIsLoadedAndPrepared) {
  artifact::Bundle made = bundle({{"native", "twice16"}, {"fakedevice", "add"}});
  const Executable executable = mustLoad(made);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(fakedevice::log().devicesCreated, 0);
  made.regions[0].implementations[0].symbol = "return_error";
  const Executable failing = mustLoad(made);
  Context other = mustCreate(failing);
  EXPECT_EQ(fakedevice::log().devicesCreated, 0);
  ASSERT_TRUE(set(other, "x"));
  ASSERT_TRUE(other.run());
  EXPECT_EQ(fakedevice::log().devicesCreated, 1);
  EXPECT_EQ(fakedevice::log().preparedForThreads, (std::vector<int32_t>{1}));
}

TEST_F(FallbackTest, ConstantsArePreparedForTheOneThatRuns) {
  const auto preparedWith = [&](const std::string& firstKind, const std::string& firstSymbol) {
    fakedevice::reset();
    DeviceProgram program;
    const uint32_t x = program.input("x");
    const uint32_t constant = program.buffer(artifact::Storage::kConstant, kHost);
    program.bundle.constants = {
        {.contentHash = "c", .data = artifact::Blob::owned(std::vector<std::byte>(64))}};
    program.call({{firstKind, firstSymbol}, {"fakedevice", "add"}}, {x, constant},
                 program.output("y"));
    program.bundle.memorySpaces.resize(1);
    const Executable executable = mustLoad(program.bundle);
    Context context = mustCreate(executable);
    EXPECT_TRUE(set(context, "x"));
    EXPECT_TRUE(context.run());
    expectOutput(context, "y", 1, 0);
    return fakedevice::log().constantsPrepared;
  };
  EXPECT_EQ(preparedWith("native", "add16"), 0);
  EXPECT_EQ(preparedWith("quantum", "add"), 1);  // Nobody has it: the second loads.
}

TEST_F(FallbackTest, WhatTheInputIsToBlameForIsNotTriedAgain) {
  DeviceProgram program;
  const uint32_t x = program.input("x");
  program.call({{"native", "refuse_negative"}, {"fakedevice", "add"}}, {x}, program.output("y"));
  program.bundle.memorySpaces.resize(1);
  const Executable executable = mustLoad(program.bundle);
  Context context = mustCreate(executable);
  x_[0] = -1;
  ASSERT_TRUE(set(context, "x"));
  EXPECT_EQ(tessera_context_run(context.handle()), TESSERA_ERROR_SHAPE);
  EXPECT_EQ(fakedevice::log().devicesCreated, 0);
}

// Another implementation would compute with what was never written.
TEST_F(FallbackTest, WhatEarlierWorkIsToBlameForIsNotTriedAgain) {
  DeviceProgram program;
  const uint32_t x = program.input("x");
  const uint32_t middle = program.temporary(kHost);
  program.bundle.numEvents = 1;
  program.call({{"fakedevice", "fail_later"}}, {x}, middle).signal = 0;
  program.call({{"native", "twice16"}, {"fakedevice:1", "add"}}, {middle}, program.output("y"))
      .waits = {0};
  program.bundle.memorySpaces.resize(1);
  const Executable executable = mustLoad(program.bundle);
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(tessera_context_run(context.handle()), TESSERA_ERROR_KERNEL);
    EXPECT_STREQ(tessera_context_message(context.handle()), "region 'region0': it failed later");
  }
}

TEST_F(FallbackTest, AllReasonsAreTold) {
  const Executable executable =
      mustLoad(bundle({{"fakedevice", "fail_run"}, {"native", "return_error"}}));
  Context context = mustCreate(executable);
  ASSERT_TRUE(set(context, "x"));
  EXPECT_EQ(tessera_context_run(context.handle()), TESSERA_ERROR_KERNEL);
  EXPECT_STREQ(tessera_context_message(context.handle()),
               "region 'region0': fakedevice: it failed at once; native: backend 'native' returned "
               "error 7");
  auto none = load(bundle({{"fakedevice", "fail_load"}, {"quantum", "add"}}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message.find("no implementation of region 'region0' can run: fakedevice: "
                                      "there is no such symbol; quantum: backend 'quantum'"),
            0u)
      << none.error().message;
}

TEST_F(FallbackTest, BackendsPrepareForTheThreadsOfEachContext) {
  {
    const Executable executable = mustLoad(bundle({{"fakedevice", "threads"}}));
    Context context = mustCreate(executable, 3);
    ASSERT_TRUE(set(context, "x"));
    ASSERT_TRUE(context.run());
    EXPECT_EQ(valuesOf<float>(*context.output("y"))[0], 3);
    ASSERT_TRUE(context.setNumThreads(3));
    ASSERT_TRUE(context.setNumThreads(2));
    ASSERT_TRUE(context.run());
    EXPECT_EQ(valuesOf<float>(*context.output("y"))[0], 2);
    EXPECT_EQ(fakedevice::log().preparedForThreads, (std::vector<int32_t>{3, 2}));
    EXPECT_GE(context.memoryBytes(), uint64_t{3} * 4096);
  }
  EXPECT_EQ(fakedevice::log().statesReleased, 2);
}

}  // namespace
}  // namespace tessera::runtime::test
