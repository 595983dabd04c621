// Mean and variance in one pass over a line: sums of the distances d from some number k near the
// mean, and of their squares. Then mean = k + E[d], variance = E[d^2] - E[d]^2, with the relative
// error of the sums times 1 + (mean - k)^2 / variance. k is the middle one of three elements, so
// that one that lies far from all others does not matter; where two of them do, that factor is up
// to a third of the line's length, which is why long lines are joined from parts, or take two
// passes. Two passes read a line from the second level of caches, and then from the first; this one
// adds up while it is read. Blocks of channels that are fewer than threads are cut, too.
#include "backends/native/compiler/kernel/moments.h"

#include <algorithm>
#include <optional>

#include "backends/native/compiler/kernel/lines.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tessera::backend_native {

using namespace mlir;

// Shorter lines gain nothing, longer ones could lose digits.
static constexpr int64_t kLeastElements = 64, kMostElements = 4096;

static Value divideBy(KernelBuilder& b, Value sums, const Element& count) {
  return b.map(sums, count.type(), [&](Elements v) { return v[0] / count; });
}

// Whether one pass may be made over `x`: it is the caller's, as what the kernel itself computes is
// best summed up where it is made.
static bool isReadable(Value x) {
  Value source = x;
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(source.getDefiningOp()))
    source = source.getDefiningOp()->getOperand(0);
  return typeOf(x).getElementType().isF32() && isa<BlockArgument>(source);
}

// The elements along `dims`, or nothing where they are not known or more than one pass takes.
static std::optional<int64_t> elementsAlong(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t elements = 1;
  for (const int64_t dim : dims) {
    if (type.isDynamicDim(dim) || type.getDimSize(dim) > kMostElements) return std::nullopt;
    elements *= type.getDimSize(dim);
    if (elements > kMostElements) return std::nullopt;
  }
  return elements;
}

// Of each line, an element inside; which one, `number` from 0 to 2 says.
static Value elementInside(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, int64_t number) {
  const RankedTensorType type = typeOf(x);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  for (const Value size : b.sizes(x)) sizes.push_back(getAsOpFoldResult(size));
  // The three of them have no row or column in common.
  for (const int64_t dim : dims) {
    // Beside the quarters: what is special tends to begin at a round number.
    const int64_t quarters = number % 3 + 1, size = type.getDimSize(dim);
    offsets[dim] = b.getIndexAttr(std::min(quarters * size / 4 + (size > 16 ? 3 : 0), size - 1));
    sizes[dim] = b.getIndexAttr(1);
    ++number;
  }
  const auto kept = llvm::map_to_vector(otherDims(type.getRank(), dims),
                                        [&](int64_t dim) { return type.getDimSize(dim); });
  return b.create<tensor::ExtractSliceOp>(RankedTensorType::get(kept, type.getElementType()), x,
                                          offsets, sizes, strides);
}

// The middle one of three, without a branch. A NaN makes the sums NaN, whatever is taken here.
static Value nearMean(KernelBuilder& b, Value x, ArrayRef<int64_t> dims) {
  SmallVector<Value> samples;
  for (const int64_t number : {0, 1, 2}) samples.push_back(elementInside(b, x, dims, number));
  return b.map(samples, typeOf(x).getElementType(), [](Elements v) {
    const auto least = [](const Element& a, const Element& b) { return select(a < b, a, b); };
    const auto greatest = [](const Element& a, const Element& b) { return select(a < b, b, a); };
    return greatest(least(v[0], v[1]), least(greatest(v[0], v[1]), v[2]));
  });
}

