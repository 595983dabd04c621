// Products of few rows and a matrix of open sizes, which is read once, at the speed of memory. Not
// for other folders.
#pragma once

#include "compiler/lowering/contraction/open/open_product.h"

namespace tessera::lowering {

/// Rows of A that are fewer than what tiles of the micro-kernel are for.
inline constexpr int64_t kMostFewRows = 3;

/// Whether emitFewRows computes a product if it has so few rows.
bool canBeFewRows(const OpenProduct& product);

/// The same as emitOpenProduct of at most kMostFewRows rows; `output` is flat.
void emitFewRows(IndexBuilder& b, const OpenProduct& product, mlir::Value output,
                 const CpuTarget& cpu, const Epilogue& epilogue);

}  // namespace tessera::lowering
