// Functions in which the library loses NaN or the sign of zero, as loops of our own.
#pragma once

#include <optional>
#include <vector>

#include "region_graph/graph.h"
#include "tessera/backend_runtime.h"

namespace tessera::backend_onednn {

/// y[r][c] = f(a[r][c], b), where b is one of row r's numbers, one for each column or a single one.
struct Loop {
  enum class Function : uint8_t {
    kRelu,
    kClip,         ///< alpha: the least value, beta: the greatest.
    kHardSigmoid,  ///< alpha * a + beta between 0 and 1.
    kLeakyRelu,    ///< alpha * a below 0.
    kNeg,
    kMax,
    kMin,
    kKeepNan,  ///< b, or a where that is NaN.
  };
  Function function;
  float alpha = 0, beta = 0;
  int64_t rows = 0, columns = 0;
  int64_t strideB = 0;                ///< From column to column of b: 0 or 1.
  std::vector<int64_t> offsetB = {};  ///< Of each row; empty: that of a.

  /// With the threads of the call. `y` may be `a` or, where `offsetB` is empty, `b`.
  void run(const tessera_host_services& services, const float* a, const float* b, float* y) const;
};

/// What computes the operator in the library's stead; sizes are left open. Nothing: the library
/// does what is right.
std::optional<Loop> loopOf(const region_graph::OperatorT& op);

}  // namespace tessera::backend_onednn
