// Which lanes of a vector count, and where they come from.
#pragma once

#include "mlir/IR/Builders.h"

namespace tessera::lowering {

/// The lanes below `count`, an index value from 0 on, as a vector of `lanes` conditions; a constant
/// where it is one.
mlir::Value lanesBelow(mlir::OpBuilder& b, mlir::Location loc, int64_t lanes, mlir::Value count);
mlir::Value lanesBelow(mlir::OpBuilder& b, mlir::Location loc, int64_t lanes, int64_t count);
/// Known conditions.
mlir::Value constantMask(mlir::OpBuilder& b, mlir::Location loc, llvm::ArrayRef<bool> conditions);

/// The `lanes` elements of `memory` from `place` on. Those that `mask` leaves out are not touched
/// and have the lanes of `filler`, or 0 where it is null; a null mask leaves out none.
mlir::Value loadMasked(mlir::OpBuilder& b, mlir::Location loc, mlir::Value memory,
                       mlir::ValueRange place, int64_t lanes, mlir::Value mask,
                       mlir::Value filler = {});

/// The same of a flat memref, where the first `count` of them are not left out; of index values a
/// null one is all of them.
mlir::Value loadLanes(mlir::OpBuilder& b, mlir::Location loc, mlir::Value memory,
                      mlir::Value offset, int64_t lanes, int64_t count, mlir::Value filler = {});
mlir::Value loadLanes(mlir::OpBuilder& b, mlir::Location loc, mlir::Value memory,
                      mlir::Value offset, int64_t lanes, mlir::Value count,
                      mlir::Value filler = {});

/// The counterpart: stores the first `count` lanes.
void storeLanes(mlir::OpBuilder& b, mlir::Location loc, mlir::Value vector, mlir::Value memory,
                mlir::Value offset, int64_t count);

/// The vector whose lane i is lane from[i] of `vectors`, of 8 or 16 f32 each and numbered through,
/// for CPUs with AVX2 or AVX-512; `from` are i32, known at run time.
mlir::Value shuffleLanes(mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange vectors,
                         mlir::Value from);

/// The elements of `count` sequences in turn, one of each: `vectors` are those of the first
/// sequence, then those of the next.
llvm::SmallVector<mlir::Value> interleave(mlir::OpBuilder& b, mlir::Location loc,
                                          llvm::ArrayRef<mlir::Value> vectors, int64_t count);

}  // namespace tessera::lowering
