#include "compiler/target/target.h"

#include <gtest/gtest.h>

#include "compiler/target/phase.h"

namespace tessera::target {
namespace {

const TargetKind kCpu{
    .name = "cpu",
    .attributes = {{.name = "mcpu", .defaultValue = std::string("native"), .help = "processor"}},
    .isHost = true};
const TargetKind kGpu{
    .name = "gpu",
    .attributes = {
        {.name = "tensor_cores", .type = AttributeType::kBool, .defaultValue = true, .help = ""},
        {.name = "streams", .type = AttributeType::kInt, .defaultValue = int64_t{1}, .help = ""},
        {.name = "share", .type = AttributeType::kFloat, .defaultValue = 0.5, .help = ""},
        {.name = "math",
         .type = AttributeType::kEnum,
         .defaultValue = std::string("exact"),
         .values = {"exact", "fast"},
         .help = ""},
        {.name = "flags", .defaultValue = std::string(), .help = ""}}};
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
  EXPECT_EQ((*targets)[1].stringOr("mcpu", ""), "x86-64-v4");
}

TEST(TargetTest, U_ValuesHaveTypes) {
  const auto target =
      parseTarget("gpu -tensor_cores=false -streams=-3 -share=0.1 -math=fast -flags=x", kKinds);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->attributes.at("tensor_cores"), AttributeValue(false));
  EXPECT_EQ(target->attributes.at("streams"), AttributeValue(int64_t{-3}));
  EXPECT_EQ(target->attributes.at("share"), AttributeValue(0.1));
  EXPECT_EQ(target->attributes.at("math"), AttributeValue(std::string("fast")));
  EXPECT_EQ(*parseTarget(target->toString(), kKinds), *target);
  EXPECT_EQ(parseTarget("gpu -streams=two", kKinds).error().message,
            "target 'gpu': attribute 'streams' is 'two', expected int");
  EXPECT_EQ(parseTarget("gpu -math=wild", kKinds).error().message,
            "target 'gpu': attribute 'math' is 'wild', expected enum: exact|fast");
  EXPECT_EQ(parseTarget("gpu -tensor_cores=1", kKinds).error().message,
            "target 'gpu': attribute 'tensor_cores' is '1', expected bool");
}

TEST(TargetTest, ValuesWithSpacesCommasAndQuotesRoundTrip) {
  for (const char* flags : {"a b", "a,b", "say \"x\"", "back\\slash", "", "-x=1, -y", " "}) {
    Target target = *parseTarget("gpu:2", kKinds);
    target.attributes["flags"] = std::string(flags);
    const auto parsed = parseTargets(target.toString() + ",cpu", kKinds);
    ASSERT_TRUE(parsed) << target.toString() << ": " << parsed.error().message;
    EXPECT_EQ((*parsed)[0], target) << target.toString();
  }
  EXPECT_EQ(parseTarget("gpu -flags=\"a", kKinds).error().message,
            "targets 'gpu -flags=\"a': a quote is not closed");
}

TEST(TargetTest, ListsAreCutAtCommasOutsideQuotes) {
  const auto split = splitTargets(" gpu:1 -flags=\"a,\\\",b\" ,cpu,\t");
  ASSERT_TRUE(split);
  EXPECT_EQ(*split, (std::vector<std::string>{"gpu:1 -flags=\"a,\\\",b\"", "cpu", ""}));
  EXPECT_EQ(splitTargets("cpu,gpu -flags=\"a").error().message,
            "targets 'cpu,gpu -flags=\"a': a quote is not closed");
}

TEST(TargetTest, U_KindsAreWellFormed) {
  EXPECT_EQ(whyMalformed(kGpu), "");
  const auto why = [](TargetAttribute attribute) {
    return whyMalformed({.name = "k", .attributes = {std::move(attribute)}});
  };
  EXPECT_EQ(why({.name = "device", .defaultValue = std::string(), .help = ""}),
            "target kind 'k': attribute 'device' has the name of a target's device number");
  EXPECT_EQ(
      why({.name = "n", .type = AttributeType::kInt, .defaultValue = std::string("1"), .help = ""}),
      "target kind 'k': attribute 'n' has a default that is no int");
  EXPECT_EQ(why({.name = "a b", .defaultValue = std::string(), .help = ""}),
            "target kind 'k': attribute 'a b' has a name that is no word");
  for (const char* name : {"", "my gpu", "gpu:1", "a,b", "g\"u"})
    EXPECT_NE(whyMalformed({.name = name}).find("is no word of letters"), std::string::npos)
        << name;
  EXPECT_EQ(whyMalformed({.name = "reference"}),
            "target kind 'reference': the name is the interpreter's");
}

TEST(TargetTest, NamesWhatIsWrong) {
  EXPECT_EQ(parseTarget("tpu", kKinds).error().message,
            "unknown target 'tpu'; known targets: cpu, gpu");
  EXPECT_EQ(parseTarget("gpu:x", kKinds).error().message,
            "target 'gpu:x': found device 'x', expected a number");
  EXPECT_EQ(parseTarget("cpu -color=red", kKinds).error().message,
            "target 'cpu' has no attribute 'color'; it has: mcpu");
  EXPECT_EQ(parseTargets("cpu,cpu -mcpu=native", kKinds).error().message,
            "target 'cpu -mcpu=native' is given twice");
  EXPECT_EQ(parseTarget("cpu -mcpu=a -mcpu=a", kKinds).error().message,
            "target 'cpu': attribute 'mcpu' is given twice");
  EXPECT_EQ(parseTarget("gpu", kKinds).has_value(), true);
}

TEST(PhaseTest, NamesParseBack) {
  for (const std::string_view name : kPhaseNames) EXPECT_EQ(phaseName(*parsePhase(name)), name);
  EXPECT_FALSE(parsePhase("later").has_value());
}

}  // namespace
}  // namespace tessera::target
