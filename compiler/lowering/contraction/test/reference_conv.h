// Convolutions as plain loops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// One spatial dimension: element `fine` of the larger side meets element `coarse` of the other
/// under tap k where fine = coarse * stride - pad + k * dilation.
struct ReferenceAxis {
  int64_t in, out, kernel, stride, dilation, pad;
  bool isTransposed;

  /// The input element for an output element and a tap; -1 for none.
  int64_t inputOf(int64_t output, int64_t tap) const {
    if (!isTransposed) {
      const int64_t at = output * stride - pad + tap * dilation;
      return at < in ? std::max<int64_t>(at, -1) : -1;
    }
    const int64_t at = output + pad - tap * dilation;
    return at >= 0 && at % stride == 0 && at / stride < in ? at / stride : -1;
  }
};

/// The spatial dimensions, outermost first.
inline std::vector<ReferenceAxis> referenceAxes(const ConvShape& s) {
  std::vector<ReferenceAxis> axes;
  for (const ConvAxis& a : s.outer)
    axes.push_back({a.in, a.out, a.kernel, a.stride, a.dilation, a.padBegin, a.isTransposed});
  axes.push_back({s.inDepth, s.outDepth(), s.kernelDepth, s.strideDepth, s.dilationDepth,
                  s.padFront, s.isTransposed});
  axes.push_back({s.inHeight, s.outHeight(), s.kernelHeight, s.strideHeight, s.dilationHeight,
                  s.padTop, s.isTransposed});
  axes.push_back({s.inWidth, s.outWidth(), s.kernelWidth, s.strideWidth, s.dilationWidth, s.padLeft,
                  s.isTransposed});
  return axes;
}

/// Elements of an image of one channel.
inline int64_t inPixelsOf(const ConvShape& s) {
  return s.productOfOuter(&ConvAxis::in) * s.inDepth * s.inHeight * s.inWidth;
}
inline int64_t outPixelsOf(const ConvShape& s) {
  return s.productOfOuter(&ConvAxis::out) * s.outDepth() * s.outHeight() * s.outWidth();
}

/// The input element for an output element and a tap, counted over all dimensions; -1 for none.
inline int64_t inputOf(const std::vector<ReferenceAxis>& axes, int64_t output, int64_t tap) {
  int64_t input = 0, stride = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const int64_t at = axis->inputOf(output % axis->out, tap % axis->kernel);
    if (at < 0) return -1;
    input += at * stride;
    stride *= axis->in;
    output /= axis->out;
    tap /= axis->kernel;
  }
  return input;
}

/// Convolution with bias, [N, OC, spatial...], in double.
inline std::vector<double> referenceConv(const ConvShape& s, int64_t batch,
                                         const std::vector<float>& x, const std::vector<float>& w,
                                         const std::vector<float>& bias) {
  const std::vector<ReferenceAxis> axes = referenceAxes(s);
  const int64_t icg = s.inChannels / s.groups, ocg = s.outChannels / s.groups,
                inPixels = inPixelsOf(s), pixels = outPixelsOf(s);
  std::vector<double> y(batch * s.outChannels * pixels);
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t oc = 0; oc < s.outChannels; ++oc)
      for (int64_t p = 0; p < pixels; ++p) {
        double total = bias[oc];
        for (int64_t k = 0; k < s.kernelSize(); ++k) {
          const int64_t at = inputOf(axes, p, k);
          if (at < 0) continue;
          for (int64_t ic = 0; ic < icg; ++ic) {
            const int64_t channel = oc / ocg * icg + ic;
            const double a = x[(n * s.inChannels + channel) * inPixels + at];
            const int64_t row = s.isTransposed ? channel * ocg + oc % ocg : oc * icg + ic;
            total += a * w[row * s.kernelSize() + k];
          }
        }
        y[(n * s.outChannels + oc) * pixels + p] = total;
      }
  return y;
}

}  // namespace tessera::lowering
