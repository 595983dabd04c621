#include "compiler/transforms/recognize/composites.h"

#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/pattern/make_composite.h"
#include "compiler/transforms/rewrite.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tessera::transforms {

using namespace pattern;

std::optional<Match> matchPlain(const Pattern& pattern, Value value) {
  return pattern::match(pattern, value, {.seesThroughComposites = false});
}

void recognizeComposites(ModuleOp module, llvm::StringRef rootName,
                         llvm::function_ref<std::optional<Recognized>(Operation& root)> recognize) {
  llvm::SmallVector<Operation*> roots;
  module.walk<WalkOrder::PreOrder>([&](Operation* op) {
    if (isa<ir::CompositeOp>(op)) return WalkResult::skip();
    if (op->getName().getStringRef() == rootName) roots.push_back(op);
    return WalkResult::advance();
  });
  llvm::SmallDenseSet<Operation*, 16> erased;
  for (Operation* root : roots) {
    if (erased.contains(root)) continue;
    const std::optional<Recognized> found = recognize(*root);
    if (!found) continue;
    const std::optional<pattern::Cover> cover = pattern::coverOf(found->match, root);
    if (!cover) continue;
    const CompositeForm& form = found->form;
    if (pattern::makeComposite(*cover, form.name, form.inputs, form.parameters))
      erased.insert(cover->ops.begin(), cover->ops.end());
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
