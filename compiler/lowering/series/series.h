// Transcendental functions of f32, or vectors of it, as series.
#pragma once

#include "compiler/lowering/element.h"

namespace tessera::lowering {

/// exp(x), to 2e-7 of it. `isBounded`: where that is not finite, or less than the least normal
/// number, it may be the greatest or the least number instead.
Element expSeries(const Element& x, bool isBounded);
/// exp(x) of x that is not above 0, to 2e-7 of it; 0 below half of the least normal number.
Element expUpToOneSeries(const Element& x);
/// exp(x) - 1, to 2e-7 of it; 0 where x is -0.
Element expm1Series(const Element& x);
/// erf(x), to 2e-7, and to 3e-7 of it.
Element erfSeries(const Element& x);

/// The greatest |x| of the three below.
inline constexpr double kGreatestAngle = 1e5;
/// sin(x) and cos(x), to 2e-7 of it, and within [-1, 1].
Element sinSeries(const Element& x);
Element cosSeries(const Element& x);
/// tan(x), to 5e-7 of it.
Element tanSeries(const Element& x);

/// Of any x, to 3e-7 of it.
Element asinSeries(const Element& x);
Element acosSeries(const Element& x);
Element atanSeries(const Element& x);

/// x to the power of y, to 1e-7 of it: of any, as C's pow, and of a positive x and a y that are
/// finite.
Element powSeries(const Element& x, const Element& y);
Element powOfNumbersSeries(const Element& x, const Element& y);

/// Of any x, to 6e-7 of it.
Element sinhSeries(const Element& x);
Element coshSeries(const Element& x);
Element asinhSeries(const Element& x);
Element acoshSeries(const Element& x);
Element atanhSeries(const Element& x);

}  // namespace tessera::lowering
