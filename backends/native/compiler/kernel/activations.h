// Activations of elements, shared by the elementwise operators and the recurrent layers.
#pragma once

#include "compiler/lowering/element.h"

namespace tessera::backend_native {

// Of floats; relu also of signed integers.
lowering::Element relu(const lowering::Element& x);
lowering::Element sigmoid(const lowering::Element& x);
/// log(1 + exp(x)).
lowering::Element softplus(const lowering::Element& x);
/// x / (1 + |x|).
lowering::Element softsign(const lowering::Element& x);
/// min(1, max(0, alpha * x + beta)).
lowering::Element hardSigmoid(const lowering::Element& x, double alpha, double beta);
/// x, times alpha where it is negative.
lowering::Element leakyRelu(const lowering::Element& x, double alpha);
/// x where it is above alpha, else 0.
lowering::Element thresholdedRelu(const lowering::Element& x, double alpha);
/// x where it is not negative, alpha * (exp(x / divisor) - 1) elsewhere, times gamma.
lowering::Element exponentialUnit(const lowering::Element& x, double alpha, double divisor = 1,
                                  double gamma = 1);

}  // namespace tessera::backend_native
