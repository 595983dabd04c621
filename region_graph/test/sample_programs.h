// Programs for tests and as seeds of the fuzzer.
#pragma once

#include "region_graph/graph.h"

namespace tessera::region_graph::test {

/// y = relu(conv(x, w) + r), fused, then a pool, a slice and softmax; w is inline.
ProgramT sampleProgram();

}  // namespace tessera::region_graph::test
