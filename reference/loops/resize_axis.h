// One axis of a resize: which input elements make up each output element, and with what weights.
#pragma once

#include "reference/arguments.h"

namespace tessera::reference {

enum class ResizeMode { kNearest, kLinear, kCubic };
enum class NearestMode { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };
enum class CoordinateMode {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfCropAndResize,
};

struct ResizeAttributes {
  ResizeMode mode;
  NearestMode nearestMode;
  CoordinateMode coordinateMode;
  double cubicA;
  bool excludeOutside;
  bool antialias;
  double extrapolationValue;
};
Result<ResizeAttributes> parseResize(const OpCall& call);

struct ResizeAxis {
  int64_t input;   ///< Size.
  int64_t output;  ///< Size.
  float scale;     ///< Output size over input size, before rounding.
  float extent;    ///< The output size before rounding.
  float roiBegin;  ///< For tf_crop_and_resize, as fractions of the input.
  float roiEnd;
};

struct ResizeTap {
  int64_t position;
  double weight;
};

/// The taps of output position `o`; empty when tf_crop_and_resize looks outside the input.
std::vector<ResizeTap> resizeTaps(const ResizeAttributes& attributes, const ResizeAxis& axis,
                                  int64_t o);

}  // namespace tessera::reference
