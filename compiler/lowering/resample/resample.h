// Images that are resized, in one pass.
#pragma once

#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::lowering {

/// One axis: result `o` is the sum of weights[o * numTaps + t] times element
/// positions[o * numTaps + t] for all taps t.
struct ResampledAxis {
  int64_t input = 1, output = 1;  ///< Sizes.
  int64_t numTaps = 1;
  llvm::SmallVector<int64_t> positions = {};  ///< Inside of the input.
  llvm::SmallVector<float> weights = {};      ///< Empty where all are 1, of one tap.
};

/// Both axes of a plane.
struct Resampling {
  ResampledAxis rows, columns;
};

/// Whether a vector of neighbouring results in a row is made from no more neighbours than a vector
/// has.
bool isForResampling(const Resampling& resampling, int64_t lanes);

/// Emits output = epilogue(resampled input) of [N, C, H, W] f32 at `b`, parallel over planes and
/// rows, for what isForResampling. To the epilogue planes are rows and positions in them columns.
void emitResampling(mlir::OpBuilder& b, mlir::Location loc, const Resampling& resampling,
                    mlir::Value input, mlir::Value output, const CpuTarget& cpu,
                    const Epilogue& epilogue = nullptr);

}  // namespace tessera::lowering
