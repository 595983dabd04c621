// Pad in all its modes; negative sizes crop, and what they cut off is not repeated.
#include "backends/native/compiler/kernel/data_requirements.h"
#include "backends/native/compiler/lower/lowerings.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/constant_axes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

std::optional<std::string> refusePad(Operation* op) {
  auto pad = cast<ir::PadOp>(op);
  if (pad.getAxes() && !ir::constantInts(pad.getAxes())) return "axes are not constant";
  return std::nullopt;
}

/// The position in [0, size) that position `at`, which may lie outside, shows.
static Index sourcePosition(ir::PadMode mode, Index at, Index size) {
  const Index last = size - 1;
  // What is outside in mode constant is read and not used.
  if (mode == ir::PadMode::Edge || mode == ir::PadMode::Constant)
    return smaller(larger(at, 0), last);
  if (mode == ir::PadMode::Wrap) return (at % size + size) % size;
  // Reflection repeats with period 2 * (size - 1), or always shows the only element.
  const Index period = larger(last * 2, 1);
  const Index folded = (at % period + period) % period;
  return select(folded < size, folded, period - folded);
}

/// `data` at offset `before` in `whole`; what lies outside is cut off.
static Value placeInside(KernelBuilder& b, Value data, Value whole, ValueRange before) {
  const Value zero = b.index(0);
  Values from, count, offsets;
  for (auto [offset, size, extent] : llvm::zip_equal(before, b.sizes(data), b.sizes(whole))) {
    const Index end = smaller(b.term(offset) + size, extent);
    const Index begin = larger(b.term(offset), zero);
    offsets.push_back(begin);
    from.push_back(begin - offset);
    count.push_back(larger(end - begin, zero));
  }
  const Values ones(from.size(), b.index(1));  // Inside by construction.
  return b.insert(b.slice(data, from, count, ones), whole, offsets, ones);
}

namespace {

/// Positions of the result along the last dimension that may be padded.
struct Stretch {
  Value from, count;
  bool isInside;  ///< Each is one of the tensor's.
};

/// A tensor with its elements or `fill` around it.
struct Padded {
  Value data;
  ir::PadMode mode;
  Value fill;          ///< What is outside in mode constant.
  Values before, to;   ///< Pads and sizes of the result.
  size_t last;         ///< The last dimension that may be padded.
  Value behind;        ///< Pads behind its elements.
  Values from, kept;   ///< The part of each dimension that is repeated: where it begins, its size.
  Values tables = {};  ///< Of each dimension: what its positions show (i64; along `last` those in
                       ///< front of and behind the middle), where they are not computed; else null.
};

}  // namespace

/// Of dimension `last`, positions [first, behind) lie in a row of the result as in one of the data.
struct Middle {
  Index first, behind;

  Index size() const { return behind - first; }
};

static Middle middleOf(KernelBuilder& b, const Padded& padded) {
  const Index end = b.term(padded.to[padded.last]), before = b.term(padded.before[padded.last]);
  const Index first = smaller(larger(before, 0), end);
  const Value size = b.size(padded.data, static_cast<int64_t>(padded.last));
  return {.first = first, .behind = larger(smaller(before + size, end), first)};
}

/// What position `at` of dimension `i` of the result shows, computed.
static Index repeatedPosition(KernelBuilder& b, const Padded& padded, size_t i, Index at) {
  const Value from = padded.from[i];
  return sourcePosition(padded.mode, at - padded.before[i] - from, b.term(padded.kept[i])) + from;
}

/// Positions that take divisions by sizes of the run are computed once for all rows.
static Values positionTables(KernelBuilder& b, const Padded& padded) {
  Values tables(padded.to.size());
  const bool divides = padded.mode == ir::PadMode::Reflect || padded.mode == ir::PadMode::Wrap;
  if (!divides) return tables;
  // The others of an empty result may be huge.
  std::optional<Condition> isEmpty;
  for (const Value size : padded.to) {
    if (getConstantIntValue(size).value_or(0) > 0) continue;
    const Condition isNone = b.equal(size, 0);
    isEmpty = isEmpty ? *isEmpty | isNone : isNone;
  }
  for (auto [i, size] : llvm::enumerate(b.sizes(padded.data))) {
    const bool isUnpadded = isEqualConstantIntOrValue(size, padded.to[i]);
    if (isUnpadded || getConstantIntValue(padded.kept[i])) continue;
    const bool isLast = i == padded.last;
    const Middle middle = isLast ? middleOf(b, padded) : Middle{};
    Value count = isLast ? b.term(padded.to[i]) - middle.size() : padded.to[i];
    if (isEmpty) count = b.select(*isEmpty, b.index(0), count);
    tables[i] = b.compute(count, b.getI64Type(), [&](ValueRange at) {
      Index place = b.term(at[0]);
      if (isLast) place = select(place < middle.first, place, place + middle.size());
      return b.fromIndex(repeatedPosition(b, padded, i, place), b.getI64Type());
    });
  }
  return tables;
}

