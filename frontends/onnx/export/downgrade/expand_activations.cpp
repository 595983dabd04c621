// Activations by their definitions.
#include <cmath>
#include <numbers>

#include "compiler/ir/tsr.h"
#include "frontends/onnx/export/downgrade/rules.h"

using namespace mlir;

namespace tessera::onnx {

Result<bool> expandGelu(Expansion& e) {
  // x / 2 * (1 + erf(x / sqrt(2))), or x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
  const Value x = e.operand(0);
  const Type element = e.type().getElementType();
  const auto times = [&](Value a, double factor) {
    return e.make<ir::MulOp>({a, e.scalar(element, factor)});
  };
  Value gate;
  if (llvm::cast<ir::GeluOp>(e.op).getApproximate() == ir::GeluApproximation::Tanh) {
    const Value cube = e.make<ir::MulOp>({e.make<ir::MulOp>({x, x}), x});
    const Value polynomial = e.make<ir::AddOp>({x, times(cube, 0.044715)});
    gate = e.make<ir::TanhOp>(times(polynomial, std::sqrt(2 * std::numbers::inv_pi)));
  } else {
    gate = e.make<ir::ErfOp>(times(x, 1 / std::numbers::sqrt2));
  }
  const Value shifted = e.make<ir::AddOp>({gate, e.scalar(element, 1)});
  return e.replaceWith(e.make<ir::MulOp>({times(x, 0.5), shifted}));
}

Result<bool> expandHardSwish(Expansion& e) {
  const Value x = e.operand(0);
  const auto sixth = FloatAttr::get(Float32Type::get(e.op->getContext()), 1.0 / 6);
  const auto half = FloatAttr::get(Float32Type::get(e.op->getContext()), 0.5);
  const Value gate = e.make<ir::HardSigmoidOp>(
      x, {e.attribute("alpha", Attribute(sixth)), e.attribute("beta", Attribute(half))});
  return e.replaceWith(e.make<ir::MulOp>({x, gate}));
}

Result<bool> expandMish(Expansion& e) {
  const Value x = e.operand(0);
  const Value gate = e.make<ir::TanhOp>(e.make<ir::SoftplusOp>(x));
  return e.replaceWith(e.make<ir::MulOp>({x, gate}));
}

Result<bool> expandIntegerRelu(Expansion& e) {
  const Type element = e.type().getElementType();
  if (llvm::isa<FloatType>(element)) return false;
  return e.replaceWith(e.make<ir::MaxOp>({e.operand(0), e.scalar(element, 0)}));
}

}  // namespace tessera::onnx
