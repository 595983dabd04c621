#include "compiler/ir/spec/composite.h"

namespace tessera::ir::spec {

template <typename AttributeType>
static AttributeType parameter(CompositeOp composite, llvm::StringRef name) {
  const std::optional<mlir::DictionaryAttr> parameters = composite.getParameters();
  return parameters ? parameters->getAs<AttributeType>(name) : AttributeType();
}

std::optional<NormParameters> normParameters(CompositeOp composite) {
  const auto axis = parameter<mlir::IntegerAttr>(composite, "axis");
  const auto epsilon = parameter<mlir::FloatAttr>(composite, "epsilon");
  if (!axis || !epsilon || composite.getInputs().empty()) return std::nullopt;
  const auto type = llvm::cast<mlir::RankedTensorType>(composite.getInputs().front().getType());
  if (!isAxis(axis.getInt(), type.getRank())) return std::nullopt;
  return NormParameters{.axis = normalizedAxis(axis.getInt(), type.getRank()),
                        .epsilon = epsilon.getValueAsDouble()};
}

std::optional<GeluApproximation> geluApproximation(CompositeOp composite) {
  const auto word = parameter<mlir::StringAttr>(composite, "approximate");
  if (!word) return std::nullopt;
  return symbolizeEnum<GeluApproximation>(word.getValue());
}

}  // namespace tessera::ir::spec
