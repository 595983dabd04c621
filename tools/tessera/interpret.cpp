#include "interpret.h"

#include <algorithm>
#include <map>
#include <memory>

namespace tessera::cli {

namespace {

/// The code of regions, each loaded when it is called first.
class RegionCode {
 public:
  RegionCode(const Module& module, uint32_t threads) : module_(module), threads_(threads) {}

  Result<std::vector<HostTensor>> run(size_t call, std::span<const HostTensor> inputs) {
    auto found = loaded_.find(call);
    if (found == loaded_.end()) {
      TESSERA_TRY(const std::vector<std::byte> artifact, module_.compileCall(call));
      TESSERA_TRY(Executable executable, Executable::loadMemory(artifact, {.copyMemory = true}));
      auto made = std::make_unique<Executable>(std::move(executable));
      TESSERA_TRY(Context context,
                  Context::create(*made, {.numThreads = static_cast<int32_t>(threads_)}));
      found = loaded_.try_emplace(call, std::move(made), std::move(context)).first;
    }
    auto& [executable, context] = found->second;
    TESSERA_TRY(const std::vector<HostTensor> outputs, runOnce(*executable, context, inputs));
    std::vector<HostTensor> copies;  // The context's own memory is that of its next run.
    for (const HostTensor& output : outputs) {
      TESSERA_TRY(WritableTensor copy, allocateTensor(output.name, output.type, output.shape));
      std::ranges::copy(output.bytes, copy.data);
      copies.push_back(std::move(copy.tensor));
    }
    return copies;
  }

 private:
  const Module& module_;
  uint32_t threads_;
  std::map<size_t, std::pair<std::unique_ptr<Executable>, Context>> loaded_;
};

}  // namespace

Result<std::vector<HostTensor>> interpret(Module& module, const ModelOptions& options,
                                          std::span<const HostTensor> inputs) {
  const bool hasTargets = !options.targets.empty() && !isInterpretedTarget(options.targets);
  if (!hasTargets && module.phase() < Phase::kPartition) return module.interpret(inputs);
  if (module.phase() < Phase::kPostPartition) TESSERA_TRY_VOID(module.runTo(Phase::kPostPartition));
  RegionCode code(module, options.threads);
  return module.interpret(
      inputs, [&](size_t call, std::span<const HostTensor> read) { return code.run(call, read); });
}

}  // namespace tessera::cli
