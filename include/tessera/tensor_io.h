// Tensors in host memory and the files that hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tessera/element_type.h"
#include "tessera/export.h"
#include "tessera/status.h"

namespace tessera {

/// A named, row-major tensor in host memory. Copies share the bytes, which nobody changes.
struct HostTensor {
  std::string name;
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> shape;
  /// Aligned to 64; as many as shape and type say.
  std::span<const std::byte> bytes;
  /// Keeps `bytes` alive; shared by all copies of this tensor.
  std::shared_ptr<const void> owner;
};

/// A tensor with fresh, zeroed memory and a pointer to write it through. Errors: the size overflows
/// or is not available.
struct WritableTensor {
  HostTensor tensor;
  std::byte* data = nullptr;
};
TESSERA_API Result<WritableTensor> allocateTensor(std::string name, ElementType type,
                                                  std::vector<int64_t> shape);

/// Reads a tensor from .npy, .pb (ONNX TensorProto) or .npz (the entry `name`, or the only one).
/// The result carries `name` when it is not empty, else the file's own. Errors name the file.
TESSERA_API Result<HostTensor> readTensorFile(const std::string& path, const std::string& name);
/// All tensors of a .npz, .npy or .pb file.
TESSERA_API Result<std::vector<HostTensor>> readTensorFiles(const std::string& path);

/// Writes all tensors to one .npz; the file appears complete or not at all.
TESSERA_API Status writeNpz(const std::string& path, std::span<const HostTensor> tensors);
/// Writes `<stem>_<i>.pb` for each tensor into `folder`, which is made when it does not exist.
TESSERA_API Status writeTensorProtos(const std::string& folder, const std::string& stem,
                                     std::span<const HostTensor> tensors);

}  // namespace tessera
