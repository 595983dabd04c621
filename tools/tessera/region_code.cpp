#include "region_code.h"

#include <algorithm>

#include "model.h"

namespace tessera::cli {

Result<std::vector<HostTensor>> RegionCode::run(size_t call, std::span<const HostTensor> inputs) {
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

}  // namespace tessera::cli