/// What position `at` of dimension `i` of the result shows.
static Index shownPosition(KernelBuilder& b, const Padded& padded, size_t i, Index at) {
  if (padded.tables[i]) {
    if (i == padded.last) {
      const Middle middle = middleOf(b, padded);
      at = select(at < middle.first, at, at - middle.size());
    }
    return b.term(b.toIndex(b.load(padded.tables[i], Value(at))));
  }
  return repeatedPosition(b, padded, i, at);
}

/// A part of the result. `isInside`: along dimension `last` its elements are read as they lie.
static Value paddedPart(KernelBuilder& b, const Padded& padded, const Part& part, bool isInside) {
  const Type element = typeOf(padded.data).getElementType();
  if (padded.fill && !isInside) return b.filled(padded.fill, part.sizes);
  const Values from = b.sizes(padded.data);
  return b.compute(part.sizes, element, [&](ValueRange indices) {
    Values source;
    std::optional<Condition> isData;
    for (auto [i, index] : llvm::enumerate(indices)) {
      const Index place = b.term(index) + part.offsets[i], at = place - padded.before[i];
      const bool isAsItLies = i == padded.last
                                  ? isInside
                                  : getConstantIntValue(padded.before[i]) == 0 &&
                                        isEqualConstantIntOrValue(from[i], padded.to[i]);
      source.push_back(isAsItLies ? at : shownPosition(b, padded, i, place));
      if (!padded.fill || isAsItLies) continue;
      const Condition fits = b.equal(at, source.back());
      isData = isData ? *isData & fits : fits;
    }
    const Element value = b.load(padded.data, source);
    return isData ? select(*isData, value, b.element(padded.fill)) : value;
  });
}

static bool isPad(Value number) {
  const auto known = getConstantIntValue(number);
  return known && *known >= 0;
}

/// The middle of rows, which is read in vectors, and the borders that there are: only those look
/// for their elements one by one.
static SmallVector<Stretch> stretchesOf(KernelBuilder& b, const Padded& padded) {
  const Index end = b.term(padded.to[padded.last]), before = b.term(padded.before[padded.last]);
  const Index size = b.term(b.size(padded.data, static_cast<int64_t>(padded.last)));
  const Middle middle = middleOf(b, padded);
  SmallVector<Stretch> stretches = {
      {.from = middle.first, .count = middle.size(), .isInside = true},
      {.from = b.index(0), .count = middle.first, .isInside = false},
      {.from = middle.behind, .count = end - middle.behind, .isInside = false},
  };
  // Pads that nothing is cut off for, as numbers: short loops are written out.
  if (isPad(padded.before[padded.last]) && isPad(padded.behind))
    stretches = {{.from = before, .count = size, .isInside = true},
                 {.from = b.index(0), .count = before, .isInside = false},
                 {.from = before + size, .count = padded.behind, .isInside = false}};
  llvm::erase_if(stretches,
                 [](const Stretch& stretch) { return getConstantIntValue(stretch.count) == 0; });
  return stretches;
}

/// `rows`, which lie whole along dimension `last`, as `place` says.
static Value padRows(KernelBuilder& b, const Padded& padded, ArrayRef<Stretch> stretches,
                     Value rows, const Part& place) {
  for (const Stretch& stretch : stretches) {
    Part part = place;
    part.offsets[padded.last] = stretch.from;
    part.sizes[padded.last] = stretch.count;
    Values offsets(part.offsets.size(), b.index(0));
    offsets[padded.last] = stretch.from;
    rows = b.insert(paddedPart(b, padded, part, stretch.isInside), rows, offsets);
  }
  return rows;
}

