// One pass in execution order: each owner says in which layouts it runs an operator or a region,
// given in which its operands come; the first answer that can be had counts.
#include "compiler/ir/host_views.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/types.h"
#include "compiler/partition/host_blocks.h"
#include "compiler/partition/layouts/conversions.h"
#include "compiler/partition/layouts/retype.h"
#include "compiler/partition/passes.h"
#include "compiler/partition/refusals.h"

namespace tessera::partition {

#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "compiler/partition/passes.h.inc"

using namespace mlir;
using backend_api::LayoutChoice;
using backend_api::Owner;

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

static SmallVector<RankedTensorType> tensorTypes(TypeRange types) {
  SmallVector<RankedTensorType> tensors;
  for (const Type type : types) tensors.push_back(cast<RankedTensorType>(type));
  return tensors;
}

/// The layouts of `wanted`, sizes and names of `own`.
static SmallVector<Type> withLayoutsOf(TypeRange own, ArrayRef<RankedTensorType> wanted) {
  SmallVector<Type> types;
  for (auto [type, layout] : llvm::zip_equal(own, wanted))
    types.push_back(ir::inLayoutOf(cast<RankedTensorType>(type), layout));
  return types;
}

namespace {

class LayoutAssignment {
 public:
  /// `number`: which of an owner's choices counts, of those that can be had. `areCounted`: all of
  /// them are looked at.
  LayoutAssignment(ModuleOp module, const OwnerIndex& owners, size_t number, bool areCounted)
      : module_(module),
        number_(number),
        areCounted_(areCounted),
        owners_(owners),
        symbols_(module),
        conversions_(module, symbols_, owners) {}

  /// Of the operator or region that has most that can be had.
  size_t mostChoices() const { return mostChoices_; }

  LogicalResult visit(Operation* op) {
    if (isa<ir::RelayoutOp, ir::CopyOp, ir::ConstantOp>(op)) return success();
    if (const Owner* owner = owners_.of(op)) return visitOwned(op, *owner);
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (auto region = symbols_.lookup<func::FuncOp>(call.getCallee())) {
        const Owner* owner = owners_.of(region);
        if (owner && !region.isExternal()) return visitCall(call, region, *owner);
      }
    }
    if (isa<func::ReturnOp>(op)) return visitReturn(op);
    if (takeSpaceOfViewed(op)) return success();
    return requirePlain(op->getOpOperands(), nullptr);  // Bodies are blocks of their own.
  }

 private:
  /// What the host program realises as a view lies in the memory space of what is viewed.
  static bool takeSpaceOfViewed(Operation* op) {
    const auto space = [](Value value) {
      const auto type = dyn_cast<RankedTensorType>(value.getType());
      return type ? ir::spaceOf(type) : StringRef();
    };
    if (op->getNumRegions() > 0 || op->getNumOperands() == 0 || op->getNumResults() == 0)
      return false;
    const StringRef there = space(op->getOperand(0));
    const auto isThere = [&](Value value) { return space(value) == there; };
    if (there.empty() || (isa<ir::ConcatOp>(op) && !llvm::all_of(op->getOperands(), isThere)))
      return false;
    const SmallVector<Type> before(op->getResultTypes());
    for (Value result : op->getResults())
      result.setType(ir::inSpace(cast<RankedTensorType>(result.getType()), there));
    if (ir::isRename(op) || ir::contiguousParts(op)) return true;
    for (auto [result, type] : llvm::zip_equal(op->getResults(), before)) result.setType(type);
    return false;
  }

  /// Whether the choice would carry to another space what costs nothing in the host's memory.
  static bool movesHostView(Operation* op, const LayoutChoice& choice) {
    const auto isPlain = [](Type type) { return ir::isPlain(cast<RankedTensorType>(type)); };
    const bool leaves = llvm::any_of(
        choice.results, [](RankedTensorType type) { return !ir::spaceOf(type).empty(); });
    return leaves && llvm::all_of(op->getOperandTypes(), isPlain) &&
           (ir::isRename(op) || ir::contiguousParts(op));
  }

  /// As the function declares it: row-major in host memory, unless a caller wants it elsewhere or
  /// takes it as it comes.
  LogicalResult visitReturn(Operation* op) {
    auto function = cast<func::FuncOp>(op->getParentOp());
    if (function->hasAttr(kAnyResultLayoutAttribute)) {
      function.setFunctionType(
          FunctionType::get(op->getContext(), function.getArgumentTypes(), op->getOperandTypes()));
      return success();
    }
    const auto declared = function.getResultTypes();
    for (auto [operand, type] : llvm::zip_equal(op->getOpOperands(), declared)) {
      const auto wanted = dyn_cast<RankedTensorType>(type);
      if (wanted && failed(require(operand, wanted, nullptr))) return failure();
    }
    return success();
  }

