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

/// Convolution with bias, [N, OC, OD, OH, OW], in double.
inline std::vector<double> referenceConv(const ConvShape& s, int64_t batch,
                                         const std::vector<float>& x, const std::vector<float>& w,
                                         const std::vector<float>& bias) {
  const ReferenceAxis depth{s.inDepth,       s.outDepth(), s.kernelDepth, s.strideDepth,
                            s.dilationDepth, s.padFront,   s.isTransposed};
  const ReferenceAxis height{s.inHeight,       s.outHeight(), s.kernelHeight, s.strideHeight,
                             s.dilationHeight, s.padTop,      s.isTransposed};
  const ReferenceAxis width{s.inWidth,       s.outWidth(), s.kernelWidth, s.strideWidth,
                            s.dilationWidth, s.padLeft,    s.isTransposed};
  const int64_t icg = s.inChannels / s.groups, ocg = s.outChannels / s.groups,
                pixels = depth.out * height.out * width.out;
  std::vector<double> y(batch * s.outChannels * pixels);
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t oc = 0; oc < s.outChannels; ++oc)
      for (int64_t p = 0; p < pixels; ++p) {
        const int64_t od = p / (height.out * width.out), oh = p / width.out % height.out,
                      ow = p % width.out;
        double total = bias[oc];
        for (int64_t ic = 0; ic < icg; ++ic)
          for (int64_t k = 0; k < s.kernelSize(); ++k) {
            const int64_t kw = k % width.kernel, kh = k / width.kernel % height.kernel,
                          kd = k / (width.kernel * height.kernel);
            const int64_t id = depth.inputOf(od, kd), ih = height.inputOf(oh, kh),
                          iw = width.inputOf(ow, kw);
            if (id < 0 || ih < 0 || iw < 0) continue;
            const int64_t channel = oc / ocg * icg + ic;
            const double a =
                x[(((n * s.inChannels + channel) * depth.in + id) * height.in + ih) * width.in +
                  iw];
            const int64_t row = s.isTransposed ? channel * ocg + oc % ocg : oc * icg + ic;
            total += a * w[row * s.kernelSize() + k];
          }
        y[(n * s.outChannels + oc) * pixels + p] = total;
      }
  return y;
}

}  // namespace tessera::lowering
