// Our CPUID table against the kernel's view of the same CPU.
#include "runtime/cpu_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tessera::runtime {
namespace {

std::vector<std::string> kernelFlags() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(CpuFeatures, AgreeWithTheKernel) {
  const std::vector<std::string> flags = kernelFlags();
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  // LLVM's name, then Linux's.
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"sse2", "sse2"},
      {"sse3", "pni"},
      {"ssse3", "ssse3"},
      {"sse4.1", "sse4_1"},
      {"sse4.2", "sse4_2"},
      {"popcnt", "popcnt"},
      {"avx", "avx"},
      {"avx2", "avx2"},
      {"fma", "fma"},
      {"f16c", "f16c"},
      {"bmi", "bmi1"},
      {"bmi2", "bmi2"},
      {"lzcnt", "abm"},
      {"movbe", "movbe"},
      {"aes", "aes"},
      {"pclmul", "pclmulqdq"},
      {"avx512f", "avx512f"},
      {"avx512bw", "avx512bw"},
      {"avx512dq", "avx512dq"},
      {"avx512vl", "avx512vl"},
      {"avx512cd", "avx512cd"},
      {"avx512vnni", "avx512_vnni"},
      {"avx512bf16", "avx512_bf16"},
      {"avx512vbmi", "avx512vbmi"},
      {"gfni", "gfni"},
      {"vaes", "vaes"},
      {"amx-tile", "amx_tile"},
  };
  for (const auto& [name, flag] : kNames) {
    EXPECT_EQ(hasCpuFeature(name), std::ranges::find(flags, flag) != flags.end()) << name;
  }
}

TEST(CpuFeatures, UnknownNamesAreLacking) {
  EXPECT_FALSE(hasCpuFeature("avx9000"));
  EXPECT_FALSE(hasCpuFeature(""));
  EXPECT_EQ(missingCpuFeatures({"avx9000", "neon"}), "avx9000, neon");
  EXPECT_EQ(missingCpuFeatures({}), "");
}

}  // namespace
}  // namespace tessera::runtime
