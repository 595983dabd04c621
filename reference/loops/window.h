// Sliding windows over the spatial dimensions: the geometry shared by convolutions and pools.
#pragma once

#include "reference/arguments.h"

namespace tessera::reference {

/// One entry per spatial dimension each.
struct Window {
  Shape input;
  Shape kernel;
  Shape strides;
  Shape dilations;
  Shape padsBegin;
  Shape padsEnd;
  Shape output;

  size_t rank() const { return input.size(); }
};

/// Reads strides, dilations, pads and auto_pad and works out the output's sizes; with `ceilMode` a
/// last window may hang over the end, unless it would start in the padding.
Result<Window> parseWindow(const OpCall& call, std::span<const int64_t> input, Shape kernel,
                           bool ceilMode);

/// As parseWindow for a transposed convolution, which also has output_padding and output_shape.
/// `output` may exceed what any input reaches.
Result<Window> parseTransposedWindow(const OpCall& call, std::span<const int64_t> input,
                                     Shape kernel);

/// Which input element each tap of the kernel sees from each output position.
class SourceTable {
 public:
  /// The output position `index` sees, through kernel position `tap`, the input at this offset
  /// within one channel; -1 for the padding.
  int64_t offset(std::span<const int64_t> index, std::span<const int64_t> tap) const {
    int64_t sum = 0;
    for (size_t d = 0; d < kernel_.size(); ++d) {
      const int64_t step = offsets_[d][index[d] * kernel_[d] + tap[d]];
      if (step < 0) return -1;
      sum += step;
    }
    return sum;
  }

  /// Every kernel position, in row-major order.
  const std::vector<Shape>& taps() const { return taps_; }

  static Result<SourceTable> forWindow(const OpCall& call, const Window& window);
  static Result<SourceTable> forTransposedWindow(const OpCall& call, const Window& window);

 private:
  /// position(d, o, k): the input coordinate, possibly out of range, along dimension d.
  template <typename Position>
  static Result<SourceTable> build(const OpCall& call, const Window& window, Position position);

  Shape kernel_;
  std::vector<std::vector<int64_t>> offsets_;  ///< [d][o * kernel[d] + k]
  std::vector<Shape> taps_;
};

}  // namespace tessera::reference
