#include "frontends/onnx/import/read/tensor_file.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::onnx {

Result<NamedTensor> readTensorFile(const std::string& path) {
  TESSERA_TRY(const SourceBytes source, mapFile(path));
  TESSERA_TRY(std::unique_ptr<TensorProto> proto, parseTensorMessage(source));
  ExternalFiles externalFiles(std::filesystem::path(path).parent_path().string());
  Result<TensorData> tensor = decodeTensor(*proto, source, externalFiles);
  if (!tensor) {
    tensor.error().file = path;
    return std::move(tensor).error();
  }
  return NamedTensor{.name = proto->name(), .tensor = std::move(*tensor)};
}

Status writeTensorFile(const std::string& path, const NamedTensor& named) {
  TensorProto proto;
  proto.set_name(named.name);
  proto.set_data_type(static_cast<int32_t>(named.tensor.type));
  for (const int64_t dim : named.tensor.shape) proto.add_dims(dim);
  if (named.tensor.type == ElementType::kString) {
    for (const std::string& element : named.tensor.strings) proto.add_string_data(element);
  } else {
    proto.set_raw_data(named.tensor.bytes.data(), named.tensor.bytes.size());
  }
  return base::writeFile(path, proto.SerializeAsString());
}

}  // namespace tessera::onnx
