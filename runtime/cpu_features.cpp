// CPUID leaves and bits after Intel SDM volume 2, CPUID; vector registers also need the operating
// system to save them (XCR0).
#include "runtime/cpu_features.h"

#include <algorithm>
#include <array>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tessera::runtime {

#if defined(__x86_64__)
namespace {

enum Register : uint8_t { kEax, kEbx, kEcx, kEdx };

/// State components that XCR0 must enable.
enum OsState : uint32_t { kNone = 0, kYmm = 0x6, kZmm = 0xe6, kTile = 0x60000 };

struct Feature {
  std::string_view name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  uint8_t bit;
  OsState state;
};

constexpr uint32_t kExtended = 0x80000001;

constexpr auto kFeatures = std::to_array<Feature>({
    {"64bit", kExtended, 0, kEdx, 29, kNone},
    {"adx", 7, 0, kEbx, 19, kNone},
    {"aes", 1, 0, kEcx, 25, kNone},
    {"amx-bf16", 7, 0, kEdx, 22, kTile},
    {"amx-int8", 7, 0, kEdx, 25, kTile},
    {"amx-tile", 7, 0, kEdx, 24, kTile},
    {"avx", 1, 0, kEcx, 28, kYmm},
    {"avx2", 7, 0, kEbx, 5, kYmm},
    {"avx512bf16", 7, 1, kEax, 5, kZmm},
    {"avx512bitalg", 7, 0, kEcx, 12, kZmm},
    {"avx512bw", 7, 0, kEbx, 30, kZmm},
    {"avx512cd", 7, 0, kEbx, 28, kZmm},
    {"avx512dq", 7, 0, kEbx, 17, kZmm},
    {"avx512f", 7, 0, kEbx, 16, kZmm},
    {"avx512fp16", 7, 0, kEdx, 23, kZmm},
    {"avx512ifma", 7, 0, kEbx, 21, kZmm},
    {"avx512vbmi", 7, 0, kEcx, 1, kZmm},
    {"avx512vbmi2", 7, 0, kEcx, 6, kZmm},
    {"avx512vl", 7, 0, kEbx, 31, kZmm},
    {"avx512vnni", 7, 0, kEcx, 11, kZmm},
    {"avx512vp2intersect", 7, 0, kEdx, 8, kZmm},
    {"avx512vpopcntdq", 7, 0, kEcx, 14, kZmm},
    {"avxvnni", 7, 1, kEax, 4, kYmm},
    {"bmi", 7, 0, kEbx, 3, kNone},
    {"bmi2", 7, 0, kEbx, 8, kNone},
    {"clflushopt", 7, 0, kEbx, 23, kNone},
    {"clwb", 7, 0, kEbx, 24, kNone},
    {"cmov", 1, 0, kEdx, 15, kNone},
    {"crc32", 1, 0, kEcx, 20, kNone},
    {"cx16", 1, 0, kEcx, 13, kNone},
    {"cx8", 1, 0, kEdx, 8, kNone},
    {"evex512", 7, 0, kEbx, 16, kZmm},
    {"f16c", 1, 0, kEcx, 29, kYmm},
    {"fma", 1, 0, kEcx, 12, kYmm},
    {"fsgsbase", 7, 0, kEbx, 0, kNone},
    {"fxsr", 1, 0, kEdx, 24, kNone},
    {"gfni", 7, 0, kEcx, 8, kNone},
    {"lzcnt", kExtended, 0, kEcx, 5, kNone},
    {"mmx", 1, 0, kEdx, 23, kNone},
    {"movbe", 1, 0, kEcx, 22, kNone},
    {"pclmul", 1, 0, kEcx, 1, kNone},
    {"popcnt", 1, 0, kEcx, 23, kNone},
    {"prfchw", kExtended, 0, kEcx, 8, kNone},
    {"rdrnd", 1, 0, kEcx, 30, kNone},
    {"rdseed", 7, 0, kEbx, 18, kNone},
    {"sahf", kExtended, 0, kEcx, 0, kNone},
    {"sha", 7, 0, kEbx, 29, kNone},
    {"sse", 1, 0, kEdx, 25, kNone},
    {"sse2", 1, 0, kEdx, 26, kNone},
    {"sse3", 1, 0, kEcx, 0, kNone},
    {"sse4.1", 1, 0, kEcx, 19, kNone},
    {"sse4.2", 1, 0, kEcx, 20, kNone},
    {"sse4a", kExtended, 0, kEcx, 6, kNone},
    {"ssse3", 1, 0, kEcx, 9, kNone},
    {"vaes", 7, 0, kEcx, 9, kYmm},
    {"vpclmulqdq", 7, 0, kEcx, 10, kYmm},
    {"x87", 1, 0, kEdx, 0, kNone},
    {"xsave", 1, 0, kEcx, 26, kNone},
});

uint64_t enabledStates() {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr uint32_t kOsxsave = 1u << 27;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsxsave) == 0) return 0;
  uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

}  // namespace

bool hasCpuFeature(std::string_view name) {
  const auto* const feature = std::ranges::find(kFeatures, name, &Feature::name);
  if (feature == kFeatures.end()) return false;
  std::array<uint32_t, 4> registers = {};
  if (__get_cpuid_count(feature->leaf, feature->subleaf, &registers[kEax], &registers[kEbx],
                        &registers[kEcx], &registers[kEdx]) == 0) {
    return false;
  }
  const bool hasBit = ((registers[feature->reg] >> feature->bit) & 1) != 0;
  return hasBit &&
         (feature->state == kNone || (enabledStates() & feature->state) == feature->state);
}
#else
bool hasCpuFeature(std::string_view) { return false; }
#endif

std::string missingCpuFeatures(const std::vector<std::string>& features) {
  std::string missing;
  for (const std::string& feature : features) {
    if (hasCpuFeature(feature)) continue;
    if (!missing.empty()) missing += ", ";
    missing += feature;
  }
  return missing;
}

}  // namespace tessera::runtime
