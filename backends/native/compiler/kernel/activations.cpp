#include "backends/native/compiler/kernel/activations.h"

namespace tessera::backend_native {

using lowering::Element;

Element relu(const Element& x) {
  // In this form one instruction, which also keeps NaN.
  return select(0 > x, 0, x);
}

Element sigmoid(const Element& x) { return reciprocal(1 + boundedExp(-x)); }

Element softplus(const Element& x) {
  const Element e = exp(-abs(x));
  return relu(x) + log1p(e);
}

Element softsign(const Element& x) { return x / (1 + abs(x)); }

Element hardSigmoid(const Element& x, double alpha, double beta) {
  const Element line = relu(x * alpha + beta);
  return select(1 < line, 1, line);
}

Element leakyRelu(const Element& x, double alpha) {
  const Element scaled = x * alpha;
  return select(x < 0, scaled, x);
}

Element thresholdedRelu(const Element& x, double alpha) { return select(x > alpha, x, 0); }

Element exponentialUnit(const Element& x, double alpha, double divisor, double gamma) {
  const Element scaled = divisor == 1.0 ? x : x * (1.0 / divisor);
  // expm1, because exp(x) - 1 loses all digits near 0.
  const Element curve = expm1(scaled) * alpha;
  const Element y = select(x < 0, curve, x);
  return gamma == 1.0 ? y : y * gamma;
}

}  // namespace tessera::backend_native
