// Whether a call fits a graph.
#pragma once

#include <string>

#include "region_graph/graph.h"
#include "tessera/backend_runtime.h"

namespace tessera::region_graph {

/// Why the call's arguments are not those of the graph (number, element types, sizes); empty when
/// they are.
std::string whyUnfit(const GraphT& graph, const tessera_signature& call);

/// The graph of this name; null when there is none.
const GraphT* findGraph(const ProgramT& program, std::string_view name);

}  // namespace tessera::region_graph
