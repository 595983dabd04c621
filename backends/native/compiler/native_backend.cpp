#include "backends/native/compiler/native_backend.h"

#include "backends/native/compiler/channel_shuffle.h"
#include "backends/native/compiler/contraction/attention_plan.h"
#include "backends/native/compiler/contraction/channel_moves.h"
#include "backends/native/compiler/contraction/match.h"
#include "backends/native/compiler/contraction/schedule.h"
#include "backends/native/compiler/kernel/emit_scalar.h"
#include "backends/native/compiler/kernels.h"
#include "backends/native/compiler/layouts.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "backends/native/compiler/padding.h"
#include "backends/native/compiler/passes.h"
#include "backends/native/compiler/register.h"
#include "compiler/ir/composites.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "compiler/lowering/dialects.h"
#include "compiler/lowering/pipeline.h"

namespace tessera::backend_native {

using namespace mlir;

std::unique_ptr<backend_api::Backend> createBackend() { return std::make_unique<NativeBackend>(); }

NativeBackend::NativeBackend()
    : kind_{.name = kKindName.str(),
            .attributes = {{.name = "mcpu",
                            .defaultValue = std::string("native"),
                            .help = "CPU to generate code for: native, x86-64-v3 (AVX2), x86-64-v4 "
                                    "(AVX-512), or LLVM's name"},
                           {.name = "exact",
                            .type = target::AttributeType::kBool,
                            .defaultValue = false,
                            .help = "no algorithm that rounds otherwise than the direct one: fewer "
                                    "products, moments in one pass, estimated roots"},
                           {.name = "lean",
                            .type = target::AttributeType::kBool,
                            .defaultValue = false,
                            .help = "no weights that are larger in memory than in the model"}},
            .isHost = true} {}

void NativeBackend::registerDialects(DialectRegistry& registry) const {
  lowering::registerLoweringDialects(registry);
}

void NativeBackend::registerPasses() const {
  registerNativePasses();
  lowering::registerPassesOfPipelines();
}

static bool isSet(const target::Target& target, const std::string& name) {
  const auto attribute = target.attributes.find(name);
  const bool* value =
      attribute == target.attributes.end() ? nullptr : std::get_if<bool>(&attribute->second);
  return value && *value;
}

Result<CodeTarget> codeTargetOf(const target::Target& target) {
  TESSERA_TRY(lowering::CpuTarget cpu, lowering::makeCpuTarget(target.stringOr("mcpu", "native")));
  return CodeTarget{std::move(cpu), isSet(target, "exact"), isSet(target, "lean")};
}

Result<target::Target> NativeBackend::resolve(const target::Target& target) const {
  if (target.device != 0)
    return usageError("target '" + target.toString() + "' does not exist, there is one host");
  TESSERA_TRY(const CodeTarget cpu, codeTargetOf(target));
  target::Target resolved = target;
  for (const char* flag : {"exact", "lean"})
    if (!isSet(target, flag)) resolved.attributes.erase(flag);  // As if it were not there.
  if (target.stringOr("mcpu", "native") != "native") return resolved;
  // A virtual machine may hide features of the CPU it names: then only the level says what may be
  // used.
  const auto byName = lowering::makeCpuTarget(cpu.tuneCpu);
  resolved.attributes["mcpu"] = byName && byName->cpu == cpu.cpu ? cpu.tuneCpu : cpu.cpu;
  return resolved;
}

backend_api::Support NativeBackend::supports(Operation* op, const target::Target&) const {
  for (const Type type : op->getOperandTypes()) {
    const auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && !ir::spaceOf(tensor).empty())
      return backend_api::Declined{"it works in the host's memory, found " +
                                   ir::spaceOf(tensor).str()};
  }
  if (auto reason = whyDeclined(op)) return backend_api::Declined{std::move(*reason)};
  return backend_api::Supported{};
}

/// Shape-like numbers and scalars are part of the code; all else is data, as are the operands of
/// contractions and recurrent layers, whose emitters read memory.
static bool isInlineConstant(OpOperand& operand) {
  const auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !ir::isPlain(type) || isContraction(operand.getOwner()) ||
      isa<ir::RecurrentOpInterface>(operand.getOwner()))
    return false;
  if (type.getNumElements() == 1) return true;
  if (isa<ir::ResizeOp>(operand.getOwner()) && operand.getOperandNumber() > 0)
    return true;  // Scales and region.
  if (isa<ir::GatherOp>(operand.getOwner()) && channelMovesOf(operand.getOwner())) return true;
  const bool isInteger = type.getElementType().isInteger(64) || type.getElementType().isInteger(32);
  return isInteger && ir::physicalSizeBytes(type) <= static_cast<int64_t>(ir::kInlineConstantBytes);
}

/// Normalisations end in an elementwise pass, which what follows joins.
static bool isNorm(Operation* op) {
  if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
    const StringRef name = composite.getName();
    return name == ir::composite::kLayerNorm || name == ir::composite::kRmsNorm;
  }
  return isa<ir::GroupNormOp, ir::InstanceNormOp, ir::LayerNormOp, ir::RmsNormOp>(op);
}

