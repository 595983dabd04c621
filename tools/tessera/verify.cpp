#include "verify.h"

#include <cstdio>

#include "inputs.h"
#include "region_code.h"
#include "tessera/tensor_compare.h"

namespace tessera::cli {

/// Other regions arise where one was given to others; their number falls.
static constexpr int kMaxRounds = 20;

static std::string whatDiffers(std::span<const HostTensor> actual,
                               std::span<const HostTensor> expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string& name = expected[i].name;
    const TensorDifference difference = compareTensors(actual[i], expected[i], {});
    if (!difference.mismatch.empty()) return name + ": " + difference.mismatch;
    if (difference.isWithinScaled) continue;
    char number[32];
    std::snprintf(number, sizeof(number), "%.3g", difference.greatest);
    return name + " differs from the reference by up to " + number + " (" + difference.firstValues +
           ")";
  }
  return "";
}

static Result<std::vector<RegionDifference>> differencesOf(const Module& module,
                                                           const ModelOptions& options) {
  TESSERA_TRY(Module placed, module.clone(""));
  if (placed.phase() < Phase::kPostPartition) TESSERA_TRY_VOID(placed.runTo(Phase::kPostPartition));
  TESSERA_TRY(const std::vector<HostTensor> inputs,
              gatherInputs(placed.inputs(), {}, /*fillMissing=*/true));
  RegionCode code(placed, options.threads);
  const auto run = [&](size_t call, std::span<const HostTensor> read) {
    return code.run(call, read);
  };
  return placed.compareRegions(inputs, run, whatDiffers);
}

Status verifyRegions(Module& module, const ModelOptions& options, bool isStrict) {
  for (int round = 0; round < kMaxRounds; ++round) {
    TESSERA_TRY(const std::vector<RegionDifference> differences, differencesOf(module, options));
    if (differences.empty()) return {};
    const RegionDifference& first = differences.front();
    const std::string text = "region '" + first.region + "' of target '" + first.target + "'" +
                             (first.node.empty() ? "" : " (node '" + first.node + "')") + ": " +
                             first.what;
    if (isStrict || module.phase() >= Phase::kPartition) return targetFailed(text);
    for (const RegionDifference& difference : differences)
      TESSERA_TRY_VOID(module.exclude(difference));
  }
  return targetFailed("regions still differ from the reference after " +
                      std::to_string(kMaxRounds) + " rounds of placing");
}

}  // namespace tessera::cli
