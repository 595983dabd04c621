#include "compiler/lowering/test/pack_weights.h"

#include <algorithm>

namespace tessera::lowering {

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

int64_t packedConvWeightsSize(const ConvShape& shape, ConvKind kind, int64_t lanes) {
  const int64_t kernel = shape.kernelSize();
  switch (kind) {
    case ConvKind::kDepthwise:
      return roundUp(shape.outChannels, lanes) * kernel;
    case ConvKind::kPlainInput:
      return roundUp(shape.outChannels, lanes) * shape.inChannels * kernel;
    case ConvKind::kBanded:
    case ConvKind::kShuffled:
    case ConvKind::kBlocked:
    case ConvKind::kRowMajor:
      break;
  }
  return shape.groups * roundUp(shape.outChannels / shape.groups, lanes) *
         roundUp(shape.inChannels / shape.groups, lanes) * kernel;
}

std::vector<float> packConvWeights(std::span<const float> weights, const ConvShape& shape,
                                   ConvKind kind, int64_t lanes) {
  std::vector<float> packed(packedConvWeightsSize(shape, kind, lanes), 0.0f);
  const int64_t kernel = shape.kernelSize();
  const int64_t inPerGroup = shape.inChannels / shape.groups;
  const int64_t outPerGroup = shape.outChannels / shape.groups;
  // Elements of one [c in] slice of a block: the innermost dimensions are (c in,) c out.
  const int64_t inBlocks = roundUp(inPerGroup, lanes) / lanes;
  const int64_t outBlocksPerGroup = roundUp(outPerGroup, lanes) / lanes;
  for (int64_t out = 0; out < shape.outChannels; ++out) {
    const int64_t group = out / outPerGroup;
    const int64_t outBlock = kind == ConvKind::kBlocked
                                 ? group * outBlocksPerGroup + out % outPerGroup / lanes
                                 : out / lanes;
    const int64_t outLane = kind == ConvKind::kBlocked ? out % outPerGroup % lanes : out % lanes;
    for (int64_t in = 0; in < inPerGroup; ++in) {
      for (int64_t k = 0; k < kernel; ++k) {
        int64_t position = 0;
        if (kind == ConvKind::kDepthwise) {
          position = (outBlock * kernel + k) * lanes + outLane;
        } else if (kind == ConvKind::kPlainInput) {
          position = ((outBlock * inPerGroup + in) * kernel + k) * lanes + outLane;
        } else {
          position =
              (((outBlock * inBlocks + in / lanes) * kernel + k) * lanes + in % lanes) * lanes +
              outLane;
        }
        // [OC, IC per group, taps], or of a transposed one [IC, OC per group, taps].
        const int64_t row = shape.isTransposed
                                ? (group * inPerGroup + in) * outPerGroup + out % outPerGroup
                                : out * inPerGroup + in;
        packed[position] = weights[row * kernel + k];
      }
    }
  }
  return packed;
}

std::vector<float> blockChannels(std::span<const float> plain, int64_t batch, int64_t channels,
                                 int64_t pixels, int64_t lanes) {
  const int64_t blocks = roundUp(channels, lanes) / lanes;
  std::vector<float> blocked(batch * blocks * pixels * lanes, 0.0f);
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < pixels; ++p) {
        blocked[((n * blocks + c / lanes) * pixels + p) * lanes + c % lanes] =
            plain[(n * channels + c) * pixels + p];
      }
    }
  }
  return blocked;
}

std::vector<float> packMatmulB(std::span<const float> matrix, int64_t k, int64_t n,
                               bool isTransposed, int64_t lanes, float scale) {
  std::vector<float> packed(roundUp(n, lanes) * k, 0.0f);
  for (int64_t block = 0; block < roundUp(n, lanes) / lanes; ++block) {
    const int64_t width = std::min(lanes, n - block * lanes);
    for (int64_t row = 0; row < k; ++row) {
      float* target = packed.data() + (block * k + row) * lanes;
      for (int64_t lane = 0; lane < width; ++lane) {
        const int64_t column = block * lanes + lane;
        target[lane] = scale * (isTransposed ? matrix[column * k + row] : matrix[row * n + column]);
      }
    }
  }
  return packed;
}

std::vector<float> padChannels(std::span<const float> values, int64_t lanes) {
  std::vector<float> padded(values.begin(), values.end());
  padded.resize(roundUp(static_cast<int64_t>(values.size()), lanes), 0.0f);
  return padded;
}

}  // namespace tessera::lowering
