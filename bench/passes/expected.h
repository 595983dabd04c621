// Whether what bench_passes measures is right.
#pragma once

#include "bench/in_turn.h"
#include "bench/passes/body.h"

namespace tessera::bench {

/// Whether `ours`, a compilation of `body` that ran on `input`, gave what the reference
/// implementations give, which are slow.
bool isRight(const Body& body, const Floats& input, CompiledModule& ours);

}  // namespace tessera::bench
