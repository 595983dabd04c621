// Tensors of an ONNX file as plain bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontends/onnx/import/read/load.h"
#include "tessera/element_type.h"
#include "tessera/status.h"

namespace tessera::onnx {

/// A constant tensor: row-major, little-endian, aligned at least to its element size. Never
/// modified.
struct TensorData {
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> shape = {};
  std::span<const std::byte> bytes = {};  ///< elementCount(shape) * elementSizeBytes(type) bytes.
  /// Keeps `bytes` alive; shared by the importer's graph and the module's constant store.
  std::shared_ptr<const void> owner = {};
  std::vector<std::string> strings =
      {};  ///< The elements when `type` is kString; `bytes` is empty then.

  int64_t count() const;
};

/// A tensor with its own copy of `bytes`, 64-byte aligned.
TensorData makeTensor(ElementType type, std::vector<int64_t> shape,
                      std::span<const std::byte> bytes);
TensorData makeI64Tensor(std::vector<int64_t> shape, std::span<const int64_t> values);
/// A scalar (rank 0) of a numeric type with the value nearest to `value`.
TensorData makeScalar(ElementType type, double value);

/// The integers of an i64 or i32 tensor; nothing for other types.
std::optional<std::vector<int64_t>> integerValues(const TensorData& tensor);

/// The ONNX data type as an ElementType. Errors: types Tessera has no tensors of, named.
Result<ElementType> elementTypeFromOnnx(int32_t dataType);

/// Number of elements of a shape. Errors: negative dimensions, rank above 64, more than 2^48
/// elements.
Result<int64_t> checkedElementCount(std::span<const int64_t> shape);

/// The data of a TensorProto in any encoding: raw, typed fields, external. `model` is where it was
/// parsed from. Raw and external data that is aligned to its element size is a view into the mapped
/// file, other data is copied once; data in typed fields is moved out of `proto` where the types
/// agree. Errors: shape, element type or amount of data wrong; external file missing, outside the
/// model's folder, or too short.
Result<TensorData> decodeTensor(TensorProto& proto, const SourceBytes& source,
                                ExternalFiles& externalFiles);

/// A sparse tensor made dense (at most 1 GiB).
Result<TensorData> decodeSparseTensor(SparseTensorProto& proto, const SourceBytes& source,
                                      ExternalFiles& externalFiles);

}  // namespace tessera::onnx