backend_api::RegionRules NativeBackend::regionRules(const target::Target& target) const {
  const CodeTarget* cpu = cpuOf(target);
  const auto fusesPrologue = [cpu](Operation* op, OpOperand& into) {
    return cpu != nullptr && into.getOperandNumber() == 0 && mayBeInHead(op, cpu->vectorLanes) &&
           isForHead(into.getOwner(), *cpu);
  };
  const auto endsEpilogue = [cpu](Operation* op, Operation* contraction) {
    return cpu != nullptr && isPooledResult(op, contraction, *cpu);
  };
  const auto joinsEpilogue = [cpu](Operation* op, Operation* contraction,
                                   const DenseSet<Operation*>& members) {
    return cpu == nullptr || mayBeInTail(op, contraction, members, cpu->vectorLanes);
  };
  const auto mayEndEpilogue = [](Operation* op, Operation* contraction) {
    return !hasEmitter(contraction) || typeOf(op->getResult(0)).getElementType().isF32();
  };
  return {.fuseElementwise = true,
          .fuseEpilogues = true,
          .takesEpilogue = isNorm,
          .joinsEpilogue = joinsEpilogue,
          .mayEndEpilogue = mayEndEpilogue,
          .endsEpilogue = endsEpilogue,
          .fusesPrologue = fusesPrologue,
          .takesViews = false,  // What a kernel would copy is free in the host program.
          .maxOperations = 32,
          .isInlineConstant = isInlineConstant};
}

backend_api::PatternTable NativeBackend::patterns(const target::Target&) const {
  return {attentionPattern(), shufflePattern()};
}

void NativeBackend::addRegionPasses(OpPassManager& manager,
                                    const target::Target& /*target*/) const {
  manager.addPass(createGatherShufflesPass());
}

bool NativeBackend::mayShareRegion(Operation* first, Operation* second) const {
  // An emitter computes one contraction, or moves channels, and elementwise operators beside that.
  const auto standsAlone = [](Operation* op) {
    return isContraction(op) || movesBlockedChannels(op);
  };
  return !standsAlone(first) && !standsAlone(second);
}

const CodeTarget* NativeBackend::cpuOf(const target::Target& target) const {
  const std::scoped_lock lock(mutex_);
  std::string text = target.toString();
  auto it = cpus_.find(text);
  if (it == cpus_.end()) it = cpus_.emplace(std::move(text), codeTargetOf(target)).first;
  return it->second ? &*it->second : nullptr;
}

std::vector<backend_api::LayoutChoice> NativeBackend::chooseLayouts(
    Operation* op, ArrayRef<RankedTensorType> available, const target::Target& target) const {
  const CodeTarget* cpu = cpuOf(target);
  if (cpu == nullptr) return Backend::chooseLayouts(op, available, target);
  SmallVector<RankedTensorType> inHost;  // Where its code runs.
  for (const RankedTensorType type : available) inHost.push_back(ir::inSpace(type, ""));
  return {backend_native::chooseLayouts(op, inHost, *cpu)};
}

std::optional<backend_api::Schedules> NativeBackend::schedules(func::FuncOp region,
                                                               const target::Target& target) const {
  const CodeTarget* cpu = cpuOf(target);
  return cpu != nullptr ? schedulesOf(region, *cpu) : std::nullopt;
}

bool NativeBackend::canReuseOperand(func::FuncOp region, unsigned index) const {
  // Every element is read once, then written at the same place.
  const auto isOfResult = [&](Type type) {
    return isSameButPadding(type, region.getResultTypes()[0]);
  };
  if (region.getNumResults() != 1 || !isOfResult(region.getArgumentTypes()[index])) return false;
  if (!region.getArgument(index).hasOneUse()) return false;
  return llvm::all_of(region.getBody().front().without_terminator(), [&](Operation& op) {
    return isa<ir::ConstantOp>(op) || (isScalarOp(&op) && isOfResult(op.getResult(0).getType()));
  });
}

void NativeBackend::addPasses(target::Phase phase, target::HookPoint point, OpPassManager& manager,
                              const target::Target& /*target*/) const {
  if (point == target::HookPoint::kBefore) return;
  if (phase == target::Phase::kLower) manager.addPass(createLowerRegionsPass());
  if (phase == target::Phase::kOptimize)
    manager.nest<ModuleOp>().addPass(createOptimizeKernelPass());
}

/// Its regions come simplified, and what it lowers them to is cleaned by passes of its own.
std::vector<std::string> NativeBackend::skippedPasses(const target::Target& /*target*/) const {
  return {"canonicalize", "cse"};
}

Result<backend_api::Emission> NativeBackend::emit(ModuleOp module, ArrayRef<func::FuncOp> regions,
                                                  const target::Target& target,
                                                  const backend_api::EmitContext& context) const {
  return emitKernels(module, regions, target, context);
}

}  // namespace tessera::backend_native
