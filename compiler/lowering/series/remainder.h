// Remainders of divisions of f32, or vectors of it.
#pragma once

#include "compiler/lowering/element.h"

namespace tessera::lowering {

/// x - n y with the whole n next to x / y towards 0, exact and with the sign of x, as C's fmod: NaN
/// where y is 0 or x infinite.
Element remainderOf(const Element& x, const Element& y);

}  // namespace tessera::lowering
