// Normalisations by their definitions: statistics in the type that `stash_type` names, or in the
// input's where that is more exact.
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/export/downgrade/rules.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace tessera::onnx {

static Type stashType(MLIRContext* context, uint64_t number, Type element) {
  const Type stash = ir::toMlir(context, static_cast<ElementType>(number));
  return stash && stash.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth() ? stash : element;
}

static Value mean(Expansion& e, Value x, llvm::ArrayRef<int64_t> axes) {
  return e.make<ir::ReduceMeanOp>({x, e.ints(axes)});
}

/// 1 / sqrt(mean(x^2) + epsilon)
static Value inverseDeviation(Expansion& e, Value x, llvm::ArrayRef<int64_t> axes,
                              const llvm::APFloat& epsilon) {
  const Type element = Expansion::typeOf(x).getElementType();
  const Value variance = mean(e, e.make<ir::MulOp>({x, x}), axes);
  const Value sum = e.make<ir::AddOp>({variance, e.scalar(element, epsilon.convertToFloat())});
  return e.make<ir::ReciprocalOp>(e.make<ir::SqrtOp>(sum));
}

static llvm::SmallVector<int64_t> axesFrom(int64_t axis, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(axis, rank));
}

Result<bool> expandLayerNorm(Expansion& e) {
  auto norm = llvm::cast<ir::LayerNormOp>(e.op);
  const Type element = e.type().getElementType();
  const Type stash = stashType(e.op->getContext(), norm.getStashType(), element);
  const auto axes = axesFrom(norm.getAxisNormalized(), e.type().getRank());
  const Value x = e.cast(norm.getX(), stash);
  const Value centre = mean(e, x, axes);
  const Value centred = e.make<ir::SubOp>({x, centre});
  const Value inverse = inverseDeviation(e, centred, axes, norm.getEpsilon());
  const Value normal = e.cast(e.make<ir::MulOp>({centred, inverse}), element);
  Value y = e.make<ir::MulOp>({normal, e.cast(norm.getScale(), element)});
  if (norm.getB()) y = e.make<ir::AddOp>({y, e.cast(norm.getB(), element)});
  llvm::SmallVector<Value> results{y};
  if (norm.getMean())
    results.push_back(e.cast(centre, Expansion::typeOf(norm.getMean()).getElementType()));
  if (norm.getInvStdDev())
    results.push_back(e.cast(inverse, Expansion::typeOf(norm.getInvStdDev()).getElementType()));
  return e.replaceWith(results);
}

Result<bool> expandRmsNorm(Expansion& e) {
  auto norm = llvm::cast<ir::RmsNormOp>(e.op);
  const Type element = e.type().getElementType();
  const Type stash = stashType(e.op->getContext(), norm.getStashType(), element);
  const auto axes = axesFrom(norm.getAxisNormalized(), e.type().getRank());
  const Value x = e.cast(norm.getX(), stash);
  const Value inverse = inverseDeviation(e, x, axes, norm.getEpsilon());
  const Value normal = e.cast(e.make<ir::MulOp>({x, inverse}), element);
  return e.replaceWith(e.make<ir::MulOp>({normal, e.cast(norm.getScale(), element)}));
}

Result<bool> expandGroupNorm(Expansion& e) {
  // Groups as rows: [N, C, D1, ..., Dn] -> [N, groups, C / groups * D1 * ... * Dn]. Up to opset 20
  // the operator had one scale for a group, so that it says this in no older opset.
  auto norm = llvm::cast<ir::GroupNormOp>(e.op);
  const Type element = e.type().getElementType();
  const Type stash = stashType(e.op->getContext(), norm.getStashType(), element);
  const Value wide = e.cast(norm.getX(), stash);
  const auto groups = static_cast<int64_t>(norm.getNumGroups());
  const Value rows = e.make<ir::ReshapeOp>({wide, e.ints({0, groups, -1})});
  const Value centred = e.make<ir::SubOp>({rows, mean(e, rows, {2})});
  const Value inverse = inverseDeviation(e, centred, {2}, norm.getEpsilon());
  const Value normal = e.make<ir::MulOp>({centred, inverse});
  const Value shaped = e.cast(e.make<ir::ReshapeOp>({normal, e.shape(norm.getX())}), element);
  llvm::SmallVector<int64_t> column{-1};
  column.append(static_cast<size_t>(e.type().getRank()) - 2, 1);
  const auto perChannel = [&](Value parameter) {
    return e.make<ir::ReshapeOp>({e.cast(parameter, element), e.ints(column)});
  };
  const Value scaled = e.make<ir::MulOp>({shaped, perChannel(norm.getScale())});
  const Value y = e.make<ir::AddOp>({scaled, perChannel(norm.getBias())});
  return e.replaceWith(y);
}

}  // namespace tessera::onnx
