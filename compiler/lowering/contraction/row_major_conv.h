// Convolutions of row-major images to row-major images, for few result channels: a block of
// channels would be padding for the most part.
#pragma once

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// Whether ConvKind::kRowMajor computes it: steps of one along rows, short windows.
bool canBeRowMajor(const ConvShape& shape);

/// Whether it pays. `comesBlocked`: the input lies in blocks of channels and has to be converted;
/// `mayBeWinograd`: Winograd's algorithm may compute the blocked form.
bool isForRowMajor(const ConvShape& shape, bool comesBlocked, bool mayBeWinograd, int64_t lanes);

}  // namespace tessera::lowering
