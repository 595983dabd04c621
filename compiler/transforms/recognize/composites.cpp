#include "compiler/transforms/recognize/composites.h"

#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/transforms/rewrite.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tessera::transforms {

using OperationSet = llvm::SmallDenseSet<Operation*, 16>;

/// True when only the root's result is used outside and all that comes in is an input or constant.
static bool isClosed(const OperationSet& inside, Operation* root, const CompositeForm& form) {
  for (Operation* op : inside) {
    if (op->getBlock() != root->getBlock()) return false;
    for (const Value operand : op->getOperands()) {
      const bool isKnown = inside.contains(operand.getDefiningOp()) || isConstant(operand) ||
                           llvm::is_contained(form.inputs, operand);
      if (!isKnown) return false;
    }
    if (op == root) continue;
    for (Operation* user : op->getUsers()) {
      if (!inside.contains(user)) return false;
    }
  }
  return true;
}

static void fillBody(ir::CompositeOp composite, llvm::ArrayRef<Operation*> ops,
                     llvm::ArrayRef<Value> inputs) {
  Block& body = composite.getBody().emplaceBlock();
  IRMapping mapping;
  for (const Value input : inputs) {
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  }
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  for (Operation* op : ops) {
    for (const Value operand : op->getOperands()) {
      if (mapping.contains(operand)) continue;
      mapping.map(operand, builder.clone(*operand.getDefiningOp())->getResult(0));
    }
    builder.clone(*op, mapping);
  }
  llvm::SmallVector<Value> results;
  for (const Value result : ops.back()->getResults()) results.push_back(mapping.lookup(result));
  builder.create<ir::YieldOp>(composite.getLoc(), results);
}

/// Moves the operations into a composite and returns those that it erased.
static llvm::SmallVector<Operation*> outline(Operation* root, const Recognized& found) {
  const OperationSet inside(found.match.ops.begin(), found.match.ops.end());
  if (!isClosed(inside, root, found.form)) return {};
  llvm::SmallVector<Operation*> ops(inside.begin(), inside.end());
  llvm::sort(ops, [](Operation* a, Operation* b) { return a->isBeforeInBlock(b); });
  OpBuilder builder(root);
  auto composite = builder.create<ir::CompositeOp>(
      fusedLocation(ops), root->getResultTypes(), builder.getStringAttr(found.form.name),
      found.form.inputs, builder.getDictionaryAttr(found.form.parameters));
  fillBody(composite, ops, found.form.inputs);
  root->replaceAllUsesWith(composite);
  for (Operation* op : llvm::reverse(ops)) op->erase();
  return ops;
}

void recognizeComposites(ModuleOp module, llvm::StringRef rootName,
                         llvm::function_ref<std::optional<Recognized>(Operation& root)> recognize) {
  llvm::SmallVector<Operation*> roots;
  module.walk<WalkOrder::PreOrder>([&](Operation* op) {
    if (isa<ir::CompositeOp>(op)) return WalkResult::skip();
    if (op->getName().getStringRef() == rootName) roots.push_back(op);
    return WalkResult::advance();
  });
  OperationSet erased;
  for (Operation* root : roots) {
    if (erased.contains(root)) continue;
    const std::optional<Recognized> found = recognize(*root);
    if (!found) continue;
    for (Operation* op : outline(root, *found)) erased.insert(op);
  }
}

std::optional<int64_t> trailingAxis(Value input, Value axes) {
  const int64_t rank = tensorType(input).getRank();
  auto list = ir::spec::constantAxes(axes, rank);
  if (!list || list->empty()) return std::nullopt;
  llvm::sort(*list);
  for (auto [i, axis] : llvm::enumerate(*list)) {
    if (axis != rank - static_cast<int64_t>(list->size() - i)) return std::nullopt;
  }
  return list->front();
}

Pattern meanOverAxes(Pattern input, llvm::StringRef axes) {
  return when(op<ir::ReduceMeanOp>(std::move(input), constant(axes)), [](Value value) {
    auto mean = value.getDefiningOp<ir::ReduceMeanOp>();
    return mean && mean.getKeepdims() == 1;
  });
}

Pattern squareRoot(const Pattern& value) {
  return anyOf({op<ir::SqrtOp>(value), op<ir::PowOp>(value, scalar(0.5))});
}

Pattern square(const Pattern& value) {
  return anyOf({op<ir::MulOp>(value, value), op<ir::PowOp>(value, scalar(2))});
}

Value normParameter(Operation& root, Value x, int64_t axis, Value found, float neutral) {
  const auto shape = tensorType(x).getShape().drop_front(axis);
  if (found) return tensorType(found).getShape() == shape ? found : Value();
  if (ShapedType::isDynamicShape(shape) || !tensorType(x).getElementType().isF32()) return {};
  OpBuilder builder(&root);
  const std::vector<float> values(ShapedType::getNumElements(shape), neutral);
  return createFloats(builder, root.getLoc(), shape, values);
}

bool isScaledLater(Operation& root) {
  if (!root.hasOneUse()) return false;
  Operation* user = *root.user_begin();
  return isa<ir::MulOp>(user) && llvm::any_of(user->getOperands(), isConstant);
}

llvm::SmallVector<NamedAttribute> normParameters(MLIRContext* context, int64_t axis,
                                                 Value epsilon) {
  Builder builder(context);
  const auto value = static_cast<float>(*ir::constantScalar(epsilon));
  return {builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis)),
          builder.getNamedAttr("epsilon", builder.getF32FloatAttr(value))};
}

}  // namespace tessera::transforms
