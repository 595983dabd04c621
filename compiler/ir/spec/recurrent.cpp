#include "compiler/ir/spec/recurrent.h"

namespace tessera::ir::spec {

int64_t numDirections(RecurrentOpInterface op) {
  return op.getDirection() == RecurrentDirection::Bidirectional ? 2 : 1;
}

static Result<llvm::SmallVector<Activation>> namedActivations(RecurrentOpInterface op) {
  const llvm::ArrayRef<Activation> defaults = op.getDefaultActivations();
  const auto expected = defaults.size() * static_cast<size_t>(numDirections(op));
  llvm::SmallVector<Activation> result;
  if (!op.getActivations()) {
    while (result.size() < expected) result.append(defaults.begin(), defaults.end());
    return result;
  }
  for (const auto name : op.getActivations()->getAsRange<mlir::StringAttr>()) {
    const std::optional<Activation> known = activationOf(name.getValue());
    if (!known) return invalidInput("activation '" + name.str() + "' is not known");
    result.push_back(*known);
  }
  if (result.size() == expected) return result;
  return invalidInput("there are " + std::to_string(result.size()) + " activations, expected " +
                      std::to_string(expected));
}

static llvm::SmallVector<double> numbersOf(std::optional<mlir::ArrayAttr> list) {
  llvm::SmallVector<double> numbers;
  if (!list) return numbers;
  for (const auto number : list->getAsRange<mlir::FloatAttr>())
    numbers.push_back(number.getValueAsDouble());
  return numbers;
}

Result<RecurrentAttributes> recurrentAttributes(RecurrentOpInterface op) {
  TESSERA_TRY(const llvm::SmallVector<Activation> activations, namedActivations(op));
  RecurrentAttributes result{.numDirections = numDirections(op),
                             .isReversed = op.getDirection() == RecurrentDirection::Reverse,
                             .isBatchFirst = op.getLayout() != 0,
                             .activations = {}};
  if (const auto clip = op.getClip()) result.clip = clip->convertToDouble();
  // The lists hold numbers only for the activations that take them, in order.
  const llvm::SmallVector<double> alphas = numbersOf(op.getActivationAlpha()),
                                  betas = numbersOf(op.getActivationBeta());
  size_t nextAlpha = 0, nextBeta = 0;
  for (const Activation activation : activations) {
    const ActivationInfo& info = activationInfo(activation);
    ActivationCall call{.activation = activation, .alpha = info.alpha, .beta = info.beta};
    if (info.takesAlpha && nextAlpha < alphas.size()) call.alpha = alphas[nextAlpha++];
    if (info.takesBeta && nextBeta < betas.size()) call.beta = betas[nextBeta++];
    result.activations.push_back(call);
  }
  return result;
}

}  // namespace tessera::ir::spec
