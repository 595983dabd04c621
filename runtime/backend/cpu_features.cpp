// CPUID leaves and bits after Intel SDM volume 2, CPUID; vector registers also need the operating
// system to save them (XCR0).
#include "runtime/backend/cpu_features.h"

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

constexpr Feature row(std::string_view name, uint32_t leaf, uint32_t subleaf, Register reg,
                      uint8_t bit, OsState state) {
  return {.name = name, .leaf = leaf, .subleaf = subleaf, .reg = reg, .bit = bit, .state = state};
}

constexpr auto kFeatures = std::to_array<Feature>({
    row("64bit", kExtended, 0, kEdx, 29, kNone),
    row("adx", 7, 0, kEbx, 19, kNone),
    row("aes", 1, 0, kEcx, 25, kNone),
    row("amx-bf16", 7, 0, kEdx, 22, kTile),
    row("amx-int8", 7, 0, kEdx, 25, kTile),
    row("amx-tile", 7, 0, kEdx, 24, kTile),
    row("avx", 1, 0, kEcx, 28, kYmm),
    row("avx2", 7, 0, kEbx, 5, kYmm),
    row("avx512bf16", 7, 1, kEax, 5, kZmm),
    row("avx512bitalg", 7, 0, kEcx, 12, kZmm),
    row("avx512bw", 7, 0, kEbx, 30, kZmm),
    row("avx512cd", 7, 0, kEbx, 28, kZmm),
    row("avx512dq", 7, 0, kEbx, 17, kZmm),
    row("avx512f", 7, 0, kEbx, 16, kZmm),
    row("avx512fp16", 7, 0, kEdx, 23, kZmm),
    row("avx512ifma", 7, 0, kEbx, 21, kZmm),
    row("avx512vbmi", 7, 0, kEcx, 1, kZmm),
    row("avx512vbmi2", 7, 0, kEcx, 6, kZmm),
    row("avx512vl", 7, 0, kEbx, 31, kZmm),
    row("avx512vnni", 7, 0, kEcx, 11, kZmm),
    row("avx512vp2intersect", 7, 0, kEdx, 8, kZmm),
    row("avx512vpopcntdq", 7, 0, kEcx, 14, kZmm),
    row("avxvnni", 7, 1, kEax, 4, kYmm),
    row("bmi", 7, 0, kEbx, 3, kNone),
    row("bmi2", 7, 0, kEbx, 8, kNone),
    row("clflushopt", 7, 0, kEbx, 23, kNone),
    row("clwb", 7, 0, kEbx, 24, kNone),
    row("cmov", 1, 0, kEdx, 15, kNone),
    row("crc32", 1, 0, kEcx, 20, kNone),
    row("cx16", 1, 0, kEcx, 13, kNone),
    row("cx8", 1, 0, kEdx, 8, kNone),
    row("evex512", 7, 0, kEbx, 16, kZmm),
    row("f16c", 1, 0, kEcx, 29, kYmm),
    row("fma", 1, 0, kEcx, 12, kYmm),
    row("fsgsbase", 7, 0, kEbx, 0, kNone),
    row("fxsr", 1, 0, kEdx, 24, kNone),
    row("gfni", 7, 0, kEcx, 8, kNone),
    row("lzcnt", kExtended, 0, kEcx, 5, kNone),
    row("mmx", 1, 0, kEdx, 23, kNone),
    row("movbe", 1, 0, kEcx, 22, kNone),
    row("pclmul", 1, 0, kEcx, 1, kNone),
    row("popcnt", 1, 0, kEcx, 23, kNone),
    row("prfchw", kExtended, 0, kEcx, 8, kNone),
    row("rdrnd", 1, 0, kEcx, 30, kNone),
    row("rdseed", 7, 0, kEbx, 18, kNone),
    row("sahf", kExtended, 0, kEcx, 0, kNone),
    row("sha", 7, 0, kEbx, 29, kNone),
    row("sse", 1, 0, kEdx, 25, kNone),
    row("sse2", 1, 0, kEdx, 26, kNone),
    row("sse3", 1, 0, kEcx, 0, kNone),
    row("sse4.1", 1, 0, kEcx, 19, kNone),
    row("sse4.2", 1, 0, kEcx, 20, kNone),
    row("sse4a", kExtended, 0, kEcx, 6, kNone),
    row("ssse3", 1, 0, kEcx, 9, kNone),
    row("vaes", 7, 0, kEcx, 9, kYmm),
    row("vpclmulqdq", 7, 0, kEcx, 10, kYmm),
    row("x87", 1, 0, kEdx, 0, kNone),
    row("xsave", 1, 0, kEcx, 26, kNone),
});

uint64_t enabledStates() {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr uint32_t kOsxsave = 1u << 27;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsxsave) == 0) return 0;
  uint32_t low = 0;   // NOLINT(misc-const-correctness): the instruction writes both.
  uint32_t high = 0;  // NOLINT(misc-const-correctness)
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
