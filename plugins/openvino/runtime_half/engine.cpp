#include "runtime_half/engine.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>

#include "shared/blob.h"
#include "shared/openvino_model.h"

namespace tessera_openvino {

Engines::Engines(std::span<const std::byte> blob, uint64_t region)
    : blob_(blob), proto_(modelOf(blob, region)) {}

/// OpenVINO holds most weights packed and reads these no more. What it does read comes back from
/// the artifact's file; memory that is no file's stays.
static void letPagesGo(std::span<const std::byte> bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t first = (start + page - 1) / page * page;
  const uintptr_t last = (start + bytes.size()) / page * page;
  if (first < last)
    (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_PAGEOUT);  // A hint.
}

std::shared_ptr<Engine> Engines::acquire(int numThreads) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<Engine> best;
  int numLanes = 0;
  for (const std::shared_ptr<Engine>& engine : engines_) {
    if (engine->numThreads != numThreads) continue;
    ++numLanes;
    if (!best || engine->numUsers < best->numUsers) best = engine;
  }
  const int numCores = static_cast<int>(std::thread::hardware_concurrency());
  const bool mayCompile = numLanes < std::max(numCores / numThreads, 1);
  if (!best || (best->numUsers > 0 && mayCompile)) {
    best = std::make_shared<Engine>();
    best->numThreads = numThreads;
    const std::shared_ptr<ov::Model> model = readModel(proto_);
    shareWeights(*model, weightsOf(blob_));
    best->compiled = core().compile_model(model, kDevice, cpuProperties(numThreads));
    letPagesGo(blob_);
    engines_.push_back(best);
    std::erase_if(engines_,
                  [&](const auto& engine) { return engine != best && engine->numUsers == 0; });
  }
  ++best->numUsers;
  return {best.get(), [this, best](Engine*) { release(best); }};
}

void Engines::release(const std::shared_ptr<Engine>& engine) {
  const std::scoped_lock lock(mutex_);
  if (--engine->numUsers == 0 && engines_.size() > 1) std::erase(engines_, engine);
}

}  // namespace tessera_openvino
