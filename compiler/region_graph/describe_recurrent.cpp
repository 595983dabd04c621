// lstm and gru as libraries have them: the default activations, nothing clipped.
#include "compiler/ir/spec/recurrent.h"
#include "compiler/region_graph/describe_families.h"

using namespace mlir;

namespace tessera::region_graph {

static bool areDefault(const ir::spec::RecurrentAttributes& attributes,
                       ArrayRef<ir::spec::Activation> defaults) {
  for (size_t i = 0; i < attributes.activations.size(); ++i) {
    if (attributes.activations[i].activation != defaults[i % defaults.size()]) return false;
  }
  return std::isinf(attributes.clip);
}

static Direction directionOf(ir::RecurrentDirection direction) {
  switch (direction) {
    case ir::RecurrentDirection::Forward:
      return Direction_Forward;
    case ir::RecurrentDirection::Reverse:
      return Direction_Reverse;
    case ir::RecurrentDirection::Bidirectional:
      return Direction_Both;
  }
  return Direction_Forward;
}

DescribedList describeRecurrent(ir::RecurrentOpInterface op) {
  TESSERA_TRY(const auto attributes, ir::spec::recurrentAttributes(op));
  if (!areDefault(attributes, op.getDefaultActivations()))
    return invalidInput("activations other than the default ones are not described");
  RecurrentT recurrent;
  recurrent.direction = directionOf(op.getDirection());
  recurrent.is_batch_first = attributes.isBatchFirst;
  SmallVector<Value> inputs;
  if (auto lstm = dyn_cast<ir::LstmOp>(op.getOperation())) {
    if (lstm.getInputForget()) return invalidInput("coupled gates are not described");
    inputs = {
        lstm.getX(),        lstm.getW(),        lstm.getR(), lstm.getB(), lstm.getSequenceLens(),
        lstm.getInitialH(), lstm.getInitialC(), lstm.getP()};
  } else if (auto gru = dyn_cast<ir::GruOp>(op.getOperation())) {
    recurrent.is_linear_before_reset = gru.getLinearBeforeReset() != 0;
    inputs = {gru.getX(),       gru.getW(), gru.getR(), gru.getB(), gru.getSequenceLens(),
              gru.getInitialH()};
  } else {
    return invalidInput("this recurrent layer is not described");
  }
  recurrent.hidden_size = typeOf(inputs[2]).getDimSize(2);
  Described described = named(op, inputs);
  described.outputs.clear();
  const auto results = [&](auto layer) { described.outputs = {layer.getY(), layer.getYH()}; };
  if (auto lstm = dyn_cast<ir::LstmOp>(op.getOperation())) {
    results(lstm);
    described.outputs.push_back(lstm.getYC());
  } else {
    results(cast<ir::GruOp>(op.getOperation()));
  }
  return withAttributes(std::move(described), recurrent);
}

}  // namespace tessera::region_graph
