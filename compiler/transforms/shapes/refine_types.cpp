#include "compiler/transforms/shapes/refine_types.h"

#include "compiler/ir/infer/common.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "compiler/transforms/passes.h"

using namespace mlir;

namespace tessera::transforms {

#define GEN_PASS_DEF_REFINETYPESPASS
#include "compiler/transforms/passes.h.inc"

/// What both types know of the sizes, in the physical order of `present`; null when they contradict
/// each other.
static RankedTensorType narrow(RankedTensorType present, RankedTensorType inferred) {
  if (present.getElementType() != inferred.getElementType() ||
      present.getRank() != inferred.getRank()) {
    return {};
  }
  const ir::Dims known = ir::dimsOf(present);
  const ir::Dims found = ir::dimsOf(inferred);
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<StringAttr> names;
  const StringAttr unnamed = StringAttr::get(present.getContext(), "");
  bool isNamed = false;
  for (auto [a, b] : llvm::zip_equal(known, found)) {
    const std::optional<ir::Dim> dim = ir::mergeDims(a, b);
    if (!dim) return {};
    shape.push_back(dim->size);
    names.push_back(dim->symbol ? dim->symbol : unnamed);
    isNamed |= dim->symbol != nullptr;
  }
  if (!isNamed) names.clear();
  const ir::LayoutAttr old = ir::layoutOf(present);
  if (!isNamed && (!old || old.isPlain())) {
    return RankedTensorType::get(shape, present.getElementType());
  }
  const auto layout =
      old ? old.withDims(names) : ir::LayoutAttr::get(present.getContext(), names, {}, {}, {}, "");
  return RankedTensorType::get(shape, present.getElementType(), layout);
}

LogicalResult refineResultTypes(Operation& op) {
  auto tensorOp = dyn_cast<ir::TsrOpInterface>(op);
  if (!tensorOp) return success();
  llvm::SmallVector<Type> inferred;
  if (failed(tensorOp.inferTypes(inferred))) return failure();
  for (auto [result, type] : llvm::zip_equal(op.getResults(), inferred)) {
    const auto present = dyn_cast<RankedTensorType>(result.getType());
    const auto found = dyn_cast<RankedTensorType>(type);
    if (!present || !found || present == found) continue;
    const RankedTensorType narrowed = narrow(present, found);
    if (!narrowed) {
      return op.emitError() << "result " << result.getResultNumber() << " is declared as "
                            << present << ", but its operands give " << found;
    }
    result.setType(narrowed);
  }
  return success();
}

static LogicalResult refineBlock(Block& block,
                                 llvm::function_ref<LogicalResult(Operation&)> visit) {
  for (Operation& op : llvm::make_early_inc_range(block)) {
    if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
      Block& body = composite.getBody().front();
      for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op.getOperands())) {
        argument.setType(operand.getType());
      }
    }
    for (Region& region : op.getRegions()) {
      for (Block& nested : region) {
        if (failed(refineBlock(nested, visit))) return failure();
      }
    }
    if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
      Operation* yield = composite.getBody().front().getTerminator();
      for (auto [result, value] : llvm::zip_equal(op.getResults(), yield->getOperands())) {
        result.setType(value.getType());
      }
    }
    if (failed(visit(op))) return failure();
  }
  return success();
}

/// Names of the functions that something in the module refers to.
static llvm::DenseSet<StringAttr> usedSymbols(ModuleOp module) {
  llvm::DenseSet<StringAttr> names;
  if (const auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion())) {
    for (const SymbolTable::SymbolUse& use : *uses)
      names.insert(use.getSymbolRef().getRootReference());
  }
  return names;
}

LogicalResult refineModule(ModuleOp module, llvm::function_ref<LogicalResult(Operation&)> visit) {
  const llvm::DenseSet<StringAttr> used = usedSymbols(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal()) continue;
    if (failed(refineBlock(function.getBody().front(), visit))) return failure();
    // Callers rely on the type of a function that is called.
    if (used.contains(function.getSymNameAttr())) continue;
    Operation* terminator = function.getBody().front().getTerminator();
    function.setType(FunctionType::get(module.getContext(), function.getArgumentTypes(),
                                       terminator->getOperandTypes()));
  }
  return success();
}

namespace {

struct RefineTypes : impl::RefineTypesPassBase<RefineTypes> {
  void runOnOperation() override {
    if (failed(refineModule(getOperation(), refineResultTypes))) signalPassFailure();
  }
};

}  // namespace

}  // namespace tessera::transforms
