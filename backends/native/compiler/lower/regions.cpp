// Region functions on tsr operators -> kernel modules.
#include "backends/native/compiler/contraction/attention_region.h"
#include "backends/native/compiler/contraction/recurrent_region.h"
#include "backends/native/compiler/contraction/region.h"
#include "backends/native/compiler/contraction/schedule.h"
#include "backends/native/compiler/contraction/split_region.h"
#include "backends/native/compiler/kernels.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/passes.h"
#include "base/content_hash.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/lowering/dialects.h"
#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"

namespace tessera::backend_native {

using namespace mlir;

#define GEN_PASS_DEF_LOWERREGIONSPASS
#include "backends/native/compiler/passes.h.inc"

namespace {

struct LowerRegions : impl::LowerRegionsPassBase<LowerRegions> {
  void getDependentDialects(DialectRegistry& registry) const override {
    lowering::registerLoweringDialects(registry);
  }
  void runOnOperation() override;
};

}  // namespace

/// The kernel as linalg on tensors: one function `name`. Its operations have the region's location,
/// for messages.
static LogicalResult buildTensorKernel(func::FuncOp region, ModuleOp kernels, StringRef name,
                                       const CodeTarget& cpu) {
  const Location loc = region.getLoc();
  const auto memoryTypes = [](TypeRange types) {
    return llvm::map_to_vector(
        types, [](Type type) -> Type { return kernelType(cast<RankedTensorType>(type)); });
  };
  const auto type = FunctionType::get(region.getContext(), memoryTypes(region.getArgumentTypes()),
                                      memoryTypes(region.getResultTypes()));
  auto kernel = func::FuncOp::create(loc, name, type);
  kernels.push_back(kernel);
  KernelBuilder b(loc, kernel.addEntryBlock());
  b.setExact(cpu.isExact);
  b.setVectorLanes(cpu.vectorLanes);
  for (auto [argument, tensor] : llvm::zip_equal(region.getArguments(), kernel.getArguments()))
    b.set(argument, tensor);
  Block& body = region.getBody().front();
  for (auto [op, node] :
       llvm::zip_equal(body.without_terminator(), backend_api::nodeNumbers(region))) {
    b.setNode(node);
    if (failed(lowerOperation(b, &op))) return failure();
  }
  Values results;
  for (const Value value : body.getTerminator()->getOperands()) results.push_back(b.get(value));
  b.create<func::ReturnOp>(results);
  return success();
}

/// By the contraction emitters where they take the region, else as plain loops; a region that has
/// them although there is a contraction in it says why.
static LogicalResult buildKernel(func::FuncOp region, ModuleOp kernels, StringRef name,
                                 const CodeTarget& cpu) {
  Operation* product = findProduct(region);
  if (ir::SplitOp split = splitOfChannels(region, cpu.vectorLanes)) {
    emitSplitOfChannels(region, split, kernels, name, cpu);
    return success();
  }
  if (!product) {
    const auto planned = findPlanewise(region) ? planRegion(region, cpu) : backend_api::Declined{};
    const auto* plan = std::get_if<RegionPlan>(&planned);
    if (!plan) return buildTensorKernel(region, kernels, name, cpu);
    emitContraction(*plan, kernels, name, cpu);
    return success();
  }
  const auto inPlainLoops = [&](const backend_api::Declined& declined) {
    region->setAttr(backend_api::kRemarkAttribute,
                    StringAttr::get(region.getContext(), "plain loops: " + declined.reason));
    return buildTensorKernel(region, kernels, name, cpu);
  };
  if (isa<ir::RecurrentOpInterface>(product)) {
    const auto plan = planRecurrent(region, product);
    if (const auto* declined = std::get_if<backend_api::Declined>(&plan))
      return inPlainLoops(*declined);
    emitRecurrentLayer(std::get<RecurrentPlan>(plan), kernels, name, cpu);
    return success();
  }
  if (Block* body = attentionBody(region)) {
    const auto plan = planAttention(*body);
    if (const auto* declined = std::get_if<backend_api::Declined>(&plan))
      return inPlainLoops(*declined);
    emitAttentionRegion(region, std::get<AttentionPlan>(plan), kernels, name, cpu);
    return success();
  }
  if (!isContraction(product)) {
    return inPlainLoops({product->getName().stripDialect().str() + " has no emitter of its own"});
  }
  if (isMatrixTimesVector(product)) return buildTensorKernel(region, kernels, name, cpu);
  const auto plan = planRegion(region, cpu);
  if (const auto* declined = std::get_if<backend_api::Declined>(&plan))
    return inPlainLoops(*declined);
  emitContraction(std::get<RegionPlan>(plan), kernels, name, cpu);
  return success();
}

/// The kernel's name while it is built.
static constexpr llvm::StringLiteral kDraftName = "kernel";

/// Equal for equal kernels: locations are left out.
static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Verifying it takes longer than printing; what is behind the phase finds our mistakes.
  module.print(stream, OpPrintingFlags().useLocalScope().assumeVerified());
  return text;
}

