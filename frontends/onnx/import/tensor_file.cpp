#include "frontends/onnx/import/tensor_file.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

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
  for (int64_t dim : named.tensor.shape) proto.add_dims(dim);
  if (named.tensor.type == ElementType::kString) {
    for (const std::string& element : named.tensor.strings) proto.add_string_data(element);
  } else {
    proto.set_raw_data(named.tensor.bytes.data(), named.tensor.bytes.size());
  }
  const std::string temporary = path + ".tmp" + std::to_string(getpid());
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    const std::string bytes = proto.SerializeAsString();
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream.flush()) {
      std::remove(temporary.c_str());
      Error error = invalidInput("cannot write the tensor file");
      error.file = path;
      return error;
    }
  }
  std::error_code failure;
  std::filesystem::rename(temporary, path, failure);
  if (failure) {
    std::remove(temporary.c_str());
    Error error = invalidInput("cannot write the tensor file: " + failure.message());
    error.file = path;
    return error;
  }
  return {};
}

}  // namespace tessera::onnx