/// Where there are rows for all threads, each writes its borders, too: lines of a cache that
/// another core wrote last are dear. Parts of rows of open sizes would be made elsewhere and
/// copied.
static Value padAround(KernelBuilder& b, Padded padded) {
  constexpr int64_t kEnoughRows = 16;
  padded.tables = positionTables(b, padded);
  const SmallVector<Stretch> stretches = stretchesOf(b, padded);
  const Values none(padded.to.size(), b.index(0));
  const Value whole = b.empty(typeOf(padded.data).getElementType(), padded.to);
  const Values outer(ArrayRef(padded.to).take_front(padded.last));
  int64_t rows = 1;
  for (const Value size : outer) rows *= getConstantIntValue(size).value_or(kEnoughRows);
  if (rows < kEnoughRows || !getConstantIntValue(padded.to[padded.last]))
    return padRows(b, padded, stretches, whole, {.offsets = none, .sizes = padded.to});
  const auto rowAt = [&](ValueRange at) {
    Part row = {.offsets = none, .sizes = padded.to};
    for (auto [i, position] : llvm::enumerate(at)) {
      row.offsets[i] = position;
      row.sizes[i] = b.index(1);
    }
    return row;
  };
  return b.forEachPart(
      outer, whole, estimatedElements(whole),
      [&](ValueRange at) { return SmallVector<Part>{rowAt(at)}; },
      [&](ValueRange at, ValueRange parts) {
        return Values{padRows(b, padded, stretches, parts[0], rowAt(at))};
      })[0];
}

/// Whether there is an element to read for each position of mode edge.
static bool isNeverEmpty(Value data) {
  const RankedTensorType type = typeOf(data);
  return type.hasStaticShape() && type.getNumElements() > 0;
}

/// Something is left to repeat of each dimension that is to have elements.
static void requireSources(KernelBuilder& b, ValueRange kept, ValueRange to) {
  for (auto [size, padded] : llvm::zip_equal(kept, to)) {
    const Condition isPossible = b.less(b.index(0), size) | b.equal(padded, 0);
    b.require(isPossible, padded, larger(b.term(size), 0),
              "a dimension of which {1} elements are left is padded to {0}");
  }
}

LogicalResult lowerPad(KernelBuilder& b, Operation* op) {
  auto pad = cast<ir::PadOp>(op);
  const Value data = b.get(pad.getData());
  const Type element = typeOf(data).getElementType();
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const auto axes = ir::spec::constantAxes(pad.getAxes(), type.getRank());
  const Values from = b.sizes(data);
  const Values pads =
      b.readInts(pad.getPads(), static_cast<int64_t>(2 * (axes ? axes->size() : from.size())));
  const size_t numAxes = pads.size() / 2;
  Values before(from.size(), b.index(0)), behind = before, to = from;
  for (const Value size : pads) {
    b.requireAtLeast(size, -kMaxElements, "a number of pads");
    b.requireAtMost(size, b.index(kMaxElements), "a number of pads");
  }
  for (size_t i = 0; i < numAxes; ++i) {
    const int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    before[axis] = pads[i];
    behind[axis] = pads[numAxes + i];
    to[axis] = b.term(from[axis]) + pads[i] + pads[numAxes + i];
  }
  const bool isBlocked = typeOf(data).getRank() > type.getRank();
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    if (isBlocked && i == 1) continue;  // Channels, which are not padded.
    b.requireAtLeast(to[i], 0, "dimension " + Twine(i));
    to[i] = b.declaredOr(to[i], extent, "dimension " + Twine(i));
  }
  if (!ir::constantInts(pad.getPads())) b.requireShape(to);
  const bool isConstant = pad.getMode() == ir::PadMode::Constant;
  Values kept = from, cut(from.size(), b.index(0));
  for (size_t i = 0; !isConstant && i < from.size(); ++i) {
    cut[i] = larger(b.term(0) - before[i], 0);
    kept[i] = b.term(from[i]) - cut[i] - larger(b.term(0) - behind[i], 0);
  }
  Value fill;
  if (isConstant) {
    fill = pad.getConstantValue() ? onlyElement(b, pad.getConstantValue()) : b.scalar(element, 0);
  }
  const auto rank = static_cast<size_t>(type.getRank());
  const auto around = [&] {
    return padAround(b, {.data = data,
                         .mode = pad.getMode(),
                         .fill = fill,
                         .before = before,
                         .to = to,
                         .last = rank - 1,
                         .behind = behind[rank - 1],
                         .from = cut,
                         .kept = kept});
  };
  if (isConstant) {
    b.set(op->getResult(0), rank > 0 && isNeverEmpty(data)
                                ? around()
                                : placeInside(b, data, b.filled(fill, to), before));
    return success();
  }
  requireSources(b, kept, to);
  b.set(op->getResult(0), rank == 0 ? data : around());
  return success();
}

}  // namespace tessera::backend_native
