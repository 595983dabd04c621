// MLIR attributes as ONNX attributes, the way back of import/to_mlir/attributes_to_mlir.h.
#pragma once

#include <string_view>

#include "frontends/onnx/export/initializers.h"
#include "mlir/IR/Attributes.h"

namespace tessera::onnx {

class AttributeProto;

/// Fills `proto`. Lists without entries become lists of floats, which is what says least. Errors: a
/// kind that ONNX has not.
Status writeAttribute(AttributeProto& proto, std::string_view name, mlir::Attribute value,
                      WeightList& weights);

}  // namespace tessera::onnx
