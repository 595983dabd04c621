#include "backends/native/compiler/kernel/recurrent.h"

#include <cmath>

#include "backends/native/compiler/kernel/activations.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera::backend_native {

using namespace mlir;

RecurrentValues recurrentValues(Operation* op) {
  const auto common = [](auto layer) {
    return RecurrentValues{.x = layer.getX(),
                           .w = layer.getW(),
                           .r = layer.getR(),
                           .bias = layer.getB(),
                           .lengths = layer.getSequenceLens(),
                           .initialH = layer.getInitialH(),
                           .initialC = {},
                           .peepholes = {},
                           .y = layer.getY(),
                           .lastH = layer.getYH(),
                           .lastC = {}};
  };
  return llvm::TypeSwitch<Operation*, RecurrentValues>(op)
      .Case([&](ir::LstmOp lstm) {
        RecurrentValues values = common(lstm);
        values.initialC = lstm.getInitialC();
        values.peepholes = lstm.getP();
        values.lastC = lstm.getYC();
        return values;
      })
      .Case<ir::GruOp, ir::RnnOp>([&](auto layer) { return common(layer); });
}

static Element activationOf(const ir::spec::ActivationCall& call, const Element& x) {
  using ir::spec::Activation;
  switch (call.activation) {
    case Activation::kAffine:
      return x * call.alpha + call.beta;
    case Activation::kElu:
      return exponentialUnit(x, call.alpha);
    case Activation::kHardSigmoid:
      return hardSigmoid(x, call.alpha, call.beta);
    case Activation::kLeakyRelu:
      return leakyRelu(x, call.alpha);
    case Activation::kRelu:
      return relu(x);
    case Activation::kScaledTanh:
      return tanh(x * call.beta) * call.alpha;
    case Activation::kSigmoid:
      return sigmoid(x);
    case Activation::kSoftplus:
      return softplus(x);
    case Activation::kSoftsign:
      return softsign(x);
    case Activation::kTanh:
      return tanh(x);
    case Activation::kThresholdedRelu:
      return thresholdedRelu(x, call.alpha);
  }
  return x;
}

Element Direction::activate(size_t which, const Element& argument) const {
  Element x = argument;
  if (!std::isinf(clip)) {
    x = select(x < -clip, -clip, x);
    x = select(x > clip, clip, x);
  }
  return activationOf(activations[which], x);
}

}  // namespace tessera::backend_native