  LogicalResult visitOwned(Operation* op, const Owner& owner) {
    // Control flow, and what is no tensor, has no choice.
    const bool hasChoice = (op->getNumRegions() == 0 || isa<ir::CompositeOp>(op)) &&
                           llvm::all_of(op->getOperandTypes(), isTensor) &&
                           llvm::all_of(op->getResultTypes(), isTensor);
    if (!hasChoice) return requirePlain(op, &owner);
    if (takeSpaceOfViewed(op)) {
      op->removeAttr(backend_api::kTargetAttribute);
      return success();
    }
    const auto choice = choose(op, op->getOperands(), op->getResultTypes(), owner);
    if (!choice) return requirePlain(op, nullptr);
    if (movesHostView(op, *choice)) {
      op->removeAttr(backend_api::kTargetAttribute);
      return success();
    }
    for (auto [index, layout] : llvm::enumerate(choice->operands))
      op->setOperand(index, conversions_.convert(op->getOperand(index), layout, &owner));
    const SmallVector<Type> types = withLayoutsOf(op->getResultTypes(), choice->results);
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) result.setType(type);
    if (auto composite = dyn_cast<ir::CompositeOp>(op))
      retypeBody(composite.getBody().front(), composite->getOperandTypes(), types);
    return success();
  }

  /// A region that was outlined before it had layouts is asked once, with its first call.
  LogicalResult visitCall(func::CallOp call, func::FuncOp region, const Owner& owner) {
    const bool isOpen = owners_.rules(owner).mergesOperators && asked_.insert(region).second &&
                        llvm::all_of(region.getArgumentTypes(), isTensor) &&
                        llvm::all_of(region.getResultTypes(), isTensor);
    if (isOpen) {
      const auto choice = choose(region, call.getOperands(), region.getResultTypes(), owner);
      if (!choice) return requirePlain(call, nullptr);
      const SmallVector<Type> arguments =
          withLayoutsOf(region.getArgumentTypes(), choice->operands);
      const SmallVector<Type> results = withLayoutsOf(region.getResultTypes(), choice->results);
      retypeBody(region.getBody().front(), arguments, results);
      region.setFunctionType(FunctionType::get(region.getContext(), arguments, results));
    }
    for (auto [index, type] : llvm::enumerate(region.getArgumentTypes())) {
      const auto wanted = dyn_cast<RankedTensorType>(type);
      if (!wanted) continue;
      const Value value = conversions_.convert(call.getOperand(index), wanted, &owner);
      if (!value)
        return call.emitError() << "no target converts operand #" << index << " from "
                                << call.getOperand(index).getType() << " to " << wanted;
      call.setOperand(index, value);
    }
    for (auto [result, type] : llvm::zip_equal(call.getResults(), region.getResultTypes()))
      result.setType(type);
    return success();
  }

  /// The owner's choice; nothing, and `op` counts as refused, when none can be had.
  std::optional<LayoutChoice> choose(Operation* op, OperandRange operands, TypeRange results,
                                     const Owner& owner) {
    const SmallVector<RankedTensorType> available = tensorTypes(operands.getTypes());
    std::string reason = "it takes no layout";
    std::optional<LayoutChoice> chosen;
    size_t numPossible = 0;
    for (LayoutChoice& choice : owner.backend->chooseLayouts(op, available, owner.target)) {
      if (const auto missing = whyImpossible(op, choice, operands, results, owner)) {
        reason = *missing;
        continue;
      }
      if (numPossible++ <= number_) chosen = std::move(choice);
      if (numPossible > number_ && !areCounted_) break;
    }
    mostChoices_ = std::max(mostChoices_, numPossible);
    if (chosen) return chosen;
    const ir::TargetAttr target = owners_.attribute(owner);
    const auto name = op->getAttrOfType<StringAttr>(kRegionClass);
    addExclusion(module_, {.regionClass = name ? name.str() : "",
                           .target = target,
                           .reason = reason,
                           .node = firstNodeOf(op)});
    noteRefusal(module_, operatorNumbers(op), target, reason);
    return std::nullopt;
  }

