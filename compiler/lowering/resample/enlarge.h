// Planes that grow by a whole number of times. Not for other folders.
#pragma once

#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/resample/repeated_axis.h"

namespace tessera::lowering {

struct Enlargement {
  RepeatedAxis rows, columns;
};

/// Nothing where rows of the input are no whole vectors, or results do not repeat. `resampling`
/// outlives the result.
std::optional<Enlargement> enlargementOf(const Resampling& resampling, int64_t lanes);

/// emitResampling of flat `input` and `output`.
void emitEnlargement(const IndexBuilder& b, const Resampling& resampling,
                     const Enlargement& enlargement, mlir::Value input, mlir::Value output,
                     int64_t lanes, const Epilogue& epilogue);

}  // namespace tessera::lowering
