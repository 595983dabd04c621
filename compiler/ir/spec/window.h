// Sliding windows over the spatial dimensions of [N, C, D1, ..., Dn]: convolutions and pools. One
// reading of the attributes, one statement of what a window covers, over numbers and over index
// values (integer.h). After XLA's Window.
#pragma once

#include "compiler/ir/spec/integer.h"
#include "compiler/ir/tsr.h"

namespace tessera::ir::spec {

/// The attributes with their defaults filled in; lists have one entry for each spatial dimension.
struct WindowAttributes {
  AutoPad autoPad = AutoPad::NotSet;
  bool roundsUp = false;  ///< ceil_mode
  llvm::SmallVector<int64_t> strides, dilations;
  /// Elements added before and after the input; 0 where `autoPad` decides.
  llvm::SmallVector<int64_t> padsBegin, padsEnd;

  size_t rank() const { return strides.size(); }
  /// Whether pads follow from the input's size, so that there is one position for each stride.
  bool padsToSame() const { return autoPad == AutoPad::SameUpper || autoPad == AutoPad::SameLower; }
};

/// The attributes of an operator on `rank` spatial dimensions whose lists have fitting lengths.
WindowAttributes windowAttributes(WindowOpInterface op, size_t rank);

/// The same for an operator that has been verified: the rank is that of operand 0.
WindowAttributes windowAttributes(WindowOpInterface op);

/// Those of a transposed convolution.
struct TransposedAttributes : WindowAttributes {
  llvm::SmallVector<int64_t> outputPadding;  ///< Added at the end of the result.
  llvm::SmallVector<int64_t> output;         ///< Sizes of the result, where they are given.
};

TransposedAttributes transposedAttributes(ConvTransposeOp op);

/// What a window covers of one spatial dimension.
template <typename Int>
struct WindowGeometry {
  Int reach;             ///< Input elements between the first and the last tap, both included.
  Int padBegin, padEnd;  ///< Elements added before and after the input.
  Int output;            ///< Positions of the window: the size of the result.
};

/// Input elements between the first and the last tap of `kernel` taps, both included.
template <Integer Int>
Int windowReach(const Int& kernel, int64_t dilation) {
  return (kernel - literal(kernel, 1)) * dilation + literal(kernel, 1);
}

/// How much of a pad that a SAME mode needs in all comes first: the smaller half, or the larger.
template <Integer Int>
Int leadingPad(const Int& total, bool isUpper) {
  const Int half = floorDiv(total, 2);
  return isUpper ? half : total - half;
}

/// How far the first window can move inside the padded input; below 0 it does not fit. For windows
/// that do not pad to SAME, which always fit.
template <Integer Int>
Int windowSlack(const WindowAttributes& window, size_t d, const Int& input, const Int& reach) {
  return input + literal(input, window.padsBegin[d]) + literal(input, window.padsEnd[d]) - reach;
}

/// Dimension `d`, of size `input`, under a window of `kernel` taps. Where the pads are explicit,
/// windowSlack is 0 or more; sizes, pads and the reach are below 2^62.
template <Integer Int>
WindowGeometry<Int> windowGeometry(const WindowAttributes& window, size_t d, const Int& input,
                                   const Int& kernel) {
  const int64_t stride = window.strides[d];
  const Int zero = literal(input, 0), one = literal(input, 1);
  const Int reach = windowReach(kernel, window.dilations[d]);
  if (window.padsToSame()) {
    const Int output = ceilDiv(input, literal(input, stride));
    const Int covered = (output - one) * stride + reach;
    const Int total = larger(covered - input, zero);
    const Int begin = leadingPad(total, window.autoPad == AutoPad::SameUpper);
    return {reach, begin, total - begin, output};
  }
  const Int begin = literal(input, window.padsBegin[d]), end = literal(input, window.padsEnd[d]);
  const Int slack = windowSlack(window, d, input, reach);
  if (!window.roundsUp) return {reach, begin, end, floorDiv(slack, stride) + one};
  const Int output = ceilDiv(slack, literal(input, stride)) + one;
  // The last window starts in the input or in the padding before it.
  const Int start = (output - one) * stride;
  return {reach, begin, end, select(start < input + begin, output, output - one)};
}

/// A transposed convolution: an input element is spread over `reach` elements of the result, of
/// which the pads are cut off; where the result's size is given, pads follow from it. The result
/// may be below 0: refuse it then.
template <Integer Int>
WindowGeometry<Int> transposedGeometry(const TransposedAttributes& window, size_t d,
                                       const Int& input, const Int& kernel) {
  const int64_t stride = window.strides[d];
  const Int zero = literal(input, 0), one = literal(input, 1);
  const Int reach = windowReach(kernel, window.dilations[d]);
  const Int full = (input - one) * stride + reach + literal(input, window.outputPadding[d]);
  const bool isGiven = !window.output.empty();
  if (isGiven || window.padsToSame()) {
    // The standard's text has input * stride for SAME, which nothing is cut off to reach where
    // windows do not: its shape inference and ONNX Runtime leave what there is.
    const Int size = isGiven ? literal(input, window.output[d]) : smaller(full, input * stride);
    const Int total = larger(full - size, zero);
    const Int begin = leadingPad(total, window.autoPad == AutoPad::SameUpper);
    return {reach, begin, total - begin, size};
  }
  const Int begin = literal(input, window.padsBegin[d]), end = literal(input, window.padsEnd[d]);
  return {reach, begin, end, full - (begin + end)};
}

}  // namespace tessera::ir::spec
