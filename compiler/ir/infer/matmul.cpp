// Matrix products.
#include "compiler/ir/infer/common.h"

namespace tessera::ir {

mlir::LogicalResult GemmOp::inferTypes(Types& types) {
  if (mlir::failed(expectRank(*this, "(C1)", getA(), "a", 2)) ||
      mlir::failed(expectRank(*this, "(C1)", getB(), "b", 2)))
    return mlir::failure();
  Dims a = operandDims(*this, 0), b = operandDims(*this, 1);
  if (getTransA() != 0) std::swap(a[0], a[1]);
  if (getTransB() != 0) std::swap(b[0], b[1]);
  if (!mergeDims(a[1], b[0]))
    return emitOpError() << "(C2) a' is " << toText(a) << " and b' " << toText(b)
                         << ", expected equal inner dimensions";
  for (const mlir::Value operand : getOperands()) {
    if (mlir::failed(expectSameElement(*this, "(C4)", getA(), operand))) return mlir::failure();
  }
  const Dims result = {a[0], b[1]};
  if (getC()) {
    const Dims c = dimsOf(typeOf(getC()));
    const std::optional<Dims> both = broadcastShapes(result, c);
    if (!both || both->size() != 2 || !mergeDims((*both)[0], result[0]) ||
        !mergeDims((*both)[1], result[1]))
      return emitOpError() << "(C3) c has shape " << toText(c)
                           << ", expected one that broadcasts to " << toText(result);
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

int64_t GemmOp::getFlops() {
  const int64_t inner = operandType(*this, 0).getDimSize(getTransA() != 0 ? 0 : 1);
  return saturatingProduct(2, saturatingProduct(resultElements(*this), inner));
}

mlir::LogicalResult MatmulOp::inferTypes(Types& types) {
  Dims a = operandDims(*this, 0), b = operandDims(*this, 1);
  if (a.empty() || b.empty())
    return emitOpError() << "(C1) an operand has rank 0, expected shapes of rank 1 or more, found "
                         << toText(a) << " and " << toText(b);
  if (mlir::failed(expectSameElement(*this, "(C4)", getA(), getB()))) return mlir::failure();
  const bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow) a.insert(a.begin(), Dim{.size = 1});
  if (isColumn) b.push_back(Dim{.size = 1});
  if (!mergeDims(a.back(), b[b.size() - 2]))
    return emitOpError() << "(C2) shapes are " << toText(a) << " and " << toText(b)
                         << ", expected equal inner dimensions";
  const llvm::ArrayRef<Dim> left = a, right = b;
  std::optional<Dims> result = broadcastShapes(left.drop_back(2), right.drop_back(2));
  if (!result)
    return emitOpError() << "(C3) shapes are " << toText(a) << " and " << toText(b)
                         << ", expected batch dimensions that are equal or 1";
  if (!isRow) result->push_back(a[a.size() - 2]);
  if (!isColumn) result->push_back(b.back());
  return appendResult(*this, operandType(*this, 0).getElementType(), *result, types);
}

int64_t MatmulOp::getFlops() {
  const int64_t inner = operandDims(*this, 0).back().size;
  return saturatingProduct(2, saturatingProduct(resultElements(*this), inner));
}

}  // namespace tessera::ir
