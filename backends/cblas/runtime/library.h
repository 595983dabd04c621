// OpenBLAS, loaded by its full path.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tessera/status.h"

namespace tessera::backend_cblas {

/// What is used of the CBLAS interface; row-major, transposition as CBLAS numbers it.
struct Library {
  void (*sgemm)(int order, int transA, int transB, int m, int n, int k, float alpha, const float* a,
                int lda, const float* b, int ldb, float beta, float* c, int ldc) = nullptr;
  void (*dgemm)(int order, int transA, int transB, int m, int n, int k, double alpha,
                const double* a, int lda, const double* b, int ldb, double beta, double* c,
                int ldc) = nullptr;
  /// Of the libgomp that the library uses: it follows the calling thread's number.
  void (*setNumThreads)(int) = nullptr;
  int (*maxThreads)() = nullptr;
};

/// The path that a target's text names (`-library=...`); empty when it names none.
std::string libraryPathOf(const std::string& targetText);

/// Loads the library and keeps it loaded. The core type is chosen from the CPU first, unless
/// OPENBLAS_CORETYPE is set: versions older than the CPU take kernels several times slower.
/// Errors (kTargetFailed): it is not there, or runs threads of its own instead of OpenMP's.
Result<std::unique_ptr<Library>> loadLibrary(const std::string& path);

}  // namespace tessera::backend_cblas
