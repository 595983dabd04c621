#include "compiler/lowering/object/llvm_target.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace tessera::lowering {

namespace {

/// One x86-64 micro-architecture level (System V ABI, x86-64 psABI section 3.1.1).
struct CpuLevel {
  const char* name;
  int64_t vectorLanes;
  int64_t numVectorRegisters;
  std::vector<std::string> features;  ///< All that LLVM may use, those of lower levels included.
};

std::vector<std::string> sortedUnion(std::vector<std::string> lower,
                                     const std::vector<std::string>& added) {
  lower.insert(lower.end(), added.begin(), added.end());
  std::ranges::sort(lower);
  return lower;
}

}  // namespace

// Best level first. The base level (SSE2) needs no check.
static const std::array<CpuLevel, 4>& cpuLevels() {
  static const std::vector<std::string> kV2 = {"crc32", "cx16",   "popcnt", "sahf",
                                               "sse3",  "sse4.1", "sse4.2", "ssse3"};
  static const std::vector<std::string> kV3 =
      sortedUnion(kV2, {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"});
  static const std::vector<std::string> kV4 =
      sortedUnion(kV3, {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"});
  static const std::array<CpuLevel, 4> kLevels = {{
      {.name = "x86-64-v4", .vectorLanes = 16, .numVectorRegisters = 32, .features = kV4},
      {.name = "x86-64-v3", .vectorLanes = 8, .numVectorRegisters = 16, .features = kV3},
      {.name = "x86-64-v2", .vectorLanes = 4, .numVectorRegisters = 16, .features = kV2},
      {.name = "x86-64", .vectorLanes = 4, .numVectorRegisters = 16, .features = {}},
  }};
  return kLevels;
}

static void initialiseLlvmTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

static Result<const llvm::Target*> lookUpTarget(const std::string& triple) {
  initialiseLlvmTargets();
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) return targetFailed("no code generator for " + triple + ": " + message);
  return target;
}

// Whether the CPU has every feature of the level: asked of LLVM's table for a named CPU, of cpuid
// for this machine.
static bool hasLevel(const CpuLevel& level, bool isNative, const llvm::MCSubtargetInfo& subtarget) {
  if (isNative) {
    static const llvm::StringMap<bool> kHost = llvm::sys::getHostCPUFeatures();
    return std::ranges::all_of(level.features,
                               [](const std::string& name) { return kHost.lookup(name); });
  }
  return std::ranges::all_of(
      level.features, [&](const std::string& name) { return subtarget.checkFeatures("+" + name); });
}

Result<CpuTarget> makeCpuTarget(std::string_view cpuName) {
  CpuTarget target;
  target.triple = "x86_64-unknown-linux-gnu";
  TESSERA_TRY(const llvm::Target* llvmTarget, lookUpTarget(target.triple));
  const bool isNative = cpuName == "native";
  target.tuneCpu = isNative ? llvm::sys::getHostCPUName().str() : std::string(cpuName);
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      llvmTarget->createMCSubtargetInfo(target.triple, "", ""));
  if (!known->isCPUStringValid(target.tuneCpu)) {
    if (!isNative)
      return usageError(
          "unknown CPU '" + target.tuneCpu +
          "'; expected native, x86-64-v2, x86-64-v3, x86-64-v4 or a CPU name of LLVM");
    target.tuneCpu = "x86-64";
  }
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      llvmTarget->createMCSubtargetInfo(target.triple, target.tuneCpu, ""));
  for (const CpuLevel& level : cpuLevels()) {
    if (!hasLevel(level, isNative, *subtarget)) continue;
    target.cpu = level.name;
    target.vectorLanes = level.vectorLanes;
    target.numVectorRegisters = level.numVectorRegisters;
    target.features = level.features;
    break;
  }
  return target;
}

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const CpuTarget& target) {
  TESSERA_TRY(const llvm::Target* llvmTarget, lookUpTarget(target.triple));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(
      llvmTarget->createTargetMachine(target.triple, target.cpu, "", options, llvm::Reloc::PIC_,
                                      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
  if (!machine) return targetFailed("cannot create a code generator for " + target.cpu);
  return machine;
}

}  // namespace tessera::lowering
