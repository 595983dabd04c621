#include "interpret.h"

#include "region_code.h"

namespace tessera::cli {

Result<std::vector<HostTensor>> interpret(Module& module, const ModelOptions& options,
                                          std::span<const HostTensor> inputs) {
  const bool isReference = isInterpretedTarget(options.targets);
  const bool isPlain = options.targets.empty() && module.phase() < Phase::kPartition;
  if (isReference || isPlain) return module.interpret(inputs);
  if (module.phase() < Phase::kPostPartition) TESSERA_TRY_VOID(module.runTo(Phase::kPostPartition));
  printNotes(module);
  RegionCode code(module, options.threads);
  return module.interpret(
      inputs, [&](size_t call, std::span<const HostTensor> read) { return code.run(call, read); });
}

}  // namespace tessera::cli
