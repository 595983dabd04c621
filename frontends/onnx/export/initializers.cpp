#include "frontends/onnx/export/initializers.h"

#include "base/content_hash.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::onnx {

void WeightList::add(const std::string& hash, const ir::Blob& blob) {
  if (hashes_.insert(hash).second) weights_.push_back({.hash = hash, .blob = blob});
}

static void setExternal(TensorProto& proto, const std::string& key, const std::string& value) {
  StringStringEntryProto& entry = *proto.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

Status writeTensor(TensorProto& proto, mlir::Attribute value, mlir::RankedTensorType type,
                   WeightList& weights) {
  proto.set_data_type(static_cast<int32_t>(ir::toElementType(type.getElementType())));
  for (const int64_t dim : type.getShape()) proto.add_dims(dim);
  const auto named = llvm::dyn_cast<ir::BlobAttr>(value);
  const ir::Blob blob = ir::constantBytes(value, type, value.getContext());
  if (static_cast<int64_t>(blob.bytes.size()) != ir::physicalSizeBytes(type))
    return invalidInput("a constant has no bytes in the module, or another number than its type");
  if (blob.bytes.size() <= ir::kInlineConstantBytes) {
    proto.set_raw_data(blob.bytes.data(), blob.bytes.size());
    return {};
  }
  const std::string hash = named ? named.getHash().str() : base::contentHash(blob.bytes);
  proto.set_data_location(TensorProto::EXTERNAL);
  setExternal(proto, "location", hash);
  setExternal(proto, "length", std::to_string(blob.bytes.size()));
  weights.add(hash, blob);
  return {};
}

}  // namespace tessera::onnx
