// Pools of row-major images whose spatial sizes are known at run time only.
#pragma once

#include "compiler/lowering/contraction/open/open_axis.h"
#include "compiler/lowering/contraction/pool.h"

namespace tessera::lowering {

/// Why emitOpenPool does not compute a pool over `axes`, whose sizes are not looked at: "has long
/// steps over open sizes". Nothing where it does.
std::optional<llvm::StringRef> whyNoOpenPool(llvm::ArrayRef<OpenAxis> axes);

/// Emits output = epilogue(pool of input) at `b`, [N, C, spatial...] of any sizes both, parallel
/// over planes and blocks of positions; the pads of `axes` count, not those of `pool`. To epilogues
/// the result is a matrix whose rows are the channels of all images.
void emitOpenPool(mlir::OpBuilder& b, mlir::Location loc, llvm::ArrayRef<OpenAxis> axes,
                  const Pool& pool, mlir::Value input, mlir::Value output, const CpuTarget& cpu,
                  const Epilogue& epilogue = nullptr);

}  // namespace tessera::lowering
