// Which instruction-set extensions this CPU and its operating system support.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::runtime {

/// True when the feature, in LLVM's spelling ("sse4.2", "avx2", "avx512vnni"), can be used. Unknown
/// names are lacking.
bool hasCpuFeature(std::string_view name);

/// Those of `features` that this CPU lacks, comma-separated; empty when it has all.
std::string missingCpuFeatures(const std::vector<std::string>& features);

}  // namespace tessera::runtime
