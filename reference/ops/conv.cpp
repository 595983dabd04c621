// conv and conv_transpose with any number of spatial dimensions.
//
// Both are products of the weights, as a matrix [output channels, input channels * taps], with the
// matrix of input elements that each output position sees through each tap; SourceTable knows
// which. Sums are double.
#include "reference/loops/dispatch.h"
#include "reference/loops/matrix_product.h"
#include "reference/loops/strided.h"
#include "reference/loops/window.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// Sizes of one convolution; channels are per group.
struct ConvSizes {
  int64_t batch;
  int64_t groups;
  int64_t inChannels;
  int64_t outChannels;
  int64_t inPositions;
  int64_t outPositions;
};

/// Checks ranks, kernel_shape, groups and bias; `inDim` is the dimension of the weights that counts
/// the input channels, `outDim` the other one.
static Result<int64_t> parseGroups(const OpCall& call, const TensorView& x, const TensorView& w) {
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return opError(call, "input " + toText(x.shape) + " and weights " + toText(w.shape) +
                             " must have the same rank of at least 3");
  }
  TESSERA_TRY(const int64_t groups, attributeOr<int64_t>(call, "group", 1));
  TESSERA_TRY(const Shape kernel,
              attributeOr<Shape>(call, "kernel_shape", toShape(w.shape.subspan(2))));
  if (!sameShape(kernel, w.shape.subspan(2))) {
    return opError(call,
                   "kernel_shape " + toText(kernel) + " is not that of weights " + toText(w.shape));
  }
  if (groups <= 0 || x.shape[1] % groups != 0 || w.shape[0] % groups != 0) {
    return opError(call, "input " + toText(x.shape) + " and weights " + toText(w.shape) +
                             " do not split into " + std::to_string(groups) + " groups");
  }
  return groups;
}

/// packs panel[(c * taps + t)][j] = what output position column + j sees in channel c through tap
/// t.
template <typename T>
static void packSources(const SourceTable& table, const Shape& output, const T* in,
                        const ConvSizes& sizes, int64_t column, int64_t width, double* panel) {
  std::vector<Shape> positions(static_cast<size_t>(width), Shape(output.size()));
  for (int64_t j = 0; j < width; ++j) {
    int64_t rest = column + j;
    for (size_t d = output.size(); d-- > 0; rest /= output[d]) positions[j][d] = rest % output[d];
  }
  const auto taps = static_cast<int64_t>(table.taps().size());
  int64_t offsets[kStripColumns];
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t j = 0; j < width; ++j) offsets[j] = table.offset(positions[j], table.taps()[t]);
    for (int64_t c = 0; c < sizes.inChannels; ++c) {
      const T* channel = in + c * sizes.inPositions;
      double* row = panel + (c * taps + t) * kStripColumns;
      for (int64_t j = 0; j < width; ++j)
        row[j] = offsets[j] < 0 ? 0.0 : static_cast<double>(channel[offsets[j]]);
    }
  }
}

/// weights: [groups, outChannels, inChannels, taps]; the bias is input 2 of the call.
template <typename T>
static OpResult convolve(const OpCall& call, const TensorView& x, const T* weights,
                         const SourceTable& table, const Window& window, const ConvSizes& sizes) {
  const int64_t outChannels = sizes.groups * sizes.outChannels;
  const T* bias = nullptr;
  if (hasInput(call, 2)) {
    TESSERA_TRY(const TensorView b, typedInput(call, 2, x.type));
    if (b.rank() != 1 || b.shape[0] != outChannels) {
      return opError(call, "bias has shape " + toText(b.shape) + ", expected " +
                               std::to_string(outChannels) + " values");
    }
    bias = b.as<T>().data();
  }
  Shape shape = {sizes.batch, outChannels};
  shape.insert(shape.end(), window.output.begin(), window.output.end());
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, std::move(shape)));
  if (y.count() == 0) return outputs(std::move(y));
  const T* in = x.as<T>().data();
  T* out = y.as<T>().data();
  const int64_t depth = sizes.inChannels * static_cast<int64_t>(table.taps().size());
  multiplyBatches<double>(
      sizes.batch * sizes.groups, sizes.outChannels, depth, sizes.outPositions,
      [&](int64_t i) {
        return LeftOperand<T>{weights + i % sizes.groups * sizes.outChannels * depth, depth, 1};
      },
      [&](int64_t i, int64_t column, int64_t width, double* panel) {
        packSources(table, window.output, in + i * sizes.inChannels * sizes.inPositions, sizes,
                    column, width, panel);
      },
      [&](int64_t i, int64_t row, int64_t column, int64_t width, const double* sums) {
        const double start =
            bias ? static_cast<double>(bias[i % sizes.groups * sizes.outChannels + row]) : 0.0;
        T* line = out + (i * sizes.outChannels + row) * sizes.outPositions + column;
        for (int64_t j = 0; j < width; ++j) line[j] = static_cast<T>(start + sums[j]);
      });
  return outputs(std::move(y));
}

/// x: [N, C, spatial...], weights: [M, C / group, kernel...].
OpResult conv(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView w, typedInput(call, 1, x.type));
  TESSERA_TRY(const int64_t groups, parseGroups(call, x, w));
  if (w.shape[1] * groups != x.shape[1]) {
    return opError(call, "input " + toText(x.shape) + " and weights " + toText(w.shape) + " in " +
                             std::to_string(groups) + " groups differ in channels");
  }
  TESSERA_TRY(const Window window,
              parseWindow(call, x.shape.subspan(2), toShape(w.shape.subspan(2)), false));
  TESSERA_TRY(const SourceTable table, SourceTable::forWindow(call, window));
  const ConvSizes sizes = {.batch = x.shape[0],
                           .groups = groups,
                           .inChannels = w.shape[1],
                           .outChannels = w.shape[0] / groups,
                           .inPositions = elementCount(window.input),
                           .outPositions = elementCount(window.output)};
  return dispatch(call, x.type, FloatTypes{}, [&]<typename T>() -> OpResult {
    return convolve(call, x, w.as<T>().data(), table, window, sizes);
  });
}

/// x: [N, C, spatial...], weights: [C, M / group, kernel...].
OpResult convTranspose(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(const TensorView w, typedInput(call, 1, x.type));
  TESSERA_TRY(const int64_t groups, parseGroups(call, x, w));
  if (w.shape[0] != x.shape[1]) {
    return opError(call, "input " + toText(x.shape) + " and weights " + toText(w.shape) +
                             " differ in channels");
  }
  TESSERA_TRY(const Window window,
              parseTransposedWindow(call, x.shape.subspan(2), toShape(w.shape.subspan(2))));
  TESSERA_TRY(const SourceTable table, SourceTable::forTransposedWindow(call, window));
  const ConvSizes sizes = {.batch = x.shape[0],
                           .groups = groups,
                           .inChannels = x.shape[1] / groups,
                           .outChannels = w.shape[1],
                           .inPositions = elementCount(window.input),
                           .outPositions = elementCount(window.output)};
  const auto taps = static_cast<int64_t>(table.taps().size());
  return dispatch(call, x.type, FloatTypes{}, [&]<typename T>() -> OpResult {
    std::vector<T> byOutput(static_cast<size_t>(w.count()));
    const int64_t block = sizes.outChannels * taps;
    copyStrided({{groups, sizes.outChannels, sizes.inChannels, taps}}, w.as<T>().data(),
                {sizes.inChannels * block, taps, block, 1}, byOutput.data());
    return convolve<T>(call, x, byOutput.data(), table, window, sizes);
  });
}

}  // namespace tessera::reference::ops
