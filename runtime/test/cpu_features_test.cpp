// Our CPUID table against the kernel's view of the same CPU.
#include "runtime/backend/cpu_features.h"

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
    if (!line.starts_with("flags")) continue;
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
      {"crc32", "sse4_2"},
      {"cx16", "cx16"},
      {"sahf", "lahf_lm"},
      {"lzcnt", "abm"},
      {"movbe", "movbe"},
      {"aes", "aes"},
      {"pclmul", "pclmulqdq"},
      {"xsave", "xsave"},
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

// What compiled code of the x86-64 levels asks for (LLVM's features of the level that the base
// level lacks): a CPU that the kernel says has them all must not be refused.
TEST(CpuFeatures, KnowsEveryFeatureOfTheLevels) {
  const std::vector<std::string> flags = kernelFlags();
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const auto hasFlags = [&](std::initializer_list<const char*> names) {
    return std::ranges::all_of(
        names, [&](const char* name) { return std::ranges::find(flags, name) != flags.end(); });
  };
  const bool isV2 = hasFlags({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"});
  if (!isV2) GTEST_SKIP() << "this CPU is below x86-64-v2";
  EXPECT_EQ(
      missingCpuFeatures({"crc32", "cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"}),
      "");
  const bool isV3 =
      hasFlags({"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"});
  if (!isV3) GTEST_SKIP() << "this CPU is below x86-64-v3";
  EXPECT_EQ(
      missingCpuFeatures({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}),
      "");
  const bool isV4 = hasFlags({"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"});
  if (!isV4) GTEST_SKIP() << "this CPU is below x86-64-v4";
  EXPECT_EQ(missingCpuFeatures({"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}), "");
}

TEST(CpuFeatures, UnknownNamesAreLacking) {
  EXPECT_FALSE(hasCpuFeature("avx9000"));
  EXPECT_FALSE(hasCpuFeature(""));
  EXPECT_EQ(missingCpuFeatures({"avx9000", "neon"}), "avx9000, neon");
  EXPECT_EQ(missingCpuFeatures({}), "");
}

}  // namespace
}  // namespace tessera::runtime
