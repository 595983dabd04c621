// Operators that read or write at indices: gather, scatter and their relatives, compress.
#include "compiler/ir/infer/common.h"

namespace tessera::ir {

/// Constant indices must lie in [-size, size); what is not known is not checked.
static mlir::LogicalResult checkIndices(mlir::Operation* op, llvm::StringRef label,
                                        mlir::Value indices, const Dim& dim) {
  if (!dim.isStatic()) return mlir::success();
  const std::optional<llvm::SmallVector<int64_t>> known = constantInts(indices);
  if (!known) return mlir::success();
  for (const int64_t index : *known) {
    if (index < -dim.size || index >= dim.size)
      return op->emitOpError() << label << " an index is " << index << ", expected a value in ["
                               << -dim.size << ", " << dim.size << ")";
  }
  return mlir::success();
}

mlir::LogicalResult GatherOp::inferTypes(Types& types) {
  const Dims data = operandDims(*this, 0), indices = operandDims(*this, 1);
  const std::optional<int64_t> axis = normalizeAxis(*this, "(C1)", static_cast<int64_t>(getAxis()),
                                                    static_cast<int64_t>(data.size()));
  if (!axis || mlir::failed(checkIndices(*this, "(C2)", getIndices(), data[*axis])))
    return mlir::failure();
  Dims result(data.begin(), data.begin() + *axis);
  result.append(indices);
  result.append(data.begin() + *axis + 1, data.end());
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

/// Dimensions of `indices` other than the axis are not above those of `data`.
static mlir::LogicalResult checkElementIndices(mlir::Operation* op, llvm::StringRef label,
                                               const Dims& data, const Dims& indices,
                                               int64_t axis) {
  for (size_t i = 0; i < data.size(); ++i) {
    if (static_cast<int64_t>(i) == axis || !data[i].isStatic() || !indices[i].isStatic()) continue;
    if (indices[i].size > data[i].size)
      return op->emitOpError() << label << " indices have shape " << toText(indices)
                               << ", expected sizes within " << toText(data)
                               << " but for dimension " << axis;
  }
  return mlir::success();
}

mlir::LogicalResult GatherElementsOp::inferTypes(Types& types) {
  const Dims data = operandDims(*this, 0), indices = operandDims(*this, 1);
  const auto rank = static_cast<int64_t>(data.size());
  if (mlir::failed(expectRank(*this, "(C1)", getIndices(), "indices", rank)))
    return mlir::failure();
  const std::optional<int64_t> axis =
      normalizeAxis(*this, "(C2)", static_cast<int64_t>(getAxis()), rank);
  if (!axis || mlir::failed(checkElementIndices(*this, "(C3)", data, indices, *axis)))
    return mlir::failure();
  return appendResult(*this, operandType(*this, 0).getElementType(), indices, types);
}

/// The last dimension of `indices`: how many dimensions of `data` an index tuple names. An error
/// unless it is known and in [1, most].
static std::optional<int64_t> tupleLength(mlir::Operation* op, const Dims& indices, int64_t most) {
  if (!indices.empty() && indices.back().isStatic() && indices.back().size >= 1 &&
      indices.back().size <= most)
    return indices.back().size;
  op->emitOpError() << "(C1) indices have shape " << toText(indices)
                    << ", expected a known last dimension in [1, " << most << "]";
  return std::nullopt;
}

mlir::LogicalResult GatherNdOp::inferTypes(Types& types) {
  const Dims data = operandDims(*this, 0), indices = operandDims(*this, 1);
  const auto batch = static_cast<int64_t>(getBatchDims());
  const auto most = static_cast<int64_t>(std::min(data.size(), indices.size()));
  if (batch < 0 || batch >= most)
    return emitOpError() << "(C2) batch_dims is " << batch << ", expected a value in [0, " << most
                         << ")";
  const std::optional<int64_t> depth =
      tupleLength(*this, indices, static_cast<int64_t>(data.size()) - batch);
  if (!depth) return mlir::failure();
  Dims result(indices.begin(), indices.end() - 1);
  for (int64_t i = 0; i < batch; ++i) {
    const std::optional<Dim> both = mergeDims(data[i], indices[i]);
    if (!both)
      return emitOpError() << "(C2) shapes " << toText(data) << " and " << toText(indices)
                           << " differ in the first " << batch
                           << " dimensions, expected equal ones";
    result[i] = *both;
  }
  result.append(data.begin() + batch + *depth, data.end());
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

static mlir::LogicalResult checkReduction(mlir::Operation* op, llvm::StringRef label,
                                          mlir::StringAttr reduction) {
  return expectWord<ScatterReduction>(op, label, "reduction", reduction);
}

mlir::LogicalResult ScatterElementsOp::inferTypes(Types& types) {
  const Dims data = operandDims(*this, 0), indices = operandDims(*this, 1);
  const auto rank = static_cast<int64_t>(data.size());
  if (mlir::failed(expectRank(*this, "(C1)", getIndices(), "indices", rank)) ||
      mlir::failed(expectDims(*this, "(C1)", getUpdates(), "updates", indices)))
    return mlir::failure();
  const std::optional<int64_t> axis =
      normalizeAxis(*this, "(C2)", static_cast<int64_t>(getAxis()), rank);
  if (!axis || mlir::failed(checkReduction(*this, "(C3)", getReductionAttr())) ||
      mlir::failed(expectSameElement(*this, "(C4)", getData(), getUpdates())) ||
      mlir::failed(checkElementIndices(*this, "(C1)", data, indices, *axis)))
    return mlir::failure();
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult ScatterNdOp::inferTypes(Types& types) {
  const Dims data = operandDims(*this, 0), indices = operandDims(*this, 1);
  const std::optional<int64_t> depth =
      tupleLength(*this, indices, static_cast<int64_t>(data.size()));
  if (!depth) return mlir::failure();
  Dims expected(indices.begin(), indices.end() - 1);
  expected.append(data.begin() + *depth, data.end());
  if (mlir::failed(expectDims(*this, "(C1)", getUpdates(), "updates", expected)) ||
      mlir::failed(checkReduction(*this, "(C2)", getReductionAttr())) ||
      mlir::failed(expectSameElement(*this, "(C3)", getData(), getUpdates())))
    return mlir::failure();
  return inferSameAsFirst(*this, types);
}

mlir::LogicalResult CompressOp::inferTypes(Types& types) {
  const Dims input = operandDims(*this, 0);
  if (mlir::failed(expectRank(*this, "(C1)", getCondition(), "condition", 1)))
    return mlir::failure();
  const mlir::Type element = operandType(*this, 0).getElementType();
  if (!getAxis()) return appendResult(*this, element, Dim{}, types);
  const std::optional<int64_t> axis = normalizeAxis(*this, "(C2)", static_cast<int64_t>(*getAxis()),
                                                    static_cast<int64_t>(input.size()));
  if (!axis) return mlir::failure();
  Dims result = input;
  result[*axis] = Dim{};
  return appendResult(*this, element, result, types);
}

}  // namespace tessera::ir
