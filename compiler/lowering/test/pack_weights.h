// Weights and activations in the order in which the micro-kernels read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/lowering/contraction/conv.h"

namespace tessera::lowering {

/// weights [OC, IC/groups, KH, KW] -> for kBlocked [OC/c][IC/c][KH][KW][c in][c out] per group, for
/// kPlainInput [OC/c][IC][KH][KW][c out], for kDepthwise [C/c][KH][KW][c]; missing channels are 0.
std::vector<float> packConvWeights(std::span<const float> weights, const ConvShape& shape,
                                   ConvKind kind, int64_t lanes);

/// Number of floats packConvWeights returns.
int64_t packedConvWeightsSize(const ConvShape& shape, ConvKind kind, int64_t lanes);

/// [batch, channels, pixels] -> [batch, channels/c, pixels, c]; missing channels are 0.
std::vector<float> blockChannels(std::span<const float> plain, int64_t batch, int64_t channels,
                                 int64_t pixels, int64_t lanes);

/// B [k, n] (or [n, k] when `isTransposed`), all elements times `scale` -> [n/c][k][c]; missing
/// columns are 0.
std::vector<float> packMatmulB(std::span<const float> matrix, int64_t k, int64_t n,
                               bool isTransposed, int64_t lanes, float scale = 1);

/// One value per channel, rounded up to whole blocks with zeros.
std::vector<float> padChannels(std::span<const float> values, int64_t lanes);

}  // namespace tessera::lowering
