// Resize: which dimensions, how large they become, and which input position an output position
// shows. Formulas are those of ONNX Resize-19. They are written over `Real`: `float` where numbers
// are known, or a wrapper around f32 values of code that is built, with the operators of `float`
// and, in its own namespace, the functions that numbers have here. Sizes and coordinates are f32,
// as in ONNX Runtime: which position is nearest depends on their rounding.
#pragma once

#include <algorithm>
#include <cmath>

#include "compiler/ir/tsr.h"

namespace tessera::ir::spec {

/// Whether an optional list operand has elements: ONNX takes an empty tensor as absent.
bool isGiven(mlir::Value operand);

/// The resized dimensions, in the order of roi, scales and sizes.
llvm::SmallVector<int64_t> resizedDims(ResizeOp op);

inline float select(bool condition, float a, float b) { return condition ? a : b; }
inline float smaller(float a, float b) { return std::min(a, b); }
inline float larger(float a, float b) { return std::max(a, b); }
inline double select(bool condition, double a, double b) { return condition ? a : b; }
inline double smaller(double a, double b) { return std::min(a, b); }
inline double larger(double a, double b) { return std::max(a, b); }
/// `number` as a real of the kind of `like`.
inline float literal(float /*like*/, double number) { return static_cast<float>(number); }
inline double literal(double /*like*/, double number) { return number; }
/// f32 as f64, where sums of two of them are nearly exact, and back.
inline double widened(float x) { return x; }
inline float narrowed(double x) { return static_cast<float>(x); }

/// The one scale of all dimensions that keeps the aspect ratio, from the scales that give each the
/// size asked for. There is at least one, and `policy` is not Stretch.
template <typename Real>
Real commonScale(AspectRatioPolicy policy, llvm::ArrayRef<Real> scales) {
  Real common = scales.front();
  for (const Real& scale : scales.drop_front())
    common =
        policy == AspectRatioPolicy::NotLarger ? smaller(common, scale) : larger(common, scale);
  return common;
}

/// One resized dimension.
template <typename Real, typename Condition>
struct ResizedDim {
  Real input, lastInput;  ///< The input's size, and that less one.
  Real output;            ///< The output's size.
  Condition isSingle;     ///< Whether the output's size is 1.
  Real scale;             ///< Output over input.
  Real extent;            ///< The output's size before rounding.
  Real roiBegin, roiEnd;  ///< The region of interest; read for CropAndResize only.
};

/// HalfPixelSymmetric: half_pixel, moved so that the centers of input and output meet. The sum is
/// rounded to f32 only at its end.
template <typename Real, typename Condition>
Real symmetricCoordinate(const ResizedDim<Real, Condition>& dim, const Real& x) {
  const Real adjustment = dim.output / dim.extent;
  const Real center = dim.input * literal(x, 0.5);
  const Real offset = center * (literal(x, 1) - adjustment);
  const auto wide = widened(x);
  const auto half = literal(wide, 0.5);
  return narrowed(widened(offset) + (wide + half) / widened(dim.scale) - half);
}

/// The input position that output position `x` shows.
template <typename Real, typename Condition>
Real inputCoordinate(CoordinateTransformation mode, const ResizedDim<Real, Condition>& dim,
                     const Real& x) {
  const Real zero = literal(x, 0), half = literal(x, 0.5), one = literal(x, 1);
  switch (mode) {
    case CoordinateTransformation::Asymmetric:
      return x / dim.scale;
    case CoordinateTransformation::HalfPixelSymmetric:
      return symmetricCoordinate(dim, x);
    case CoordinateTransformation::HalfPixelForNearest:
      return (x + half) / dim.scale;
    case CoordinateTransformation::HalfPixel:
      return (x + half) / dim.scale - half;
    case CoordinateTransformation::PytorchHalfPixel:
      return select(dim.isSingle, zero, (x + half) / dim.scale - half);
    case CoordinateTransformation::AlignCorners:
      return select(dim.isSingle, zero, x * dim.lastInput / (dim.extent - one));
    case CoordinateTransformation::CropAndResize: {
      const Real span = dim.roiEnd - dim.roiBegin;
      const Real inside = x * span * dim.lastInput / (dim.extent - one);
      const Real center = (dim.roiBegin + dim.roiEnd) * half;
      return select(dim.isSingle, center * dim.lastInput, dim.roiBegin * dim.lastInput + inside);
    }
  }
  return x;
}

/// The coordinate `x`, 0 where it is NaN, moved near the input where it is far outside: only edge
/// elements are seen from there. `last` is the last position of the input.
template <typename Real>
Real nearInput(const Real& x, const Real& last) {
  const Real margin = literal(x, 8), zero = literal(x, 0);
  const Real number = select(x == x, x, zero);
  return smaller(larger(number, zero - margin), last + margin);
}

/// The position nearest to the coordinate `x`.
template <typename Real>
Real roundNearest(NearestMode mode, const Real& x) {
  using std::ceil, std::floor;
  const Real half = literal(x, 0.5);
  switch (mode) {
    case NearestMode::Floor:
      return floor(x);
    case NearestMode::Ceil:
      return ceil(x);
    case NearestMode::RoundPreferCeil:
      return floor(x + half);
    case NearestMode::RoundPreferFloor:
      return ceil(x - half);
  }
  return x;
}

/// Weight of a neighbour at a distance `d` >= 0 in units of the filter, which is linear or cubic
/// with the coefficient `a`.
template <typename Real>
Real filterWeight(ResizeMode mode, double a, const Real& d) {
  const Real zero = literal(d, 0), one = literal(d, 1);
  if (mode == ResizeMode::Linear) return larger(one - d, zero);
  const Real near = (d * literal(d, a + 2) - literal(d, a + 3)) * (d * d) + one;  // Up to 1.
  const Real far = ((d * literal(d, a) - literal(d, 5 * a)) * d + literal(d, 8 * a)) * d -
                   literal(d, 4 * a);  // Up to 2.
  return select(d <= one, near, select(d < literal(d, 2), far, zero));
}

}  // namespace tessera::ir::spec
