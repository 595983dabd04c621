// What must hold of a decoded program beyond what its types say.
#pragma once

#include "region_graph/graph.h"

namespace tessera::region_graph {

/// Errors (kInvalidInput): the first thing that does not hold.
Status validate(const ProgramT& program);

/// The part of it about one operator: its attributes have lists of fitting lengths and sensible
/// numbers for the tensors that it names, which are in range.
Status validateAttributes(const GraphT& graph, const OperatorT& op);

}  // namespace tessera::region_graph
