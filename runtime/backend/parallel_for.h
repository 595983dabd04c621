// The one thread pool of the process: libgomp, loaded when first needed.
#pragma once

#include <cstdint>

namespace tessera::runtime {

using ParallelBody = void (*)(void* context, int64_t begin, int64_t end);

/// Says how long idle threads spin, to a libgomp that is not loaded yet. Called before anything
/// that may load one, once in a process.
void limitSpinning();

/// Calls body on at most `numThreads` disjoint, ordered ranges that cover [0, n), one per thread,
/// and waits for all. Inline for n == 1 or one thread, and when the machine has no libgomp.
void parallelFor(int64_t n, int32_t numThreads, ParallelBody body, void* context);

/// Number of the calling thread among those of the parallelFor whose body it runs, below
/// numThreads; 0 outside of bodies.
int32_t threadOfParallelFor();

/// Cores that this process may use; at least 1.
int32_t availableCores();

}  // namespace tessera::runtime
