// Activation functions on one double, shared by elementwise and recurrent operators.
#pragma once

#include <algorithm>
#include <cmath>

namespace tessera::reference::activation {

inline double elu(double x, double alpha) { return x < 0 ? alpha * std::expm1(x) : x; }

inline double hardSigmoid(double x, double alpha, double beta) {
  return std::isnan(x) ? x : std::clamp(alpha * x + beta, 0.0, 1.0);
}

/// Without overflow for large |x|.
inline double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return x < 0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
}

/// log(1 + exp(x)) without overflow.
inline double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

}  // namespace tessera::reference::activation
