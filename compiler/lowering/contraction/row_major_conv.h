// Convolutions of row-major images to row-major images, for few result channels: a block of
// channels would be padding for the most part. So would be groups of transposed ones in bands.
#pragma once

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// Whether ConvKind::kRowMajor computes it: short windows, and along rows steps of one or short
/// ones of a transposed convolution.
bool canBeRowMajor(const ConvShape& shape);

/// What computes a convolution to blocks of channels.
struct BlockedChoice {
  ConvKind kind = ConvKind::kBlocked;
  bool isWinograd = false;
  bool packsWeights = false;  ///< In each run: they are not known before.
};

/// Whether it pays. `comesBlocked`: the input lies in blocks of channels and has to be converted.
bool isForRowMajor(const ConvShape& shape, const BlockedChoice& blocked, bool comesBlocked,
                   int64_t lanes);

}  // namespace tessera::lowering