static Moments onePass(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, const Element& count) {
  const int64_t rank = typeOf(x).getRank();
  const Type element = typeOf(x).getElementType();
  const SmallVector<int64_t> kept = otherDims(rank, dims);
  const Value near = nearMean(b, x, dims);
  Kinds kinds = parallelLoops(rank);
  for (const int64_t dim : dims) kinds[dim] = utils::IteratorType::reduction;
  const AffineMap line = loopMap(b, rank, kept);
  const Value zeros = b.filled(b.scalar(element, 0), b.sizes(near));
  const Values sums = b.genericMany({x, near}, {identityMap(b, rank), line, line, line},
                                    {zeros, zeros}, kinds, [](Elements v) {
                                      const Element distance = v[0] - v[1];
                                      const Element sum = v[2] + distance;
                                      return Values{sum, v[3] + distance * distance};
                                    });
  const Value mean =
      b.map({sums[0], near}, element, [&](Elements v) { return v[0] / count + v[1]; });
  const Value variance = b.map({sums[0], sums[1]}, element, [&](Elements v) {
    const Element distance = v[0] / count;
    return larger(v[1] / count - distance * distance, 0);
  });
  return {.mean = mean, .variance = variance};
}

// Whether lines along `dims` are known to have elements.
static bool haveElements(RankedTensorType type, ArrayRef<int64_t> dims) {
  return llvm::all_of(
      dims, [&](int64_t dim) { return !type.isDynamicDim(dim) && type.getDimSize(dim) > 0; });
}

// From distances to a number near it: the mean of equal elements is exact then.
static Value shiftedMean(KernelBuilder& b, Value x, ArrayRef<int64_t> dims) {
  const Type element = typeOf(x).getElementType();
  const Element count = countLines(b, x, dims, element);
  const Value near = nearMean(b, x, dims);
  const LineOperand ofLine = {.tensor = near, .loops = otherDims(typeOf(x).getRank(), dims)};
  const Value sums = reduceLines(b, x, ofLine, dims, b.scalar(element, 0),
                                 [](Elements v) { return v[2] + (v[0] - v[1]); });
  return b.map({sums, near}, element, [&](Elements v) { return v[0] / count + v[1]; });
}

static Value meanOf(KernelBuilder& b, Value x, ArrayRef<int64_t> dims) {
  return divideBy(b, sumLines(b, x, dims), countLines(b, x, dims, typeOf(x).getElementType()));
}

Moments joinMoments(KernelBuilder& b, const Moments& parts, ArrayRef<int64_t> dims) {
  const RankedTensorType type = typeOf(parts.mean);
  const Value mean =
      haveElements(type, dims) ? shiftedMean(b, parts.mean, dims) : meanOf(b, parts.mean, dims);
  const LineOperand ofPart = {.tensor = parts.mean, .loops = dimRange(0, type.getRank())},
                    ofAll = {.tensor = mean, .loops = otherDims(type.getRank(), dims)};
  const Value variances =
      mapLines(b, parts.variance, {ofPart, ofAll}, type.getElementType(), [](Elements v) {
        const Element distance = v[1] - v[2];
        return v[0] + distance * distance;
      });
  return {.mean = mean, .variance = meanOf(b, variances, dims)};
}

namespace {

/// Lines in equal parts that are long enough by themselves.
struct Parts {
  Value x;
  SmallVector<int64_t> across;  ///< The dimensions of `x` along which parts lie.
  SmallVector<int64_t> inside;  ///< Those of a part.
};

}  // namespace

// Lines that are cut along dimension `cut` of `dims` into `number` parts each.
static Parts cutLines(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, int64_t cut,
                      int64_t number) {
  Parts parts{.x = {}, .across = {}, .inside = {cut + 1}};
  for (const int64_t dim : dims) {
    if (dim <= cut)
      parts.across.push_back(dim);
    else
      parts.inside.push_back(dim + 1);
  }
  Values sizes = b.sizes(x);
  sizes[cut] = b.index(number);
  sizes.insert(sizes.begin() + cut + 1, b.index(typeOf(x).getDimSize(cut) / number));
  parts.x = b.reshape(x, sizes);
  return parts;
}

// The least divisor of `size` from `least` to `most`.
static std::optional<int64_t> divisorOf(int64_t size, int64_t least, int64_t most) {
  for (int64_t divisor = least; divisor <= std::min(most, size); ++divisor) {
    if (size % divisor == 0) return divisor;
  }
  return std::nullopt;
}

