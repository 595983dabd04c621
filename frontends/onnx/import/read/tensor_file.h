// Files that hold one TensorProto, such as the input_0.pb of ONNX test_data_set folders.
#pragma once

#include <string>

#include "frontends/onnx/import/read/tensor.h"

namespace tessera::onnx {

struct NamedTensor {
  std::string name;  ///< May be empty.
  TensorData tensor;
};

/// Reads the file. Errors name it: unreadable, not a TensorProto, data and shape disagree.
Result<NamedTensor> readTensorFile(const std::string& path);

/// Writes `named` as raw data; the file appears complete or not at all.
Status writeTensorFile(const std::string& path, const NamedTensor& named);

}  // namespace tessera::onnx
