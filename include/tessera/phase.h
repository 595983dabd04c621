// The phases of the one pipeline, in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// Named points at which common passes run and a target may add its own.
enum class Phase : uint8_t {
  kImport,         ///< ONNX to tsr operators.
  kSimplify,       ///< Target-independent rewriting.
  kPrePartition,   ///< Last rewriting of the whole graph.
  kPartition,      ///< Owners, layouts, regions: what is fused becomes a function with an owner.
  kPostPartition,  ///< Rewriting inside regions that still hold tsr operators.
  kLower,          ///< Graph to loops, by each owner (RelayToTIR).
  kOptimize,       ///< Loops to better loops.
  kEmit,           ///< Loops or graph to code in the module, by each owner (TIRToRuntime).
  kLink,           ///< The host program: buffers, memory plan.
};

/// As on the command line and in saved modules; one for each phase.
inline constexpr std::array<std::string_view, 9> kPhaseNames = {
    "import", "simplify", "pre_partition", "partition", "post_partition",
    "lower",  "optimize", "emit",          "link"};

constexpr std::string_view phaseName(Phase phase) {
  return kPhaseNames[static_cast<size_t>(phase)];
}

/// Nothing when no phase has that name.
constexpr std::optional<Phase> parsePhase(std::string_view name) {
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    if (kPhaseNames[i] == name) return static_cast<Phase>(i);
  }
  return std::nullopt;
}

}  // namespace tessera