  std::optional<std::string> whyImpossible(Operation* op, const LayoutChoice& choice,
                                           OperandRange operands, TypeRange results,
                                           const Owner& owner) {
    const auto reason = [](Type from, Type to, StringRef where = "") {
      std::string text;
      llvm::raw_string_ostream(text) << "no target converts " << from << " to " << to << where;
      return text;
    };
    const auto sizes = [](size_t numOperands, size_t numResults) {
      return std::to_string(numOperands) + " operands and " + std::to_string(numResults) +
             " results";
    };
    if (choice.operands.size() != operands.size() || choice.results.size() != results.size())
      return "it chose layouts of " + sizes(choice.operands.size(), choice.results.size()) +
             ", expected " + sizes(operands.size(), results.size());
    for (auto [operand, wanted] : llvm::zip_equal(operands, choice.operands)) {
      const auto type = cast<RankedTensorType>(operand.getType());
      const RankedTensorType to = ir::inLayoutOf(type, wanted);
      if (!conversions_.isPossible(operand, to, &owner)) return reason(type, to);
    }
    for (auto [result, given] : llvm::zip_equal(results, choice.results)) {
      const auto type = cast<RankedTensorType>(result);
      const RankedTensorType from = ir::inLayoutOf(type, given), plain = ir::plainType(type);
      if (!conversions_.isPossible(from, plain, nullptr, &owner)) return reason(from, plain);
    }
    if (auto region = dyn_cast<func::FuncOp>(op)) {
      for (const auto& [from, to] : borderConversions(
               region.getFunctionType(), withLayoutsOf(region.getArgumentTypes(), choice.operands),
               withLayoutsOf(results, choice.results))) {
        if (!conversions_.takes(owner, from, to)) return reason(from, to, " inside");
      }
    }
    return std::nullopt;
  }

  /// Row-major in host memory for what `op` and its bodies read.
  LogicalResult requirePlain(Operation* op, const Owner* consumer) {
    SmallVector<OpOperand*> operands;
    forEachOutsideOperand(op, [&](OpOperand& operand) { operands.push_back(&operand); });
    for (OpOperand* operand : operands) {
      if (failed(requirePlain(*operand, consumer))) return failure();
    }
    return success();
  }
  LogicalResult requirePlain(MutableArrayRef<OpOperand> operands, const Owner* consumer) {
    for (OpOperand& operand : operands) {
      if (failed(requirePlain(operand, consumer))) return failure();
    }
    return success();
  }
  LogicalResult requirePlain(OpOperand& operand, const Owner* consumer) {
    const auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    return type ? require(operand, ir::plainType(type), consumer) : success();
  }

  /// The layout and space of `wanted`.
  LogicalResult require(OpOperand& operand, RankedTensorType wanted, const Owner* consumer) {
    const auto type = cast<RankedTensorType>(operand.get().getType());
    if (ir::isSameLayout(type, wanted)) return success();
    const Value value = conversions_.convert(operand.get(), wanted, consumer);
    if (!value)
      return operand.getOwner()->emitError() << "no target converts " << type << " to " << wanted;
    operand.set(value);
    return success();
  }

  ModuleOp module_;
  const size_t number_;
  const bool areCounted_;
  const OwnerIndex& owners_;
  SymbolTable symbols_;
  Conversions conversions_;
  llvm::DenseSet<Operation*> asked_;
  size_t mostChoices_ = 0;
};

/// Arguments get the layouts in which callers have them.
void takeBorderTypes(func::FuncOp function) {
  SmallVector<Type> arguments(function.getArgumentTypes());
  for (auto [index, type] : llvm::enumerate(arguments)) {
    const auto border = function.getArgAttrOfType<TypeAttr>(index, kBorderTypeAttribute);
    if (!border) continue;
    type = border.getValue();
    function.getArgument(index).setType(type);
    function.removeArgAttr(index, kBorderTypeAttribute);
  }
  function.setFunctionType(
      FunctionType::get(function.getContext(), arguments, function.getResultTypes()));
}

/// What the entry function says about choices; said no more.
size_t takeLayoutChoice(func::FuncOp entry) {
  const auto number = dyn_cast_or_null<IntegerAttr>(entry->removeAttr(kLayoutChoiceAttribute));
  return number ? number.getValue().getLimitedValue() : 0;
}

struct AssignLayouts : impl::AssignLayoutsPassBase<AssignLayouts> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (hasRefusals(module)) return;  // What was refused has no layouts.
    const auto owners = OwnerIndex::of(module);
    if (failed(owners)) return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>()) takeBorderTypes(function);
    func::FuncOp entry = ir::entryFunction(module);
    const bool isTile = entry && entry->hasAttr(kAnyResultLayoutAttribute);
    LayoutAssignment assignment(module, *owners, isTile ? takeLayoutChoice(entry) : 0, isTile);
    for (Block* block : hostBlocks(module)) {
      for (Operation& op : llvm::make_early_inc_range(*block)) {
        if (failed(assignment.visit(&op))) return signalPassFailure();
      }
    }
    if (isTile && assignment.mostChoices() > 1)
      module->setAttr(kNumLayoutChoicesAttribute,
                      Builder(module.getContext())
                          .getI64IntegerAttr(static_cast<int64_t>(assignment.mostChoices())));
  }
};

}  // namespace

}  // namespace tessera::partition
