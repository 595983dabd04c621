// The kit against backends that are wrong on purpose: what is wrong is found, what is right is not
// called wrong.
#include "tessera/conformance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/conformance/abi.h"
#include "compiler/conformance/test/spoiled_backend.h"

namespace tessera::conformance {
namespace {

ConformanceOptions optionsFor(const std::string& attributes, size_t numCases) {
  ConformanceOptions options;
  options.target = "spoiled " + attributes;
  options.numCases = numCases;
  options.runtimes = {&backend_spoiled::runtimeHalf(), &backend_upright::runtimeHalf()};
  return options;
}

ConformanceReport check(const std::string& attributes, size_t numCases = 150) {
  const auto report = checkConformance(optionsFor(attributes, numCases));
  EXPECT_TRUE(report) << report.error().toString();
  return report ? *report : ConformanceReport{};
}

/// All failures are about one thing; the smallest case is one operator on few elements.
void expectOnly(const ConformanceReport& report, const std::string& name) {
  EXPECT_FALSE(report.failures.empty());
  for (const ConformanceFailure& failure : report.failures)
    EXPECT_EQ(failure.check, name) << failure.caseName << ": " << failure.what;
}

/// A case that the kit calls smallest fails by itself, in the same way.
void expectReproducible(const std::string& attributes, const ConformanceReport& report) {
  if (report.failures.empty()) return;  // Said already.
  ConformanceOptions options = optionsFor(attributes, 1);
  options.module = report.failures.front().module;
  const auto again = checkConformance(options);
  ASSERT_TRUE(again) << again.error().toString() << options.module;
  ASSERT_FALSE(again->failures.empty()) << options.module;
  EXPECT_EQ(again->failures.front().check, report.failures.front().check);
}

size_t numOperators(const std::string& module) {
  size_t count = 0;
  for (size_t at = 0; (at = module.find("= tsr.", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Conformance, WhatIsRightPasses) {
  const ConformanceReport report = check("-blocked=true", 300);
  for (const ConformanceFailure& failure : report.failures)
    ADD_FAILURE() << failure.check << ", " << failure.caseName << ": " << failure.what << "\n"
                  << failure.module;
  EXPECT_EQ(report.numCases, 300U);
  EXPECT_GT(report.numLayouts, 0U);
  EXPECT_GT(report.numNotEvaluated, 0U);
}

TEST(Conformance, FindsTheLastLane) {
  const ConformanceReport report = check("-fault=last_lane");
  expectOnly(report, "values");
  expectReproducible("-fault=last_lane", report);
  ASSERT_FALSE(report.failures.empty());
  EXPECT_EQ(numOperators(report.failures.front().module), 1U) << report.failures.front().module;
}

TEST(Conformance, FindsTheSecondThread) {
  const ConformanceReport report = check("-fault=second_thread", 20);
  const auto isAboutThreads = [](const ConformanceFailure& failure) {
    return failure.check == "threads" || failure.check == "contexts" ||
           failure.check == "determinism";
  };
  EXPECT_TRUE(std::ranges::any_of(report.failures, isAboutThreads));
  EXPECT_TRUE(std::ranges::all_of(report.failures, isAboutThreads));
}

TEST(Conformance, FindsAnAttributeThatIsIgnored) {
  const ConformanceReport report = check("-fault=attribute", 1000);
  expectOnly(report, "values");
  expectReproducible("-fault=attribute", report);
  ASSERT_FALSE(report.failures.empty());
  EXPECT_NE(report.failures.front().module.find("count_include_pad"), std::string::npos)
      << report.failures.front().module;
}

TEST(Conformance, FindsDirtyPadding) {
  const ConformanceReport report = check("-fault=padding -blocked=true", 300);
  expectOnly(report, "padding");
  expectReproducible("-fault=padding -blocked=true", report);
}

TEST(Conformance, FindsTheSecondOutput) {
  const ConformanceReport report = check("-fault=second_output", 300);
  expectOnly(report, "values");
  ASSERT_FALSE(report.failures.empty());
  EXPECT_NE(report.failures.front().what.find("output 1"), std::string::npos)
      << report.failures.front().what;
}

TEST(Conformance, FindsAClaimThatDoesNotCompile) {
  const ConformanceReport report = check("-fault=claim", 300);
  expectOnly(report, "honesty");
  ASSERT_FALSE(report.failures.empty());
  EXPECT_NE(report.failures.front().what.find("it has no code for that after all"),
            std::string::npos);
  expectReproducible("-fault=claim", report);
}

TEST(Conformance, FindsARefusalWithoutAReason) {
  const ConformanceReport report = check("-fault=silent", 300);
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].what, "it declines softmax without a reason");
}

TEST(Conformance, FindsWhatNoCaseReached) {
  ConformanceOptions options = optionsFor("-fault=nothing", 20);
  EXPECT_TRUE(checkConformance(options)->failures.empty());
  options.needsAll = true;
  const auto report = checkConformance(options);
  ASSERT_TRUE(report) << report.error().toString();
  ASSERT_FALSE(report->missedOperators.empty());
  expectOnly(*report, "honesty");
  EXPECT_EQ(report->failures.size(), report->missedOperators.size());
  EXPECT_EQ(report->failures[0].what,
            "no case reached operator " + report->missedOperators[0] + ", which it lists");
}

// However few cases there are.
TEST(Conformance, PatternsAreReached) {
  ConformanceOptions options = optionsFor("", 2);
  options.needsAll = true;
  const auto report = checkConformance(options);
  ASSERT_TRUE(report) << report.error().toString();
  EXPECT_EQ(report->patterns, std::vector<std::string>{"shuffle"});
  EXPECT_EQ(report->missedPatterns, std::vector<std::string>());
}

TEST(Conformance, FindsThatNothingIsTaken) {
  const ConformanceReport report = check("-fault=unwilling", 20);
  EXPECT_EQ(report.numCases, 0U);
  EXPECT_GT(report.numDeclined, 0U);
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].check, "honesty");
  EXPECT_EQ(report.failures[0].what, "it took no case at all");
}

TEST(Conformance, FindsBitsThatChangeFromRunToRun) {
  // What rounds nothing has no tolerance: there a second run is wrong.
  const ConformanceReport report = check("-fault=bits", 60);
  EXPECT_TRUE(std::ranges::any_of(report.failures, [](const ConformanceFailure& failure) {
    return failure.check == "determinism";
  }));
}

TEST(Conformance, FindsWhatBreaksWhenItIsLoadedTwice) {
  expectOnly(check("-fault=second_load", 20), "life cycle");
}

TEST(Conformance, EqualSeedsGiveEqualReports) {
  const ConformanceReport first = check("-fault=last_lane", 50),
                          second = check("-fault=last_lane", 50);
  ASSERT_EQ(first.failures.size(), second.failures.size());
  for (size_t i = 0; i < first.failures.size(); ++i)
    EXPECT_EQ(first.failures[i].module, second.failures[i].module);
}

TEST(Conformance, OneCaseByName) {
  ConformanceOptions options = optionsFor("", 1);
  options.caseName = "conv_groups";
  const auto report = checkConformance(options);
  ASSERT_TRUE(report) << report.error().toString();
  EXPECT_EQ(report->numCases, 1U);
  options.caseName = "nothing";
  EXPECT_EQ(checkConformance(options).error().message, "there is no case 'nothing'");
}

TEST(Conformance, WhatIsNoCaseIsRefused) {
  ConformanceOptions options = optionsFor("", 1);
  options.module = "func.func @f(";
  EXPECT_EQ(checkConformance(options).error().code, ErrorCode::kInvalidInput);
  options.module = "func.func private @f(tensor<f32>)";
  EXPECT_EQ(checkConformance(options).error().message,
            "the case has 1 functions, expected one with a body");
  options.target = "imaginary";
  EXPECT_EQ(checkConformance(options).error().message,
            "there is no backend 'imaginary', expected one of spoiled, upright");
  options.target = "reference";
  EXPECT_EQ(checkConformance(options).error().code, ErrorCode::kUsage);
  options.target = "upright ,spoiled";
  EXPECT_EQ(checkConformance(options).error().message,
            "found targets 'upright ,spoiled', expected one");
}

TEST(ConformanceAbi, SaysWhatIsWrongWithAHalf) {
  tessera_backend_runtime half = backend_spoiled::runtimeHalf();
  const tessera_backend_runtime* given[] = {&half};
  EXPECT_EQ(checkAbi("spoiled", given), std::vector<std::string>());
  half.version = nullptr;
  half.run = nullptr;
  half.device_create = [](const tessera_host_services*, const tessera_target*, void**) {
    return 0;
  };
  EXPECT_EQ(
      checkAbi("spoiled", given),
      (std::vector<std::string>{"its runtime half has no version",
                                "its runtime half lacks create, destroy, find_symbol or run",
                                "of the functions for devices it has some and lacks others"}));
  half.abi_version = 99;
  EXPECT_EQ(checkAbi("spoiled", given).front(),
            "its runtime half is of ABI version 99, expected 1");
  half.size = 24;
  EXPECT_EQ(checkAbi("spoiled", given).front(),
            "its runtime half has a struct of 24 bytes, too short for the functions that are not "
            "optional");
}

}  // namespace
}  // namespace tessera::conformance
