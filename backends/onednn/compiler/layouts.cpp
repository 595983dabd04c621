#include "backends/onednn/compiler/layouts.h"

#include "compiler/ir/types.h"

using namespace mlir;

namespace tessera::backend_onednn {

std::optional<int64_t> blockOf(RankedTensorType type) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  if (!layout || ir::isPlain(type)) return 1;
  const bool isImage = type.getRank() >= 3 && type.getRank() <= 5 && type.hasStaticShape() &&
                       type.getElementType().isF32();
  if (!isImage || !layout.isInHost() || !layout.getOrder().empty() ||
      layout.getBlockDims() != ArrayRef<int64_t>{1})
    return std::nullopt;
  const int64_t block = layout.getBlockSizes().front();
  const bool isKernels = block == 4 || block == 8 || block == 16;
  return isKernels && type.getDimSize(1) % block == 0 ? std::optional(block) : std::nullopt;
}

static int64_t lanesHere() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return 16;
  if (__builtin_cpu_supports("avx2")) return 8;
#endif
  return 4;
}

/// Whether an operator behind a call of the region, whose owner is another one, works on blocks of
/// the result's channels.
static bool isWantedInBlocks(func::FuncOp region, unsigned result) {
  bool isWanted = false;
  auto module = region->getParentOfType<ModuleOp>();
  module.walk([&](func::CallOp call) {
    if (call.getCallee() != region.getName()) return;
    for (OpOperand& use : call.getResult(result).getUses()) {
      isWanted |= use.getOperandNumber() == 0 &&
                  isa<ir::ConvOp, ir::MaxPoolOp, ir::AveragePoolOp, ir::GlobalAveragePoolOp,
                      ir::GlobalMaxPoolOp>(use.getOwner());
    }
  });
  return isWanted;
}

backend_api::LayoutChoice chooseBorder(func::FuncOp region, ArrayRef<RankedTensorType> available) {
  backend_api::LayoutChoice choice;
  int64_t lanes = lanesHere();
  for (const RankedTensorType type : available) {
    const int64_t block = blockOf(type).value_or(1);
    if (block > 1) lanes = block;
    choice.operands.push_back(block > 1 ? type : ir::plainType(type));
  }
  for (const auto& [i, type] : llvm::enumerate(region.getResultTypes())) {
    const RankedTensorType plain = ir::plainType(cast<RankedTensorType>(type));
    const auto blocked = plain.getRank() >= 3 && plain.hasStaticShape()
                             ? ir::withBlocks(plain, {1}, {lanes})
                             : plain;
    const bool isBlocked =
        blockOf(blocked).value_or(1) > 1 && isWantedInBlocks(region, static_cast<unsigned>(i));
    choice.results.push_back(isBlocked ? blocked : plain);
  }
  return choice;
}

}  // namespace tessera::backend_onednn
