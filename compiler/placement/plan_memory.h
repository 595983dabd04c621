// How much memory a plan takes while it runs.
#pragma once

#include <cstdint>

#include "compiler/placement/operator_graph.h"
#include "llvm/ADT/ArrayRef.h"

namespace tessera::placement {

/// Bytes of the results of these operators that are needed at once at most, when they run in their
/// order and each result stays until its last reader among them is done, or to the end when
/// somebody else reads it. What an elementwise operator alone reads is computed with it.
uint64_t peakLiveBytes(const OperatorGraph& graph, llvm::ArrayRef<uint32_t> nodes);

/// What a target has to keep somewhere while it runs these operators as one, and told nobody of:
/// `told` is what the runtime gave it, with what leaves the operators. 0 where it told of more than
/// that.
uint64_t hiddenBytes(const OperatorGraph& graph, llvm::ArrayRef<uint32_t> nodes, uint64_t told);

}  // namespace tessera::placement
