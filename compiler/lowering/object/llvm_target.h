// The CPU that kernels are compiled for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace llvm {
class TargetMachine;
}

namespace tessera::lowering {

/// A CPU as LLVM's code generator sees it. Code is generated for an x86-64 level (`cpu`), so that
/// the list of features an artifact needs is short and does not depend on the machine that compiled
/// it, and scheduled for the named CPU (`tuneCpu`).
struct CpuTarget {
  std::string triple;  ///< "x86_64-unknown-linux-gnu"
  std::string
      cpu;  ///< Level whose instructions may be used: "x86-64-v4", "x86-64-v3", "x86-64-v2".
  std::string tuneCpu;      ///< CPU whose costs guide scheduling: "sapphirerapids", "x86-64-v3".
  int64_t vectorLanes = 4;  ///< f32 lanes of one vector register: 16 (AVX-512), 8 (AVX2), 4.
  int64_t numVectorRegisters = 16;  ///< Architectural vector registers.
  /// Packed weights of a contraction up to this size stay in the second-level cache while its rows
  /// go by; of larger ones a few panels stay instead. The second level of many cores; of those with
  /// more it leaves room for rows and results.
  int64_t cachedWeightBytes = int64_t{512} * 1024;
  std::vector<std::string>
      features;  ///< CPU features the code needs, LLVM's names, sorted ("avx2", "avx512f", "fma").
};

/// The target named by `cpuName`: "native" is the CPU of this machine, else a name that `-mcpu=`
/// takes (x86-64-v3 means AVX2, x86-64-v4 AVX-512). An unknown name is a usage error.
Result<CpuTarget> makeCpuTarget(std::string_view cpuName);

/// LLVM's code generator for `target`. Thread-safe; one machine serves one thread.
Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const CpuTarget& target);

}  // namespace tessera::lowering
