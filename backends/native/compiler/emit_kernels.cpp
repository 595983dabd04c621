// Kernel modules in the LLVM dialect -> one shared object. Objects are made in any order and linked
// in the order of regions, so the bytes do not depend on the timing of threads.
#include <mutex>

#include "backends/native/compiler/kept_kernel.h"
#include "backends/native/compiler/kernels.h"
#include "backends/native/format/kernel_abi.h"
#include "compiler/backend_api/unobserved.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/object/emit_object.h"
#include "compiler/lowering/object/link_shared.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

struct Kernel {
  ModuleOp module;
  std::string entry;
  size_t workspaceBytes = 0;
  std::string source;                 ///< Region that it was made for, for messages.
  std::string key;                    ///< Its key in the code cache; empty: that of its text.
  std::span<const std::byte> object;  ///< In the module; empty: to be made.
};

}  // namespace

static Result<Kernel> inspectKernel(func::FuncOp region, ModuleOp module) {
  Kernel kernel{.module = module,
                .entry = {},
                .workspaceBytes = 0,
                .source = region.getName().str(),
                .key = {},
                .object = {}};
  // A saved module that says so may say anything.
  if (backend_api::isUnobserved(region->getParentOfType<ModuleOp>())) {
    if (const auto kept = codeOf(module)) {
      kernel.entry = module.getName()->str();
      kernel.workspaceBytes = kept->workspaceBytes;
      kernel.object = kept->object;
      return kernel;
    }
    kernel.key = notedKey(module);
  }
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    // Beside it there may be what prepares its inputs.
    if (!function->hasAttr(lowering::kKernelAttr) || function.getName() != module.getName())
      continue;
    kernel.entry = function.getName().str();
    if (const auto bytes = function->getAttrOfType<IntegerAttr>(lowering::kWorkspaceBytesAttr))
      kernel.workspaceBytes = static_cast<size_t>(bytes.getInt());
    return kernel;
  }
  return targetFailed("region '" + kernel.source + "' has no lowered kernel");
}

/// Whether a kernel for one of the types may do for the other: they take the same memory. Shapes
/// and signs may differ, as equal kernels have one module.
static bool areAlike(TypeRange a, TypeRange b) {
  return llvm::equal(a, b, [](Type x, Type y) {
    const auto first = dyn_cast<RankedTensorType>(x), second = dyn_cast<RankedTensorType>(y);
    if (!first || !second) return false;
    if (first.hasStaticShape() && second.hasStaticShape())
      return ir::physicalSizeBytes(first) == ir::physicalSizeBytes(second);
    return ir::physicalType(first).getShape() == ir::physicalType(second).getShape() &&
           first.getElementTypeBitWidth() == second.getElementTypeBitWidth();
  });
}

/// A saved module may have been edited since its kernels were made.
static bool isMadeFor(func::FuncOp region, ModuleOp kernel) {
  const auto attribute = kernel->getAttrOfType<TypeAttr>(kRegionTypeAttr);
  const auto type = attribute ? dyn_cast<FunctionType>(attribute.getValue()) : FunctionType();
  return type && areAlike(type.getInputs(), region.getArgumentTypes()) &&
         areAlike(type.getResults(), region.getResultTypes());
}

/// The object of one kernel, from the cache when it was made before.
static Result<std::vector<uint8_t>> compileKernel(const Kernel& kernel,
                                                  const lowering::CpuTarget& cpu,
                                                  backend_api::CodeCache& cache) {
  const auto copyOf = [](std::span<const std::byte> object) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(object.data());
    return std::vector<uint8_t>(bytes, bytes + object.size());
  };
  if (!kernel.object.empty()) return copyOf(kernel.object);
  std::string key = kernel.key.empty() ? keyOf(kernel.module) : kernel.key;
  if (const auto known = cache.find(key)) {
    if (const auto kept = unpack(*known)) return copyOf(kept->object);
  }
  auto object = lowering::emitObject(kernel.module, cpu);
  if (!object) return std::move(object).error();
  cache.add(std::move(key), pack({.workspaceBytes = kernel.workspaceBytes,
                                  .object = std::as_bytes(std::span(object->bytes))}));
  return std::move(object->bytes);
}

/// In the order of the kernels; made on the threads of the module's context.
static std::vector<Result<std::vector<uint8_t>>> compileKernels(
    std::span<const Kernel> kernels, const lowering::CpuTarget& cpu,
    const backend_api::EmitContext& context) {
  std::vector<Result<std::vector<uint8_t>>> objects(kernels.size(), std::vector<uint8_t>());
  std::mutex mutex;
  size_t done = 0;
  parallelFor(ModuleOp(kernels.front().module).getContext(), 0, kernels.size(), [&](size_t i) {
    objects[i] = compileKernel(kernels[i], cpu, context.cache);
    const std::lock_guard<std::mutex> lock(mutex);
    ++done;
    if (context.progress) context.progress(done, kernels.size());
  });
  return objects;
}

Result<backend_api::Emission> emitKernels(ModuleOp module, ArrayRef<func::FuncOp> regions,
                                          const target::Target& target,
                                          const backend_api::EmitContext& context) {
  TESSERA_TRY(const CodeTarget cpu, codeTargetOf(target));
  const SymbolTable symbols(module);
  std::vector<Kernel> kernels;
  llvm::DenseMap<Operation*, size_t> indexOf;
  std::vector<size_t> kernelOf;
  for (func::FuncOp region : regions) {
    const auto symbol = region->getAttrOfType<FlatSymbolRefAttr>(kKernelModuleAttr);
    auto kernelModule = symbol ? symbols.lookup<ModuleOp>(symbol.getValue()) : ModuleOp();
    if (!kernelModule) return targetFailed("region '" + region.getName().str() + "' has no kernel");
    if (!isMadeFor(region, kernelModule))
      return targetFailed("region '" + region.getName().str() +
                          "' is not what its kernel was made for");
    const auto [it, isNew] = indexOf.try_emplace(kernelModule, kernels.size());
    if (isNew) {
      TESSERA_TRY(Kernel kernel, inspectKernel(region, kernelModule));
      kernels.push_back(std::move(kernel));
    }
    kernelOf.push_back(it->second);
  }
  auto compiled = compileKernels(kernels, cpu, context);
  backend_api::Emission emission;
  for (const size_t k : kernelOf) {
    if (compiled[k])
      emission.regions.emplace_back(
          backend_api::RegionCode{.entry = kernels[k].entry,
                                  .blob = 0,
                                  .workspaceBytes = kernels[k].workspaceBytes,
                                  .cpuFeatures = cpu.features});
    else
      emission.regions.emplace_back(backend_api::declined(compiled[k].error()));
  }
  std::vector<std::vector<uint8_t>> objects;
  for (auto& object : compiled) {
    if (object) objects.push_back(std::move(*object));
  }
  if (objects.empty()) return emission;
  TESSERA_TRY(const std::vector<uint8_t> library, lowering::linkShared(objects));
  const auto bytes = std::as_bytes(std::span(library));
  emission.blobs.push_back({.bytes = {bytes.begin(), bytes.end()}});
  emission.leastVersion = TESSERA_NATIVE_VERSION;
  return emission;
}

}  // namespace tessera::backend_native
