// What people are told, and that they are told nothing when all is well.
#include "compiler/placement/timing/diagnosis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "compiler/placement/timing/test/fake_machine.h"

namespace tessera::placement {
namespace {

namespace fs = std::filesystem;

TEST(Diagnosis, NoiseAloneIsNothingToTell) {
  int numTold = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const std::vector<double> samples = noisySamples(20 + seed % 100, 0.05, seed);
    const std::vector<double> yardsticks = noisySamples(50, 0.02, seed);
    if (!diagnose({.samples = samples, .yardsticks = yardsticks}).empty()) ++numTold;
  }
  EXPECT_LE(numTold, 3);
}

TEST(Diagnosis, OutliersAreNoSecondSpeed) {
  int numTold = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<double> samples = noisySamples(60, 0.02, seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 4; ++i) samples[random() % samples.size()] *= 3;
    if (findModes(samples)) ++numTold;
  }
  EXPECT_LE(numTold, 2);
}

TEST(Diagnosis, DriftIsFoundEitherWay) {
  for (const double change : {0.1, -0.1, 0.3}) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
      std::vector<double> samples = noisySamples(60, 0.02, seed);
      for (size_t i = 0; i < samples.size(); ++i)
        samples[i] *= 1 + change * static_cast<double>(i) / 59;
      const std::optional<double> found = findDrift(samples);
      ASSERT_TRUE(found) << change << " " << seed;
      EXPECT_NEAR(*found, change * 2 / 3,
                  0.04);  // From the middle of one third to that of another.
    }
  }
  std::vector<double> tiny = noisySamples(60, 0.001, 1);
  for (size_t i = 0; i < tiny.size(); ++i) tiny[i] *= 1 + 0.01 * static_cast<double>(i) / 59;
  EXPECT_FALSE(findDrift(tiny));  // Sure, but nobody's business.
  EXPECT_FALSE(findDrift(std::vector<double>(50, 1.0)));
}

TEST(Diagnosis, TwoSpeedsAreFound) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<double> samples = noisySamples(60, 0.02, seed);
    std::mt19937_64 random(seed);
    size_t numSlow = 0;
    for (double& sample : samples) {
      if (random() % 10 >= 4) continue;
      sample *= 1.3;
      ++numSlow;
    }
    const std::optional<Modes> modes = findModes(samples);
    ASSERT_TRUE(modes) << seed;
    EXPECT_NEAR(modes->fast, 1, 0.02);
    EXPECT_NEAR(modes->slow, 1.3, 0.03);
    EXPECT_NEAR(modes->slowShare, static_cast<double>(numSlow) / 60, 1e-9);
  }
}

class DiagnosisOfAMachineTest : public testing::Test {
 protected:
  DiagnosisOfAMachineTest() {
    std::string name = testing::TempDir() + "load_XXXXXX";
    root_ = mkdtemp(name.data());
    fs::create_directory(root_ / "proc");
  }
  ~DiagnosisOfAMachineTest() override { fs::remove_all(root_); }

  Load load(const std::string& average, const std::string& stat) const {
    std::ofstream(root_ / "proc/loadavg") << average;
    std::ofstream(root_ / "proc/stat") << stat;
    return machineLoad(root_);
  }

  fs::path root_;
};

TEST_F(DiagnosisOfAMachineTest, ReadsWhatTheKernelCounts) {
  const Load now = load("2.50 1.00 0.50 3/200 4711\n",
                        "cpu  100 20 30 1000 5 6 7 40 99 99\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
  EXPECT_EQ(now.runnable, 2.5);
  EXPECT_EQ(now.ticks, 1208U);
  EXPECT_EQ(now.stolenTicks, 40U);
  EXPECT_EQ(machineLoad(root_ / "nowhere").ticks, 0U);
  EXPECT_EQ(load("", "intr 5\n").ticks, 0U);
}

TEST_F(DiagnosisOfAMachineTest, OthersAreNamed) {
  const Load before = load("3.4 1 1 3/200 4711\n", "cpu 100 0 0 900 0 0 0 0\n");
  const Load after = load("3.6 1 1 3/200 4711\n", "cpu 200 0 0 950 0 0 0 50\n");
  const std::vector<std::string> told =
      diagnose({.samples = {}, .yardsticks = {}, .before = before, .after = after, .threads = 2});
  EXPECT_EQ(told, (std::vector<std::string>{
                      "others use the machine: 1.4 threads run beside our own",
                      "the hypervisor gave 25 % of the processors' time to others"}));
  EXPECT_TRUE(
      diagnose({.samples = {}, .yardsticks = {}, .before = before, .after = before, .threads = 3})
          .empty());
}

TEST_F(DiagnosisOfAMachineTest, EverySentenceIsSaid) {
  std::vector<double> samples = noisySamples(60, 0.01, 1), yardsticks = noisySamples(60, 0.01, 2);
  for (double& sample : samples) sample *= 1e-3;
  for (size_t i = 30; i < 60; ++i) samples[i] *= 2;
  for (size_t i = 0; i < 60; ++i) yardsticks[i] *= i < 30 ? 75e-6 : 150e-6;
  const std::vector<std::string> told = diagnose({.samples = samples, .yardsticks = yardsticks});
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0], "the samples rose by 100 % from the first third to the last");
  EXPECT_EQ(told[1], "it has two speeds: 1 ms, and 2 ms in 50 % of the samples");
  EXPECT_TRUE(told[2].starts_with("the machine's speed changed: the same work took from 7"));
}

}  // namespace
}  // namespace tessera::placement
