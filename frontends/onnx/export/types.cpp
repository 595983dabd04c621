#include "frontends/onnx/export/types.h"

#include "compiler/ir/types.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

using namespace mlir;

namespace tessera::onnx {

bool writeType(TypeProto& proto, Type type) {
  const auto tensor = llvm::dyn_cast<TensorType>(type);
  if (!tensor) return false;
  TypeProto::Tensor& result = *proto.mutable_tensor_type();
  result.set_elem_type(static_cast<int32_t>(ir::toElementType(tensor.getElementType())));
  const auto ranked = llvm::dyn_cast<RankedTensorType>(tensor);
  if (!ranked) return true;
  TensorShapeProto& shape = *result.mutable_shape();
  const ir::LayoutAttr layout = ir::layoutOf(ranked);
  for (int64_t i = 0; i < ranked.getRank(); ++i) {
    TensorShapeProto::Dimension& dim = *shape.add_dim();
    if (!ranked.isDynamicDim(i)) {
      dim.set_dim_value(ranked.getDimSize(i));
    } else if (layout && !layout.getDims().empty() && !layout.getDims()[i].empty()) {
      dim.set_dim_param(layout.getDims()[i].str());
    }
  }
  return true;
}

}  // namespace tessera::onnx
