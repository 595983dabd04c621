// Times that no implementation on this machine can beat.
#pragma once

#include "compiler/partition/owner_index.h"

namespace tessera::placement {

/// Seconds that a placed tile takes at least: of each region what its owner says, else the roofline
/// of its arithmetic and of the bytes that cross its borders, at speeds above any machine's that
/// this compiler makes code for, times its cores. 0 when it has no region.
double lowerBound(mlir::ModuleOp placed, const partition::OwnerIndex& owners);
/// The same of an operator by itself, with what it reads: more than any code takes that keeps the
/// values between operators in registers.
double operatorBound(mlir::Operation* op);
/// The same of bringing a value to another layout or memory space.
double conversionBound(mlir::RankedTensorType type);
/// Whether an owner of a placed tile's regions says itself how long they take at least: then this
/// machine's processors are no limit for it.
bool isTold(mlir::ModuleOp placed, const partition::OwnerIndex& owners);

}  // namespace tessera::placement
