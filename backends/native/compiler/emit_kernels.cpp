// Kernel modules in the LLVM dialect -> one shared object. Objects are made in any order and linked
// in the order of regions, so the bytes do not depend on the timing of threads.
#include <atomic>
#include <mutex>
#include <thread>

#include "backends/native/compiler/kernels.h"
#include "compiler/lowering/emit_object.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/link_shared.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

struct Kernel {
  ModuleOp module;
  std::string entry;
  size_t workspaceBytes = 0;
  std::string source;  ///< Region that it was made for, for messages.
};

}  // namespace

static Result<Kernel> inspectKernel(func::FuncOp region, ModuleOp module) {
  Kernel kernel{
      .module = module, .entry = {}, .workspaceBytes = 0, .source = region.getName().str()};
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(lowering::kKernelAttr)) continue;
    kernel.entry = function.getName().str();
    if (const auto bytes = function->getAttrOfType<IntegerAttr>(lowering::kWorkspaceBytesAttr))
      kernel.workspaceBytes = static_cast<size_t>(bytes.getInt());
    return kernel;
  }
  return targetFailed("region '" + kernel.source + "' has no lowered kernel");
}

/// Runs work(i) for all i in [0, count) on all cores.
static void runOnAllCores(size_t count, const std::function<void(size_t)>& work) {
  const size_t numThreads =
      std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), count);
  std::atomic<size_t> next{0};
  const auto drain = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < numThreads; ++i) threads.emplace_back(drain);
  drain();
  for (std::thread& thread : threads) thread.join();
}

static Result<std::vector<std::vector<uint8_t>>> compileKernels(
    std::span<Kernel> kernels, const lowering::CpuTarget& cpu,
    const backend_api::Progress& progress) {
  std::vector<std::vector<uint8_t>> objects(kernels.size());
  std::vector<std::optional<Error>> errors(kernels.size());
  std::mutex mutex;
  size_t done = 0;
  runOnAllCores(kernels.size(), [&](size_t i) {
    auto object = lowering::emitObject(kernels[i].module, cpu);
    if (object)
      objects[i] = std::move(object->bytes);
    else
      errors[i] = std::move(object).error();
    const std::lock_guard<std::mutex> lock(mutex);
    ++done;
    if (progress) progress(done, kernels.size());
  });
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!errors[i]) continue;
    errors[i]->notes.push_back("in the kernel of region '" + kernels[i].source + "'");
    return std::move(*errors[i]);
  }
  return objects;
}

Result<backend_api::Emission> emitKernels(ModuleOp module, ArrayRef<func::FuncOp> regions,
                                          const target::Target& target,
                                          const backend_api::Progress& progress) {
  TESSERA_TRY(const lowering::CpuTarget cpu, cpuOf(target));
  backend_api::Emission emission;
  emission.cpuFeatures = cpu.features;
  if (regions.empty()) return emission;
  std::vector<Kernel> kernels;
  llvm::DenseMap<Operation*, size_t> indexOf;
  for (func::FuncOp region : regions) {
    const auto symbol = region->getAttrOfType<FlatSymbolRefAttr>(kKernelModuleAttr);
    auto kernelModule =
        symbol ? SymbolTable(module).lookup<ModuleOp>(symbol.getValue()) : ModuleOp();
    if (!kernelModule) return targetFailed("region '" + region.getName().str() + "' has no kernel");
    const auto [it, isNew] = indexOf.try_emplace(kernelModule, kernels.size());
    if (isNew) {
      TESSERA_TRY(Kernel kernel, inspectKernel(region, kernelModule));
      kernels.push_back(std::move(kernel));
    }
    const Kernel& kernel = kernels[it->second];
    emission.regions.push_back({.region = region.getName().str(),
                                .entry = kernel.entry,
                                .blob = 0,
                                .workspaceBytes = kernel.workspaceBytes});
  }
  TESSERA_TRY(const std::vector<std::vector<uint8_t>> objects,
              compileKernels(kernels, cpu, progress));
  TESSERA_TRY(const std::vector<uint8_t> library, lowering::linkShared(objects));
  const auto bytes = std::as_bytes(std::span(library));
  emission.blobs.push_back({.bytes = {bytes.begin(), bytes.end()}});
  return emission;
}

}  // namespace tessera::backend_native
