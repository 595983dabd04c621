// An open dimension without a name gets one where it arises; inference then hands it on. So sizes
// that have one origin are known to be equal: those of a residual addition, of a reshape by the
// sizes of its own input.
#include "compiler/ir/infer/common.h"
#include "compiler/ir/infer/given_dims.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/shapes/refine_types.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_NAMEOPENDIMSPASS
#include "compiler/transforms/passes.h.inc"

/// The greatest number in a name that was given in the module; -1 when there is none.
static int64_t greatestNumber(ModuleOp module) {
  int64_t greatest = -1;
  const auto look = [&](Type type) {
    const ir::LayoutAttr layout =
        isa<RankedTensorType>(type) ? ir::layoutOf(cast<RankedTensorType>(type)) : ir::LayoutAttr();
    for (const StringAttr name : layout ? layout.getDims() : ArrayRef<StringAttr>()) {
      greatest = std::max(greatest, ir::givenDimNumber(name).value_or(-1));
    }
  };
  module.walk([&](Operation* op) {
    llvm::for_each(op->getResultTypes(), look);
    for (Region& region : op->getRegions()) {
      for (Block& block : region) llvm::for_each(block.getArgumentTypes(), look);
    }
  });
  return greatest;
}

/// `type` with a name for each open dimension that has none.
static RankedTensorType withNames(RankedTensorType type, int64_t& next) {
  const ir::Dims dims = ir::dimsOf(type);
  SmallVector<StringAttr> names;
  bool isChanged = false;
  for (const ir::Dim& dim : dims) {
    const bool isUnnamed = ShapedType::isDynamic(dim.size) && !dim.symbol;
    const std::string name = isUnnamed    ? ir::givenDimName(next++)
                             : dim.symbol ? dim.symbol.str()
                                          : "";
    names.push_back(StringAttr::get(type.getContext(), name));
    isChanged |= isUnnamed;
  }
  if (!isChanged) return type;
  return RankedTensorType::get(
      type.getShape(), type.getElementType(),
      ir::LayoutAttr::get(type.getContext(), names, {}, {}, {}, ir::spaceOf(type)));
}

namespace {

struct NameOpenDims : impl::NameOpenDimsPassBase<NameOpenDims> {
  void runOnOperation() override {
    int64_t next = greatestNumber(getOperation()) + 1;
    const auto visit = [&](Operation& op) -> LogicalResult {
      if (failed(refineResultTypes(op))) return failure();
      // What a loop's body computes has another size in each iteration; what the host program and
      // composites compute has one.
      const bool isOnce = isa<func::FuncOp, ir::CompositeOp>(op.getParentOp());
      if (!isOnce || !isa<ir::TsrOpInterface>(op)) return success();
      for (OpResult result : op.getResults()) {
        const auto type = dyn_cast<RankedTensorType>(result.getType());
        if (type && ir::isPlain(type)) result.setType(withNames(type, next));
      }
      return success();
    };
    if (failed(refineModule(getOperation(), visit))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
