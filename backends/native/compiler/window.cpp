#include "backends/native/compiler/window.h"

#include "backends/native/compiler/attributes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

/// Output size and pads of dimension d where a SAME mode decides them.
static void padToSame(KernelBuilder& b, Window& window, size_t d, bool isUpper) {
  const Value count = b.ceilDiv(window.input[d], window.strides[d]);
  const Value covered = b.add(b.mul(b.sub(count, 1), window.strides[d]), window.reach(b, d));
  const Value total = b.maxIndex(b.sub(covered, window.input[d]), b.index(0));
  const Value less = b.floorDiv(total, 2), more = b.sub(total, less);
  window.padsBegin.push_back(isUpper ? less : more);
  window.padsEnd.push_back(isUpper ? more : less);
  window.output.push_back(count);
}

Window windowOf(KernelBuilder& b, Operation* op, ValueRange kernel, ValueRange input,
                RankedTensorType resultType) {
  const size_t rank = kernel.size();
  Window window{.strides = intsOr(op, "strides", rank, 1),
                .dilations = intsOr(op, "dilations", rank, 1),
                .kernel = Values(kernel),
                .input = Values(input),
                .output = {},
                .padsBegin = {},
                .padsEnd = {}};
  const SmallVector<int64_t> pads = intsOr(op, "pads", 2 * rank, 0);
  const auto autoPad = op->getAttrOfType<StringAttr>("auto_pad");
  const StringRef mode = autoPad ? autoPad.getValue() : "NOTSET";
  const auto ceilMode = op->getAttrOfType<IntegerAttr>("ceil_mode");
  for (size_t d = 0; d < rank; ++d) {
    const int64_t stride = window.strides[d];
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      padToSame(b, window, d, mode == "SAME_UPPER");
    } else {
      const bool isValid = mode == "VALID";
      window.padsBegin.push_back(b.index(isValid ? 0 : pads[d]));
      window.padsEnd.push_back(b.index(isValid ? 0 : pads[rank + d]));
      const Value padded = b.add(b.add(window.input[d], window.padsBegin[d]), window.padsEnd[d]);
      const Value slack = b.sub(padded, window.reach(b, d));
      b.require(b.lessOrEqual(b.index(0), slack), padded, window.reach(b, d),
                "spatial dimension " + Twine(d) +
                    " is {0} with its padding, smaller than the window of {1}");
      const bool roundsUp = ceilMode && ceilMode.getInt() != 0;
      Value count = b.add(roundsUp ? b.ceilDiv(slack, stride) : b.floorDiv(slack, stride), 1);
      if (roundsUp) {
        // A last window must not start behind the input.
        const Value start = b.mul(b.sub(count, 1), stride);
        const Value isBehind = b.lessOrEqual(b.add(window.input[d], window.padsBegin[d]), start);
        count = b.select(isBehind, b.sub(count, 1), count);
      }
      window.output.push_back(count);
    }
    window.output[d] =
        b.declaredOr(window.output[d], resultType.getDimSize(static_cast<unsigned>(d) + 2),
                     "spatial dimension " + Twine(d) + " of the result");
  }
  return window;
}

static bool isAtMost(Value size, Value most) {
  const auto known = getConstantIntValue(size), limit = getConstantIntValue(most);
  return known && limit && *known <= *limit;
}

Value padForWindow(KernelBuilder& b, Value x, const Window& window, Value fill) {
  const Values sizes = b.sizes(x);
  Values covered = sizes, offsets(sizes.size(), b.index(0)), used = sizes;
  bool isInside = true;
  for (size_t d = 0; d < window.rank(); ++d) {
    const Value span =
        b.add(b.mul(b.sub(window.output[d], 1), window.strides[d]), window.reach(b, d));
    covered[d + 2] = span;
    offsets[d + 2] = window.padsBegin[d];
    used[d + 2] =
        b.maxIndex(b.minIndex(sizes[d + 2], b.sub(span, window.padsBegin[d])), b.index(0));
    isInside &= getConstantIntValue(window.padsBegin[d]) == 0 && isAtMost(span, sizes[d + 2]);
  }
  // Exactly what windows see: loops over taps may take their size from here.
  const Value part = b.slice(x, Values(sizes.size(), b.index(0)), isInside ? covered : used);
  return isInside ? part : b.insert(part, b.filled(fill, covered), offsets);
}

}  // namespace tessera::backend_native
