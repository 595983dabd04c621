#include "backends/native/compiler/recurrent.h"

#include <cmath>

#include "backends/native/compiler/emit_scalar.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::backend_native {

using namespace mlir;

static Value emitAffine(KernelBuilder& b, Value x, double alpha, double beta) {
  return emitAdd(b, emitMul(b, x, b.scalar(x.getType(), alpha)), b.scalar(x.getType(), beta));
}
static Value emitEluUnit(KernelBuilder& b, Value x, double alpha) {
  const Value curve = emitMul(b, b.create<math::ExpM1Op>(x), b.scalar(x.getType(), alpha));
  return b.select(emitCompare(b, Compare::kLess, x, b.scalar(x.getType(), 0)), curve, x);
}
static Value emitHardSigmoidUnit(KernelBuilder& b, Value x, double alpha, double beta) {
  const Value line = emitRelu(b, emitAffine(b, x, alpha, beta)), one = b.scalar(x.getType(), 1);
  return b.select(emitCompare(b, Compare::kLess, one, line), one, line);
}
static Value emitLeakyUnit(KernelBuilder& b, Value x, double alpha) {
  const Value scaled = emitMul(b, x, b.scalar(x.getType(), alpha));
  return b.select(emitCompare(b, Compare::kLess, x, b.scalar(x.getType(), 0)), scaled, x);
}
static Value emitScaledTanh(KernelBuilder& b, Value x, double alpha, double beta) {
  const Value tanh = b.create<math::TanhOp>(emitMul(b, x, b.scalar(x.getType(), beta)));
  return emitMul(b, tanh, b.scalar(x.getType(), alpha));
}
static Value emitThresholdedUnit(KernelBuilder& b, Value x, double alpha) {
  return b.select(emitCompare(b, Compare::kGreater, x, b.scalar(x.getType(), alpha)), x,
                  b.scalar(x.getType(), 0));
}
static Value emitSoftsignUnit(KernelBuilder& b, Value x) {
  return emitDiv(b, x, emitAdd(b, b.scalar(x.getType(), 1), b.create<math::AbsFOp>(x)), false);
}

static Value emitActivation(KernelBuilder& b, const ir::spec::ActivationCall& call, Value x) {
  using ir::spec::Activation;
  switch (call.activation) {
    case Activation::kAffine:
      return emitAffine(b, x, call.alpha, call.beta);
    case Activation::kElu:
      return emitEluUnit(b, x, call.alpha);
    case Activation::kHardSigmoid:
      return emitHardSigmoidUnit(b, x, call.alpha, call.beta);
    case Activation::kLeakyRelu:
      return emitLeakyUnit(b, x, call.alpha);
    case Activation::kRelu:
      return emitRelu(b, x);
    case Activation::kScaledTanh:
      return emitScaledTanh(b, x, call.alpha, call.beta);
    case Activation::kSigmoid:
      return emitSigmoid(b, x);
    case Activation::kSoftplus:
      return emitSoftplus(b, x);
    case Activation::kSoftsign:
      return emitSoftsignUnit(b, x);
    case Activation::kTanh:
      return b.create<math::TanhOp>(x);
    case Activation::kThresholdedRelu:
      return emitThresholdedUnit(b, x, call.alpha);
  }
  return x;
}

Value Direction::activate(KernelBuilder& b, size_t which, Value x) const {
  if (!std::isinf(clip)) {
    const Value high = b.scalar(x.getType(), clip), low = b.scalar(x.getType(), -clip);
    x = b.select(emitCompare(b, Compare::kLess, x, low), low, x);
    x = b.select(emitCompare(b, Compare::kGreater, x, high), high, x);
  }
  return emitActivation(b, activations[which], x);
}

}  // namespace tessera::backend_native
