// Normalisations: the result has the type of the input.
#include "compiler/ir/infer/common.h"
#include "compiler/ir/spec/constant_axes.h"

namespace tessera::ir {

/// The input has at least this rank.
static mlir::LogicalResult expectRankAtLeast(mlir::Operation* op, int64_t least) {
  const int64_t rank = operandType(op, 0).getRank();
  if (rank >= least) return mlir::success();
  return op->emitOpError() << "(C1) the input has rank " << rank << ", expected " << least
                           << " or more";
}

/// Operands from 1 on are [C].
static mlir::LogicalResult checkChannelOperands(mlir::Operation* op) {
  const Dim channels = operandDims(op, 0)[1];
  for (const mlir::Value operand : op->getOperands().drop_front()) {
    if (mlir::failed(expectDims(op, "(C1)", operand, "a parameter", channels)))
      return mlir::failure();
  }
  return mlir::success();
}

mlir::LogicalResult BatchNormOp::inferTypes(Types& types) {
  if (mlir::failed(expectRankAtLeast(*this, 2)) || mlir::failed(checkChannelOperands(*this)))
    return mlir::failure();
  if (getTrainingMode() != 0)
    return emitOpError() << "(C2) training_mode is " << getTrainingMode() << ", expected 0";
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult InstanceNormOp::inferTypes(Types& types) {
  if (mlir::failed(expectRankAtLeast(*this, 3)) || mlir::failed(checkChannelOperands(*this)) ||
      mlir::failed(expectSameElement(*this, "(C2)")))
    return mlir::failure();
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult GroupNormOp::inferTypes(Types& types) {
  if (mlir::failed(expectRankAtLeast(*this, 3)) || mlir::failed(checkChannelOperands(*this)) ||
      mlir::failed(expectSameElement(*this, "(C2)")))
    return mlir::failure();
  const Dim channels = operandDims(*this, 0)[1];
  const auto groups = static_cast<int64_t>(getNumGroups());
  if (groups < 1 || (channels.isStatic() && channels.size % groups != 0))
    return emitOpError() << "(C1) num_groups is " << groups << " for " << toText(channels)
                         << " channels, expected a divisor";
  return inferSameAsFirst(*this, types);
}

/// (C2): `operand` broadcasts to `target` without changing it.
static mlir::LogicalResult expectBroadcastTo(mlir::Operation* op, mlir::Value operand,
                                             llvm::StringRef name, llvm::ArrayRef<Dim> target) {
  const Dims dims = dimsOf(typeOf(operand));
  const std::optional<Dims> both = broadcastShapes(target, dims);
  bool fits = both && both->size() == target.size();
  for (size_t i = 0; fits && i < target.size(); ++i)
    fits = mergeDims((*both)[i], target[i]).has_value();
  if (fits) return mlir::success();
  return op->emitOpError() << "(C2) " << name << " has shape " << toText(dims)
                           << ", expected one that broadcasts to " << toText(target);
}

mlir::LogicalResult LayerNormOp::inferTypes(Types& types) {
  Dims x = operandDims(*this, 0);
  const std::optional<int64_t> axis =
      normalizeAxis(*this, "(C1)", static_cast<int64_t>(getAxis()), static_cast<int64_t>(x.size()));
  if (!axis || mlir::failed(expectSameElement(*this, "(C4)"))) return mlir::failure();
  const llvm::ArrayRef<Dim> normalized = llvm::ArrayRef<Dim>(x).drop_front(*axis);
  if (mlir::failed(expectBroadcastTo(*this, getScale(), "scale", normalized)) ||
      (getB() && mlir::failed(expectBroadcastTo(*this, getB(), "b", normalized))))
    return mlir::failure();
  if (mlir::failed(inferSameAsFirst(*this, types))) return mlir::failure();
  for (Dim& dim : llvm::MutableArrayRef<Dim>(x).drop_front(*axis)) dim = {.size = 1};
  // Mean and deviation are computed and returned in stash_type.
  const auto number = static_cast<int64_t>(getStashType());
  const mlir::Type element = number >= 0 && number <= 255
                                 ? toMlir(getContext(), static_cast<ElementType>(number))
                                 : mlir::Type();
  if (!element || !llvm::isa<mlir::FloatType>(element))
    return emitOpError() << "(C3) stash_type is " << number
                         << ", expected a floating-point type of the dialect";
  for (const mlir::Value statistic : {getMean(), getInvStdDev()}) {
    if (statistic && mlir::failed(appendResult(*this, element, x, types))) return mlir::failure();
  }
  return mlir::success();
}

mlir::LogicalResult RmsNormOp::inferTypes(Types& types) {
  const Dims x = operandDims(*this, 0);
  const std::optional<int64_t> axis =
      normalizeAxis(*this, "(C1)", static_cast<int64_t>(getAxis()), static_cast<int64_t>(x.size()));
  if (!axis || mlir::failed(expectBroadcastTo(*this, getScale(), "scale",
                                              llvm::ArrayRef<Dim>(x).drop_front(*axis))))
    return mlir::failure();
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult LrnOp::inferTypes(Types& types) {
  if (mlir::failed(expectRankAtLeast(*this, 2))) return mlir::failure();
  const auto size = static_cast<int64_t>(getSize());
  if (size < 1) return emitOpError() << "(C2) size is " << size << ", expected 1 or more";
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult LpNormOp::inferTypes(Types& types) {
  const auto p = static_cast<int64_t>(getP());
  if (p != 1 && p != 2) return emitOpError() << "(C2) p is " << p << ", expected 1 or 2";
  return inferAlongAxis(*this, static_cast<int64_t>(getAxis()), types);
}

static llvm::SmallVector<int64_t> axesOrDefault(MeanVarianceNormOp op) {
  return op.getAxes() ? llvm::to_vector(*op.getAxes()) : llvm::SmallVector<int64_t>{0, 2, 3};
}

mlir::LogicalResult MeanVarianceNormOp::inferTypes(Types& types) {
  if (!normalizeAxes(*this, "(C1)", axesOrDefault(*this), operandType(*this, 0).getRank()))
    return mlir::failure();
  return inferSameAsFirst(*this, types);
}

llvm::SmallVector<int64_t> MeanVarianceNormOp::getReducedDims() {
  return spec::reducedDims(axesOrDefault(*this), /*noopWithEmptyAxes=*/true,
                           operandType(*this, 0).getRank());
}

}  // namespace tessera::ir
