// Convolutions of 3x3 taps by Winograd's minimal filtering (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", CVPR 2016): F(4x4, 3x3), with a quarter of the multiplications.
// In three dimensions those of kx3x3 with any steps of the depth: sums over the planes of a window.
#pragma once

#include "compiler/lowering/contraction/pool.h"

namespace tessera::lowering {

/// Whether emitWinogradConv computes the convolution.
bool canBeWinograd(const ConvShape& shape);

/// Whether it does and is expected to be faster at it than emitConv. Its rounding errors are about
/// twice those of sums in order: 9e-7 instead of 4e-7, root mean square, for 1152 products whose
/// sum has a deviation of 1; of 100000 such results the worst was 1.1e-5 off.
bool isForWinograd(const ConvShape& shape, int64_t lanes);

/// Elements of its weights.
int64_t winogradWeightsSize(const ConvShape& shape, int64_t lanes);

/// Emits target (flat) = those weights from `weights` (flat), which lie as emitConv reads them
/// (kBlocked).
void emitWinogradWeights(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                         mlir::Value weights, mlir::Value target, int64_t lanes);

/// Whether emitWinogradConv takes a pool (as emitPool has it) behind the epilogue: windows of 2x2
/// that do not overlap lie in its squares of 4x4 results.
bool canPoolSquares(const ConvShape& pool);

/// emitConv of kind kBlocked, with weights of emitWinogradWeights. With `pool`, one of
/// canPoolSquares, operands.output holds its results, the epilogue those in front of it.
void emitWinogradConv(mlir::OpBuilder& b, mlir::Location loc, const ConvShape& shape,
                      const ConvOperands& operands, const CpuTarget& cpu, const Epilogue& epilogue,
                      const ContractionTuning& tuning = {}, const Pool* pool = nullptr);

}  // namespace tessera::lowering
