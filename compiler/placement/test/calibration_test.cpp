// What whole plans tell of parts.
#include "compiler/placement/costing/calibration.h"

#include <gtest/gtest.h>

#include "mlir/IR/MLIRContext.h"

namespace tessera::placement {
namespace {

class CalibrationTest : public testing::Test {
 protected:
  CalibrationTest() {
    context_.loadDialect<ir::TsrDialect>();
    a_ = target("a");
    b_ = target("b");
  }

  ir::TargetAttr target(const char* kind) {
    return ir::TargetAttr::get(&context_, kind, 0, mlir::DictionaryAttr::get(&context_));
  }

  mlir::MLIRContext context_;
  ir::TargetAttr a_, b_;
};

TEST_F(CalibrationTest, NothingSeenChangesNothing) {
  EXPECT_EQ(Calibration().inModel(a_, b_, 1e-3), 1e-3);
  EXPECT_EQ(Calibration(std::vector<TimedPart>()).inModel(a_, 1e-3), 1e-3);
}

TEST_F(CalibrationTest, LongPartsTellAFactor) {
  const std::vector<TimedPart> parts(
      30, {.before = a_, .target = a_, .alone = 1e-3, .inModel = 1.1e-3});
  const Calibration calibration(parts);
  EXPECT_NEAR(calibration.inModel(a_, a_, 2e-3), 2.2e-3, 0.02e-3);
  EXPECT_EQ(calibration.inModel(a_, b_, 2e-3), 2e-3);
}

TEST_F(CalibrationTest, NothingTakesMuchLessThanByItself) {
  const std::vector<TimedPart> parts(
      30, {.before = a_, .target = a_, .alone = 1e-3, .inModel = 0.1e-3});
  EXPECT_DOUBLE_EQ(Calibration(parts).inModel(a_, a_, 1e-4), 0.6e-4);
}

TEST_F(CalibrationTest, ChangesOfTargetsCostWhatTheyCost) {
  std::vector<TimedPart> parts;
  for (int i = 0; i < 20; ++i) {
    parts.push_back({.before = a_, .target = b_, .alone = 10e-6, .inModel = 110e-6});
    parts.push_back({.before = b_, .target = b_, .alone = 10e-6, .inModel = 10e-6});
    parts.push_back({.before = b_, .target = a_, .alone = 10e-6, .inModel = 10e-6});
  }
  const Calibration calibration(parts);
  EXPECT_NEAR(calibration.inModel(a_, b_, 20e-6), 120e-6, 10e-6);
  EXPECT_NEAR(calibration.inModel(b_, b_, 20e-6), 20e-6, 10e-6);
  EXPECT_NEAR(calibration.inModel(b_, a_, 20e-6), 20e-6, 1e-6);
}

TEST_F(CalibrationTest, AFewOddPartsSayNothing) {
  std::vector<TimedPart> parts(20, {.before = a_, .target = a_, .alone = 1e-3, .inModel = 1e-3});
  parts.resize(25, {.before = a_, .target = a_, .alone = 1e-3, .inModel = 9e-3});
  EXPECT_NEAR(Calibration(parts).inModel(a_, a_, 1e-3), 1e-3, 1e-6);
  const std::vector<TimedPart> one = {
      {.before = a_, .target = a_, .alone = 1e-3, .inModel = 1.2e-3}};
  EXPECT_LT(Calibration(one).inModel(a_, a_, 1e-3), 1.17e-3);
}

TEST_F(CalibrationTest, OneLongPartIsOne) {
  std::vector<TimedPart> parts(20, {.before = a_, .target = a_, .alone = 60e-6, .inModel = 60e-6});
  parts.push_back({.before = a_, .target = a_, .alone = 5e-3, .inModel = 6.25e-3});
  const double factor = Calibration(parts).inModel(a_, a_, 5e-3) / 5e-3;
  EXPECT_GT(factor, 1.05);
  EXPECT_LT(factor, 1.2);
}

TEST_F(CalibrationTest, TwoThatDisagreeMeetInTheMiddle) {
  std::vector<TimedPart> parts = {
      {.before = a_, .target = b_, .alone = 10e-6, .inModel = 8e-6},
      {.before = a_, .target = b_, .alone = 10e-6, .inModel = 32e-6},
  };
  EXPECT_NEAR(Calibration(parts).inModel(a_, b_, 10e-6), 17.5e-6, 1e-9);
}

TEST_F(CalibrationTest, WhatWasChosenSaysNothingOfOthers) {
  std::vector<TimedPart> parts(
      10, {.before = a_, .target = a_, .alone = 1e-3, .inModel = 1.2e-3, .isChosen = true});
  EXPECT_GT(Calibration(parts).inModel(a_, a_, 1e-3), 1.1e-3);
  parts.resize(14, {.before = a_, .target = a_, .alone = 1e-3, .inModel = 1e-3});
  EXPECT_NEAR(Calibration(parts).inModel(a_, a_, 1e-3), 1e-3, 1e-6);
}

TEST_F(CalibrationTest, NoPartTakesNothing) {
  const std::vector<TimedPart> parts(
      20, {.before = a_, .target = a_, .alone = 100e-6, .inModel = 10e-6});
  EXPECT_GT(Calibration(parts).inModel(a_, a_, 20e-6), 5e-6);
}

}  // namespace
}  // namespace tessera::placement
