#include "backends/native/compiler/kernel/lrn.h"

#include <limits>

namespace tessera::backend_native {

using lowering::Element;

bool isResponseBounded(ir::LrnOp lrn) {
  const double beta = lrn.getBeta().convertToDouble();
  return lrn.getBias().convertToDouble() >= std::numeric_limits<float>::min() &&
         lrn.getAlpha().convertToDouble() >= 0 && 0 <= beta && beta <= 1;
}

/// x to the power of -beta; the usual 0.75 and 0.5 by square roots. `mayEstimate`: x is no denormal
/// number and not below 0, and inverse roots may be estimated, to 4e-7.
static Element inversePower(const Element& x, double beta, bool mayEstimate) {
  if (beta != 0.75 && beta != 0.5) return pow(x, -beta);
  if (!mayEstimate || !mlir::getElementTypeOrSelf(x.type()).isF32()) {
    const Element root = sqrt(x);
    return 1 / (beta == 0.5 ? root : root * sqrt(root));
  }
  const Element inverse = reciprocal(sqrt(x));
  const Element power = beta == 0.5 ? inverse : inverse * (inverse * reciprocal(sqrt(inverse)));
  return select(x == std::numeric_limits<double>::infinity(), 0, power);
}

Element normalizeResponse(ir::LrnOp lrn, const Element& x, const Element& squares, bool isExact) {
  const double alpha =
      lrn.getAlpha().convertToDouble() / static_cast<double>(static_cast<int64_t>(lrn.getSize()));
  const Element sum = squares * alpha + lrn.getBias().convertToDouble();
  return x * inversePower(sum, lrn.getBeta().convertToDouble(), !isExact && isResponseBounded(lrn));
}

ResponseWindow responseWindow(ir::LrnOp lrn) {
  const auto size = static_cast<int64_t>(lrn.getSize());
  return {.before = (size - 1) / 2, .after = size - 1 - (size - 1) / 2};
}

}  // namespace tessera::backend_native
