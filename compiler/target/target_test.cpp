#include "compiler/target/target.h"

#include <gtest/gtest.h>

#include "compiler/target/phase.h"

namespace tessera::target {
namespace {

const TargetKind kCpu{
    .name = "cpu", .attributes = {{"mcpu", "native", "processor"}}, .isHost = true};
const TargetKind kGpu{.name = "gpu", .attributes = {}, .isHost = false};
const std::vector<const TargetKind*> kKinds = {&kCpu, &kGpu};

TEST(TargetTest, FillsInDefaultsAndPrintsBack) {
  const auto target = parseTarget("cpu", kKinds);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->toString(), "cpu -mcpu=native");
  EXPECT_EQ(*parseTarget(target->toString(), kKinds), *target);
}

TEST(TargetTest, ReadsDeviceAndAttributes) {
  const auto targets = parseTargets("gpu:1,cpu -mcpu=x86-64-v4", kKinds);
  ASSERT_TRUE(targets);
  EXPECT_EQ((*targets)[0].device, 1);
  EXPECT_EQ((*targets)[1].attributes.at("mcpu"), "x86-64-v4");
}

TEST(TargetTest, NamesWhatIsWrong) {
  EXPECT_EQ(parseTarget("tpu", kKinds).error().message,
            "unknown target 'tpu'; known targets: cpu, gpu");
  EXPECT_EQ(parseTarget("gpu:x", kKinds).error().message,
            "target 'gpu:x': found device 'x', expected a number");
  EXPECT_EQ(parseTarget("cpu -color=red", kKinds).error().message,
            "target 'cpu' has no attribute 'color'; it has: mcpu");
  EXPECT_EQ(parseTargets("gpu,gpu", kKinds).error().message, "target 'gpu' is given twice");
  EXPECT_EQ(parseTarget("gpu", kKinds).has_value(), true);
}

TEST(PhaseTest, NamesParseBack) {
  for (const std::string_view name : kPhaseNames) EXPECT_EQ(phaseName(*parsePhase(name)), name);
  EXPECT_FALSE(parsePhase("later").has_value());
}

}  // namespace
}  // namespace tessera::target