// Of lines that are too long for one pass: the last of `dims`, and a part of the one in front of
// them where these are not long enough and all sizes are known.
static std::optional<Parts> shortParts(KernelBuilder& b, Value x, ArrayRef<int64_t> dims) {
  constexpr int64_t kLeastOfPart = 1024;
  const RankedTensorType type = typeOf(x);
  size_t last = dims.size();
  while (last > 0 && elementsAlong(type, dims.drop_front(last - 1))) --last;
  const int64_t elements = *elementsAlong(type, dims.drop_front(last));
  if (last == 0) return std::nullopt;
  if (elements >= kLeastOfPart)
    return Parts{.x = x,
                 .across = SmallVector<int64_t>(dims.take_front(last)),
                 .inside = SmallVector<int64_t>(dims.drop_front(last))};
  if (!type.hasStaticShape() || elements == 0) return std::nullopt;
  const int64_t cut = dims[last - 1], size = type.getDimSize(cut);
  const auto number = divisorOf(size, llvm::divideCeil(size * elements, kMostElements),
                                size * elements / kLeastOfPart);
  if (!number) return std::nullopt;
  return cutLines(b, x, dims, cut, *number);
}

// Of blocks of lines side by side that are fewer than threads may be, parts that are enough.
static std::optional<Parts> manyParts(KernelBuilder& b, Value x, ArrayRef<int64_t> dims) {
  constexpr int64_t kEnough = 8, kLeastElements = 2048;
  const RankedTensorType type = typeOf(x);
  const int64_t rank = type.getRank();
  if (!type.hasStaticShape() || dims.back() + 2 != rank) return std::nullopt;
  // Blocks, without their lanes.
  int64_t blocks = 1;
  for (const int64_t dim : otherDims(rank, dims))
    blocks *= dim + 1 == rank ? 1 : type.getDimSize(dim);
  if (blocks == 0 || blocks >= kEnough) return std::nullopt;
  const auto* cut = llvm::find_if(dims, [&](int64_t dim) { return type.getDimSize(dim) > 1; });
  if (cut == dims.end()) return std::nullopt;
  const auto number = divisorOf(type.getDimSize(*cut), llvm::divideCeilSigned(kEnough, blocks),
                                type.getNumElements() / (blocks * kLeastElements));
  if (!number || *number == 1) return std::nullopt;
  return cutLines(b, x, dims, *cut, *number);
}

// In one pass where that pays; nothing elsewhere.
static std::optional<Moments> readOnce(KernelBuilder& b, Value x, ArrayRef<int64_t> dims) {
  if (!isReadable(x)) return std::nullopt;
  const Type element = typeOf(x).getElementType();
  const auto elements = elementsAlong(typeOf(x), dims);
  if (elements && *elements < kLeastElements) return std::nullopt;
  if (const auto parts = elements ? manyParts(b, x, dims) : shortParts(b, x, dims)) {
    const Element ofPart = countLines(b, parts->x, parts->inside, element);
    return joinMoments(b, onePass(b, parts->x, parts->inside, ofPart), parts->across);
  }
  if (!elements) return std::nullopt;
  return onePass(b, x, dims, countLines(b, x, dims, element));
}

Moments momentsOf(KernelBuilder& b, Value x, ArrayRef<int64_t> dims, bool isCentered) {
  if (isCentered && !b.isExact()) {
    if (const auto moments = readOnce(b, x, dims)) return *moments;
  }
  Moments moments;
  if (isCentered)
    moments.mean = isReadable(x) && haveElements(typeOf(x), dims) ? shiftedMean(b, x, dims)
                                                                  : meanOf(b, x, dims);
  const Value squares = sumSquares(b, x, dims, moments.mean);
  moments.variance = divideBy(b, squares, countLines(b, x, dims, typeOf(x).getElementType()));
  return moments;
}

}  // namespace tessera::backend_native
