// Ranges of work on the threads of the process.
#pragma once

#include <cstdint>

namespace tessera::runtime {

using ParallelBody = void (*)(void* context, int64_t begin, int64_t end);

/// Says how long idle threads of libgomp, which kernel libraries bring, spin, if it is not loaded
/// yet. Called before anything that may load it, once in a process.
void limitSpinning();

/// Calls body on disjoint ranges that cover [0, n), on at most `numThreads` threads, of which the
/// caller is one, and waits for all. There are at most four ranges for each of numThreads, in any
/// order, and a thread has one after the other. Inline for n == 1, for one thread, and when a body
/// calls it.
void parallelFor(int64_t n, int32_t numThreads, ParallelBody body, void* context);

/// How many threads a parallelFor uses at once, given `numThreads`: no more than the process has
/// cores.
int32_t threadsAtOnce(int32_t numThreads);

/// For memory of threads: 1 to threadsAtOnce, another one for each thread, in the body of a
/// parallelFor that is not inline; else 0.
int32_t slotOfThread();

/// Cores that this process may use; at least 1.
int32_t availableCores();

}  // namespace tessera::runtime
