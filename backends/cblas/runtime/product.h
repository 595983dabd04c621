// One matrix product of a region graph.
#pragma once

#include <array>
#include <vector>

#include "backends/cblas/runtime/library.h"
#include "region_graph/graph.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_cblas {

/// y = alpha * a' * b' + beta * c for each of a batch of matrices.
struct Product {
  bool isDouble = false;
  bool transposesA = false, transposesB = false;
  int m = 0, n = 0, k = 0;
  double alpha = 1, beta = 0;
  bool hasC = false;
  std::array<int64_t, 2> strideC = {};      ///< In elements; 0 where c is repeated.
  std::vector<int64_t> offsetsA, offsetsB;  ///< In elements, of each matrix of the batch.

  /// The product `op`, or with a bias (the index of a tensor) the sum of both. Errors
  /// (kInvalidInput): shapes that do not multiply.
  static Result<Product> of(const region_graph::GraphT& graph, const region_graph::OperatorT& op,
                            int32_t bias = region_graph::kAbsent);
};

/// Runs it with the threads of the calling context. Pointers are to the first element.
void run(const Product& product, const Library& library, const tessera_host_services& host,
         const void* a, const void* b, const void* c, void* y);

}  // namespace tessera::backend_cblas
