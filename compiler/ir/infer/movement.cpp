// Operators that cut, join, pad or rearrange: concat, split, slice, pad, depth_to_space,
// space_to_depth.
#include "compiler/ir/infer/common.h"
#include "compiler/ir/infer/known_dims.h"
#include "compiler/ir/spec/constant_axes.h"
#include "compiler/ir/spec/slice.h"

namespace tessera::ir {

mlir::LogicalResult ConcatOp::inferTypes(Types& types) {
  if (getInputs().empty()) return emitOpError() << "(C1) has no input, expected at least one";
  Dims result = operandDims(*this, 0);
  const auto rank = static_cast<int64_t>(result.size());
  const std::optional<int64_t> axis =
      normalizeAxis(*this, "(C2)", static_cast<int64_t>(getAxis()), rank);
  if (!axis) return mlir::failure();
  for (const mlir::Value input : getInputs().drop_front()) {
    if (mlir::failed(expectSameElement(*this, "(C1)", getInputs()[0], input)) ||
        mlir::failed(expectRank(*this, "(C1)", input, "an input", rank)))
      return mlir::failure();
    const Dims next = dimsOf(typeOf(input));
    for (int64_t i = 0; i < rank; ++i) {
      Dim& dim = result[i];
      if (i == *axis) {
        if (next[i].is(0)) continue;
        if (dim.is(0))
          dim = next[i];
        else if (!dim.isStatic() || !next[i].isStatic())
          dim = Dim{};
        else if (__builtin_add_overflow(dim.size, next[i].size, &dim.size))
          return emitOpError() << "(C3) sizes along axis " << i << " add up to more than 2^63";
        continue;
      }
      const std::optional<Dim> both = mergeDims(dim, next[i]);
      if (!both)
        return emitOpError() << "(C3) an input has shape " << toText(next) << ", expected "
                             << toText(result) << " but for dimension " << *axis;
      dim = *both;
    }
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

/// The sizes of the parts along the split dimension, or nothing after an error.
static std::optional<Dims> splitSizes(SplitOp op, const Dim& dim) {
  const auto count = static_cast<int64_t>(op->getNumResults());
  if (op.getSplit()) {
    Dims parts = knownDims(op.getSplit()).value_or(Dims(count, Dim{}));
    int64_t total = 0;
    bool fits = static_cast<int64_t>(parts.size()) == count;
    for (const Dim& part : parts) {
      if (part.isStatic())
        fits &= part.size >= 0 && !__builtin_add_overflow(total, part.size, &total);
    }
    const bool areKnown = llvm::all_of(parts, [](const Dim& part) { return part.isStatic(); });
    if (areKnown && dim.isStatic()) fits &= total == dim.size;
    if (fits) return parts;
    op.emitOpError() << "(C2) split is " << toText(parts) << " for " << count
                     << " results, expected as many sizes that add up to " << toText(dim);
    return std::nullopt;
  }
  if (count == 0 || (op.getNumOutputs() && static_cast<int64_t>(*op.getNumOutputs()) != count)) {
    op.emitOpError() << "(C2) num_outputs is "
                     << (op.getNumOutputs() ? static_cast<int64_t>(*op.getNumOutputs()) : 0)
                     << " with " << count << " results, expected as many";
    return std::nullopt;
  }
  if (!dim.isStatic()) return Dims(count, Dim{});
  if (!op.getNumOutputs() && dim.size % count != 0) {
    op.emitOpError() << "(C2) dimension of size " << dim.size << " is cut into " << count
                     << " equal parts, expected a multiple";
    return std::nullopt;
  }
  const int64_t part = dim.size / count + (dim.size % count != 0 ? 1 : 0);
  const int64_t last = dim.size - part * (count - 1);
  if (last < 0) {
    op.emitOpError() << "(C2) dimension of size " << dim.size << " is cut into " << count
                     << " parts, expected fewer";
    return std::nullopt;
  }
  Dims parts(count, Dim{.size = part});
  parts.back().size = last;
  return parts;
}

mlir::LogicalResult SplitOp::inferTypes(Types& types) {
  Dims shape = operandDims(*this, 0);
  const std::optional<int64_t> axis = normalizeAxis(*this, "(C1)", static_cast<int64_t>(getAxis()),
                                                    static_cast<int64_t>(shape.size()));
  if (!axis) return mlir::failure();
  const std::optional<Dims> parts = splitSizes(*this, shape[*axis]);
  if (!parts) return mlir::failure();
  for (const Dim& part : *parts) {
    shape[*axis] = part;
    if (mlir::failed(appendResult(*this, operandType(*this, 0).getElementType(), shape, types)))
      return mlir::failure();
  }
  return mlir::success();
}

/// One dimension of a slice.
static Dim slicedDim(const Dim& dim, std::optional<int64_t> start, const Dim& end,
                     std::optional<int64_t> endNumber, std::optional<int64_t> step) {
  if (start == 0 && step == 1) {
    const bool isToTheEnd = (endNumber && *endNumber >= INT32_MAX) || areEqual(dim, end);
    if (isToTheEnd && !dim.isStatic()) return dim;
  }
  if (!dim.isStatic() || !start || !endNumber || !step) return {};
  return {.size = spec::sliceRange(dim.size, *start, *endNumber, *step).length};
}

/// (C1): an operand of rank 1 whose length, where known, is that of starts.
static mlir::LogicalResult checkSliceOperand(SliceOp op, mlir::Value operand,
                                             llvm::StringRef name) {
  if (!operand) return mlir::success();
  if (mlir::failed(expectRank(op, "(C1)", operand, name, 1))) return mlir::failure();
  const int64_t expected = knownLength(op.getStarts()), found = knownLength(operand);
  if (expected < 0 || found < 0 || expected == found) return mlir::success();
  return op.emitOpError() << "(C1) " << name << " has " << found << " entries, expected "
                          << expected << " as starts";
}

mlir::LogicalResult SliceOp::inferTypes(Types& types) {
  Dims result = operandDims(*this, 0);
  const auto rank = static_cast<int64_t>(result.size());
  if (mlir::failed(checkSliceOperand(*this, getStarts(), "starts")) ||
      mlir::failed(checkSliceOperand(*this, getEnds(), "ends")) ||
      mlir::failed(checkSliceOperand(*this, getAxes(), "axes")) ||
      mlir::failed(checkSliceOperand(*this, getSteps(), "steps")))
    return mlir::failure();
  const mlir::Type element = operandType(*this, 0).getElementType();

  const Numbers starts = knownNumbers(getStarts()), ends = knownNumbers(getEnds()),
                steps = knownNumbers(getSteps());
  const Dims endDims = knownDims(getEnds()).value_or(Dims());
  llvm::SmallVector<int64_t> axes;
  if (getAxes()) {
    const std::optional<llvm::SmallVector<int64_t>> values = knownInts(getAxes());
    if (!values) return appendResult(*this, element, Dims(rank, Dim{}), types);
    const auto normalized = normalizeAxes(*this, "(C2)", *values, rank);
    if (!normalized) return mlir::failure();
    axes = *normalized;
  } else {
    const int64_t count = std::max(knownLength(getStarts()), knownLength(getEnds()));
    if (count > rank)
      return emitOpError() << "(C1) starts has " << count << " entries, expected at most " << rank;
    axes = spec::allAxes(count < 0 ? rank : count);
  }
  for (auto [i, axis] : llvm::enumerate(axes)) {
    const std::optional<int64_t> step = getSteps() ? steps.at(i) : std::optional<int64_t>(1);
    if (step == 0) return emitOpError() << "(C3) step " << i << " is 0, expected another value";
    const Dim end = i < endDims.size() ? endDims[i] : Dim{};
    result[axis] = slicedDim(result[axis], starts.at(i), end, ends.at(i), step);
  }
  return appendResult(*this, element, result, types);
}

/// (C6): what a mode other than constant needs of the dimension it reads from, of which negative
/// pads leave a part.
static mlir::LogicalResult checkPadSource(PadOp op, const Dim& dim, int64_t begin, int64_t end) {
  if (!dim.isStatic() || op.getMode() == PadMode::Constant || (begin <= 0 && end <= 0))
    return mlir::success();
  const int64_t left = dim.size + std::min<int64_t>(begin, 0) + std::min<int64_t>(end, 0);
  const int64_t most = op.getMode() == PadMode::Reflect ? left - 1 : INT64_MAX;
  if (left > 0 && begin <= most && end <= most) return mlir::success();
  return op.emitOpError() << "(C6) mode " << stringifyEnum(op.getMode())
                          << " pads a dimension of size " << dim.size << " by " << begin << " and "
                          << end << ", expected a larger dimension";
}

/// The dimensions that pads is about, or nothing after an error; all when `axes` is not known to be
/// less.
static std::optional<llvm::SmallVector<int64_t>> paddedAxes(PadOp op, int64_t rank) {
  if (!op.getAxes()) return spec::allAxes(rank);
  const std::optional<llvm::SmallVector<int64_t>> values = knownInts(op.getAxes());
  if (!values) {
    op.emitOpError() << "(C4) axes are not constant, expected constant ones";
    return std::nullopt;
  }
  return normalizeAxes(op, "(C4)", *values, rank);
}

mlir::LogicalResult PadOp::inferTypes(Types& types) {
  Dims result = operandDims(*this, 0);
  if (mlir::failed(expectWord<PadMode>(*this, "(C3)", "mode", getModeAttr())) ||
      mlir::failed(expectRank(*this, "(C1)", getPads(), "pads", 1)))
    return mlir::failure();
  if (getConstantValue()) {
    if (mlir::failed(expectSameElement(*this, "(C2)", getData(), getConstantValue())))
      return mlir::failure();
    if (!isScalarLike(typeOf(getConstantValue())))
      return emitOpError() << "(C2) constant_value has shape "
                           << toText(dimsOf(typeOf(getConstantValue()))) << ", expected a scalar";
  }
  const auto axes = paddedAxes(*this, static_cast<int64_t>(result.size()));
  if (!axes) return mlir::failure();
  const int64_t length = knownLength(getPads()), expected = 2 * static_cast<int64_t>(axes->size());
  if (length >= 0 && length != expected)
    return emitOpError() << "(C1) pads has " << length << " entries, expected " << expected;
  const Numbers pads = knownNumbers(getPads());
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    const std::optional<int64_t> begin = pads.at(i), end = pads.at(i + axes->size());
    Dim& dim = result[axis];
    if (begin == 0 && end == 0) continue;
    if (!begin || !end) {
      dim = Dim{};
      continue;
    }
    if (std::min(*begin, *end) < -kMaxExtent || std::max(*begin, *end) > kMaxExtent)
      return emitOpError() << "(C5) pads of dimension " << axis << " are " << *begin << " and "
                           << *end << ", expected at most 2^30";
    if (mlir::failed(checkPadSource(*this, dim, *begin, *end))) return mlir::failure();
    if (!dim.isStatic()) {
      dim = Dim{};
      continue;
    }
    dim.size += *begin + *end;
    if (dim.size < 0)
      return emitOpError() << "(C5) dimension " << axis << " has size " << dim.size
                           << " after padding, expected 0 or more";
  }
  return appendResult(*this, operandType(*this, 0).getElementType(), result, types);
}

/// (C1) of both: [N, C, H, W] and a block size that fits 64 bits when squared.
static mlir::LogicalResult checkBlocks(mlir::Operation* op, mlir::Value input, int64_t blocksize) {
  if (mlir::failed(expectRank(op, "(C1)", input, "input", 4))) return mlir::failure();
  if (blocksize >= 1 && blocksize <= kMaxExtent) return mlir::success();
  return op->emitOpError() << "(C1) blocksize is " << blocksize
                           << ", expected a value in [1, 2^30]";
}

/// dim / by, dynamic when the size is; nothing when it does not divide.
static std::optional<Dim> dividedDim(const Dim& dim, int64_t by) {
  if (!dim.isStatic()) return by == 1 ? dim : Dim{};
  return dim.size % by == 0 ? std::optional(Dim{.size = dim.size / by}) : std::nullopt;
}
static Dim multipliedDim(const Dim& dim, int64_t by) {
  if (!dim.isStatic()) return by == 1 ? dim : Dim{};
  return {.size = saturatingProduct(dim.size, by)};
}

mlir::LogicalResult DepthToSpaceOp::inferTypes(Types& types) {
  const auto block = static_cast<int64_t>(getBlocksize());
  if (mlir::failed(checkBlocks(*this, getInput(), block)) ||
      mlir::failed(expectWord<DepthOrder>(*this, "(C2)", "mode", getModeAttr())))
    return mlir::failure();
  const Dims in = operandDims(*this, 0);
  const std::optional<Dim> channels = dividedDim(in[1], block * block);
  if (!channels)
    return emitOpError() << "(C1) input has " << in[1].size << " channels, expected a multiple of "
                         << block * block;
  return appendResult(*this, operandType(*this, 0).getElementType(),
                      {in[0], *channels, multipliedDim(in[2], block), multipliedDim(in[3], block)},
                      types);
}

mlir::LogicalResult SpaceToDepthOp::inferTypes(Types& types) {
  const auto block = static_cast<int64_t>(getBlocksize());
  if (mlir::failed(checkBlocks(*this, getInput(), block))) return mlir::failure();
  const Dims in = operandDims(*this, 0);
  const std::optional<Dim> height = dividedDim(in[2], block), width = dividedDim(in[3], block);
  if (!height || !width)
    return emitOpError() << "(C1) input has shape " << toText(in)
                         << ", expected height and width to be multiples of " << block;
  return appendResult(*this, operandType(*this, 0).getElementType(),
                      {in[0], multipliedDim(in[1], block * block), *height, *width}, types);
}

}  // namespace tessera::ir
