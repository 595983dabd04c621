// What a machine says of itself.
#include "compiler/costs/machine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tessera::costs {
namespace {

namespace fs = std::filesystem;

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    std::string name = testing::TempDir() + "machine_XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~MachineTest() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(MachineTest, ReadsWhatTheKernelSays) {
  write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU 3000\nflags\t\t: sse avx2 fma\n");
  write("proc/meminfo", "MemTotal:       25165824 kB\nMemFree: 1 kB\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  const Machine machine = thisMachine(root_);
  EXPECT_EQ(machine.cpu, "Some CPU 3000");
  EXPECT_EQ(machine.memoryGib, 24U);
  EXPECT_EQ(machine.policy, "performance");
  EXPECT_EQ(machine.fingerprint(),
            "Some CPU 3000, features " + machine.features + ", " + std::to_string(machine.cores) +
                (machine.cores == 1 ? " core" : " cores") + ", policy performance, 24 GiB");
}

TEST_F(MachineTest, FeaturesCountTheirOrderDoesNot) {
  const auto features = [&](const std::string& flags) {
    write("proc/cpuinfo", "flags\t\t: " + flags + "\n");
    return thisMachine(root_).features;
  };
  EXPECT_EQ(features("sse avx2 fma"), features("fma sse avx2"));
  EXPECT_NE(features("sse avx2 fma"), features("sse avx2"));
}

TEST_F(MachineTest, WhatNobodySaysIsUnknown) {
  const Machine machine = thisMachine(root_);
  EXPECT_EQ(machine.cpu, "unknown");
  EXPECT_EQ(machine.policy, "unknown");
  EXPECT_GE(machine.cores, 1U);
  EXPECT_EQ(thisMachine().fingerprint(), thisMachine().fingerprint());
}

}  // namespace
}  // namespace tessera::costs
