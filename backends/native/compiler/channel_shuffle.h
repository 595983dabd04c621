// Shuffles of channels: a reshape that splits dimension 1, a transpose of its two parts and a
// reshape that joins them (ShuffleNet, Zhang et al. 2017, section 3.1). They are matched as one
// composite, which gather-shuffles makes a Gather with constant indices: that works on blocks of
// channels, too.
#pragma once

#include "compiler/backend_api/pattern_table.h"

namespace tessera::backend_native {

inline constexpr llvm::StringLiteral kShuffleComposite = "native.channel_shuffle";

/// The number of the input whose channels a composite of that name shuffles; none for others.
std::optional<unsigned> shuffledInput(mlir::Operation* op);

/// The entry of the pattern table.
backend_api::PatternEntry shufflePattern();

}  // namespace tessera::backend_native
