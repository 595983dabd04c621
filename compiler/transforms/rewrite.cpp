#include "compiler/transforms/rewrite.h"

#include <algorithm>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/io/new_bytes.h"
#include "compiler/ir/types.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tessera::transforms {

LogicalResult applyPatterns(ModuleOp module, RewritePatternSet patterns) {
  GreedyRewriteConfig config;
  config.useTopDownTraversal = true;
  config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
  // Constants stay where they are used: hoisting them costs more than it saves.
  config.maxIterations = GreedyRewriteConfig::kNoLimit;
  return applyPatternsAndFoldGreedily(module, std::move(patterns), config);
}

static bool differInNamesOnly(RankedTensorType a, RankedTensorType b) {
  if (a.getShape() != b.getShape() || a.getElementType() != b.getElementType()) return false;
  return ir::isSameLayout(a, b);
}

bool canReplace(Value old, Value replacement) {
  if (old.getType() == replacement.getType()) return true;
  const auto oldType = dyn_cast<RankedTensorType>(old.getType());
  const auto newType = dyn_cast<RankedTensorType>(replacement.getType());
  if (!oldType || !newType || !differInNamesOnly(oldType, newType)) return false;
  return llvm::all_of(old.getUsers(), [](Operation* user) {
    return isa<ir::TsrOpInterface>(user) && !isa<ir::CompositeOp>(user);
  });
}

bool isBroadcast(OpOperand& operand) {
  Operation* op = operand.getOwner();
  // The slope of a PRelu broadcasts to x, x to nothing.
  if (isa<ir::PreluOp>(op)) return operand.getOperandNumber() == 1;
  return op->hasTrait<ir::NumpyBroadcast>();
}

RankedTensorType staticType(Value value) {
  const auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

bool isConstant(Value value) { return value && value.getDefiningOp<ir::ConstantOp>(); }

bool isConstantOf(Value value, double number) {
  const std::optional<double> scalar = ir::constantScalar(value);
  return scalar && *scalar == number;
}

std::optional<Floats> constantFloats(Value value) {
  std::optional<evaluate::TensorValue> tensor = evaluate::constantTensor(value);
  if (!tensor || tensor->type != ElementType::kF32) return std::nullopt;
  return Floats{std::move(*tensor)};
}

Value createFloats(OpBuilder& builder, Location loc, llvm::ArrayRef<int64_t> shape,
                   std::span<const float> values) {
  const ir::NewBytes copy = ir::allocateBytes(values.size_bytes());
  std::ranges::copy(std::as_bytes(values), copy.bytes.begin());
  return ir::createConstant(builder, loc, RankedTensorType::get(shape, builder.getF32Type()),
                            copy.blob());
}

/// The shape operand of a reshape; nothing where it cannot be said.
static std::optional<SmallVector<int64_t>> reshapeShape(RankedTensorType from,
                                                        RankedTensorType to) {
  SmallVector<int64_t> shape(to.getShape());
  const bool areSeveral = llvm::count_if(shape, ShapedType::isDynamic) > 1;
  if (llvm::is_contained(shape, 0) && !to.hasStaticShape()) return std::nullopt;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size)) continue;
    // Several open sizes must all be those of the operand's own dimensions, which are copied: -1
    // does not tell a size beside another one that is 0.
    const auto dim = static_cast<int64_t>(i);
    const bool isCopied =
        dim < from.getRank() && from.isDynamicDim(dim) && ir::isEqualSize(from, dim, to, dim);
    if (areSeveral && !isCopied) return std::nullopt;
    size = areSeveral ? 0 : -1;
  }
  return shape;
}

bool canReshape(RankedTensorType from, RankedTensorType to) {
  return reshapeShape(from, to).has_value();
}

Value createReshape(OpBuilder& builder, Location loc, Value value, RankedTensorType type) {
  const auto shape = reshapeShape(tensorType(value), type);
  if (!shape) return {};
  const int64_t allowZero = llvm::is_contained(type.getShape(), 0) ? 1 : 0;
  const Value target = ir::createIntsConstant(builder, loc, *shape);
  return builder.create<ir::ReshapeOp>(loc, type, value, target, allowZero);
}

}  // namespace tessera::transforms