/// The runtime half passes arguments and open sizes in arrays of fixed length.
static LogicalResult checkArguments(func::FuncOp region) {
  const auto reason = exceedsKernelAbi(region.getArgumentTypes(), region.getNumResults());
  return reason ? LogicalResult(region.emitError(*reason)) : success();
}

/// A saved module may have been edited.
static LogicalResult checkSchedule(func::FuncOp region) {
  const Attribute attribute = region->getAttr(backend_api::kScheduleAttribute);
  if (!attribute) return success();
  const auto text = dyn_cast<StringAttr>(attribute);
  if (text && parseSchedule(text)) return success();
  return region.emitError() << "no schedule of native is " << attribute << ", expected "
                            << kScheduleGrammar;
}

/// The CPU that the region's target names, looked up once for each target.
static const CodeTarget* cpuOf(func::FuncOp region, DenseMap<Attribute, CodeTarget>& known) {
  const ir::TargetAttr owner = backend_api::ownerOf(region);
  const auto [it, isNew] = known.try_emplace(owner);
  if (!isNew) return &it->second;
  auto cpu = codeTargetOf(backend_api::fromAttribute(owner));
  if (!cpu) {
    region.emitError(cpu.error().message);
    return nullptr;
  }
  it->second = std::move(*cpu);
  return &it->second;
}

/// A kernel's name: by what it is, so that its code is found again wherever it comes back.
static std::string nameOf(ModuleOp kernels, ir::TargetAttr owner) {
  std::string text;
  llvm::raw_string_ostream(text) << owner << textOf(kernels);
  return "kernel_" + base::contentHash(text).substr(0, 16);
}

/// Renames the kernel, and what prepares its inputs, in the shared object, too.
static void setEntryName(ModuleOp kernels, StringRef name) {
  for (Operation& op : *kernels.getBody()) {
    StringRef old = SymbolTable::getSymbolName(&op).getValue();
    if (old.consume_front(kDraftName)) SymbolTable::setSymbolName(&op, (name + old).str());
  }
}

/// The kernels of a region, without a name; null when an error was emitted.
static OwningOpRef<ModuleOp> kernelsOf(func::FuncOp region, const CodeTarget* cpu) {
  if (!cpu) return {};
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(region.getLoc());
  (*kernels)->setAttr(lowering::kVectorLanesAttr,
                      Builder(region.getContext()).getI64IntegerAttr(cpu->vectorLanes));
  if (failed(buildKernel(region, *kernels, kDraftName, *cpu))) return {};
  return kernels;
}

void LowerRegions::runOnOperation() {
  ModuleOp module = getOperation();
  DenseMap<Attribute, CodeTarget> cpus;
  std::vector<std::pair<func::FuncOp, OwningOpRef<ModuleOp>>> made;
  for (auto region : module.getOps<func::FuncOp>()) {
    if (!isNative(backend_api::ownerOf(region)) || region.isDeclaration() ||
        region->hasAttr(kKernelModuleAttr))
      continue;
    if (failed(checkArguments(region)) || failed(checkSchedule(region))) return signalPassFailure();
    made.emplace_back(region, kernelsOf(region, cpuOf(region, cpus)));
    if (!made.back().second) return signalPassFailure();
  }
  // Printing takes longer than building.
  std::vector<std::string> names(made.size());
  parallelFor(&getContext(), 0, made.size(), [&](size_t i) {
    names[i] = nameOf(*made[i].second, backend_api::ownerOf(made[i].first));
  });
  SymbolTable symbols(module);
  for (auto [each, name] : llvm::zip_equal(made, names)) {
    auto& [region, kernels] = each;
    if (symbols.lookup(name) == nullptr) {
      setEntryName(*kernels, name);
      (*kernels)->setAttr(backend_api::kTargetAttribute, backend_api::ownerOf(region));
      (*kernels)->setAttr(kRegionTypeAttr, TypeAttr::get(region.getFunctionType()));
      kernels->setName(name);
      symbols.insert(kernels.release(), std::next(region->getIterator()));
    }
    region->setAttr(kKernelModuleAttr, FlatSymbolRefAttr::get(&getContext(), name));
  }
}

}  // namespace tessera::backend_native
