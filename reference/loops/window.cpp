#include "reference/loops/window.h"

#include "reference/loops/strided.h"

namespace tessera::reference {

/// No size, stride, dilation or pad is larger, so that products of two of them do not overflow.
static constexpr int64_t kMaxExtent = int64_t{1} << 30;
/// The most entries of a SourceTable per dimension, and the most taps.
static constexpr int64_t kMaxTableSize = int64_t{1} << 28;

/// A list attribute with one value per spatial dimension, each in [min, kMaxExtent].
static Result<Shape> extents(const OpCall& call, std::string_view name, size_t count,
                             int64_t fallback, int64_t min) {
  TESSERA_TRY(Shape values, attributeOr<Shape>(call, name, Shape(count, fallback)));
  if (values.empty()) values.assign(count, fallback);
  const bool valid =
      std::ranges::all_of(values, [&](int64_t v) { return v >= min && v <= kMaxExtent; });
  if (values.size() != count || !valid) {
    return opError(call, "attribute '" + std::string(name) + "' is " + toText(values) +
                             ", expected " + std::to_string(count) + " values of at least " +
                             std::to_string(min));
  }
  return values;
}

/// The fields of a window that transposed and plain windows read alike; `output` is left empty.
static Result<Window> parseCommon(const OpCall& call, std::span<const int64_t> input,
                                  Shape kernel) {
  const size_t rank = input.size();
  Window window;
  window.input = toShape(input);
  const auto isKernel = [](int64_t size) { return size >= 1 && size <= kMaxExtent; };
  const auto isInput = [](int64_t size) { return size >= 0 && size <= kMaxExtent; };
  if (kernel.size() != rank || !std::ranges::all_of(kernel, isKernel) ||
      !std::ranges::all_of(input, isInput)) {
    return opError(call, "a kernel of shape " + toText(kernel) + " does not fit spatial sizes " +
                             toText(input));
  }
  window.kernel = std::move(kernel);
  TESSERA_TRY(window.strides, extents(call, "strides", rank, 1, 1));
  TESSERA_TRY(window.dilations, extents(call, "dilations", rank, 1, 1));
  TESSERA_TRY(const Shape pads, extents(call, "pads", 2 * rank, 0, 0));
  window.padsBegin.assign(pads.begin(), pads.begin() + static_cast<int64_t>(rank));
  window.padsEnd.assign(pads.begin() + static_cast<int64_t>(rank), pads.end());
  return window;
}

enum class AutoPad { kNotSet, kSameUpper, kSameLower, kValid };

static Result<AutoPad> parseAutoPad(const OpCall& call) {
  TESSERA_TRY(const std::string text, attributeOr<std::string>(call, "auto_pad", "NOTSET"));
  if (text == "NOTSET" || text.empty()) return AutoPad::kNotSet;
  if (text == "SAME_UPPER") return AutoPad::kSameUpper;
  if (text == "SAME_LOWER") return AutoPad::kSameLower;
  if (text == "VALID") return AutoPad::kValid;
  return opError(call, "attribute 'auto_pad' is '" + text +
                           "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
}

/// Input elements between a window's first and last tap, both included.
static int64_t reach(const Window& window, size_t d) {
  return (window.kernel[d] - 1) * window.dilations[d] + 1;
}

/// Splits `total` padding in two; the odd one goes to the end for SAME_UPPER, to the beginning
/// otherwise.
static void splitPadding(Window& window, size_t d, int64_t total, bool upper) {
  const int64_t less = total / 2, more = total - less;
  window.padsBegin[d] = upper ? less : more;
  window.padsEnd[d] = upper ? more : less;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

Result<Window> parseWindow(const OpCall& call, std::span<const int64_t> input, Shape kernel,
                           bool ceilMode) {
  TESSERA_TRY(Window window, parseCommon(call, input, std::move(kernel)));
  TESSERA_TRY(const AutoPad autoPad, parseAutoPad(call));
  for (size_t d = 0; d < window.rank(); ++d) {
    const int64_t size = window.input[d], stride = window.strides[d];
    if (autoPad == AutoPad::kSameUpper || autoPad == AutoPad::kSameLower) {
      const int64_t count = ceilDiv(size, stride);
      window.output.push_back(count);
      const int64_t total = std::max<int64_t>((count - 1) * stride + reach(window, d) - size, 0);
      splitPadding(window, d, total, autoPad == AutoPad::kSameUpper);
      continue;
    }
    if (autoPad == AutoPad::kValid) window.padsBegin[d] = window.padsEnd[d] = 0;
    const int64_t slack = size + window.padsBegin[d] + window.padsEnd[d] - reach(window, d);
    if (slack < 0) {
      return opError(call, "the kernel " + toText(window.kernel) +
                               " is larger than the padded input " + toText(window.input));
    }
    int64_t count = (ceilMode ? ceilDiv(slack, stride) : slack / stride) + 1;
    if (ceilMode && (count - 1) * stride >= size + window.padsBegin[d]) --count;
    window.output.push_back(count);
  }
  return window;
}

Result<Window> parseTransposedWindow(const OpCall& call, std::span<const int64_t> input,
                                     Shape kernel) {
  TESSERA_TRY(Window window, parseCommon(call, input, std::move(kernel)));
  TESSERA_TRY(const AutoPad autoPad, parseAutoPad(call));
  const size_t rank = window.rank();
  TESSERA_TRY(const Shape outputPadding, extents(call, "output_padding", rank, 0, 0));
  const bool same = autoPad == AutoPad::kSameUpper || autoPad == AutoPad::kSameLower;
  TESSERA_TRY(const Shape outputShape, attributeOr<Shape>(call, "output_shape", {}));
  const bool sized = !outputShape.empty();
  if (sized) {
    TESSERA_TRY(window.output, extents(call, "output_shape", rank, 1, 1));
  }
  for (size_t d = 0; d < rank; ++d) {
    if (autoPad == AutoPad::kValid) window.padsBegin[d] = window.padsEnd[d] = 0;
    const int64_t full =
        (window.input[d] - 1) * window.strides[d] + outputPadding[d] + reach(window, d);
    // Nothing is added to reach input * stride.
    if (same && !sized)
      window.output.push_back(std::min(full, window.input[d] * window.strides[d]));
    if (same || sized) {
      splitPadding(window, d, std::max<int64_t>(full - window.output[d], 0),
                   autoPad == AutoPad::kSameUpper);
    } else {
      window.output.push_back(full - window.padsBegin[d] - window.padsEnd[d]);
    }
  }
  return window;
}

template <typename Position>
Result<SourceTable> SourceTable::build(const OpCall& call, const Window& window,
                                       Position position) {
  SourceTable table;
  table.kernel_ = window.kernel;
  const std::vector<int64_t> strides = rowMajorStrides(window.input);
  int64_t numTaps = 1;
  for (size_t d = 0; d < window.rank(); ++d) {
    int64_t entries = 0;
    if (__builtin_mul_overflow(numTaps, window.kernel[d], &numTaps) || numTaps > kMaxTableSize ||
        __builtin_mul_overflow(window.output[d], window.kernel[d], &entries) ||
        entries > kMaxTableSize) {
      return opError(call, "a kernel of shape " + toText(window.kernel) + " over outputs " +
                               toText(window.output) + " is too large");
    }
    std::vector<int64_t>& offsets = table.offsets_.emplace_back();
    for (int64_t o = 0; o < window.output[d]; ++o) {
      for (int64_t k = 0; k < window.kernel[d]; ++k) {
        const int64_t i = position(d, o, k);
        offsets.push_back(i >= 0 && i < window.input[d] ? i * strides[d] : -1);
      }
    }
  }
  forEachIndex(window.kernel, [&](auto tap) { table.taps_.push_back(toShape(tap)); });
  return table;
}

Result<SourceTable> SourceTable::forWindow(const OpCall& call, const Window& window) {
  return build(call, window, [&](size_t d, int64_t o, int64_t k) {
    return o * window.strides[d] + k * window.dilations[d] - window.padsBegin[d];
  });
}

Result<SourceTable> SourceTable::forTransposedWindow(const OpCall& call, const Window& window) {
  return build(call, window, [&](size_t d, int64_t o, int64_t k) -> int64_t {
    const int64_t distance = o + window.padsBegin[d] - k * window.dilations[d];
    return distance % window.strides[d] == 0 ? distance / window.strides[d] : -1;
  });
}

}  // namespace tessera::reference
