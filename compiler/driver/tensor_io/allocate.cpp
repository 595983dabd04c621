#include <cstring>
#include <utility>

#include "base/aligned_memory.h"
#include "tessera/tensor_io.h"

namespace tessera {

Result<WritableTensor> allocateTensor(std::string name, ElementType type,
                                      std::vector<int64_t> shape) {
  size_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<size_t>(size), &count))
      return invalidInput("tensor '" + name + "' has a size that cannot be allocated");
  }
  size_t sizeBytes = 0;
  if (__builtin_mul_overflow(count, elementSizeBytes(type), &sizeBytes) ||
      sizeBytes > (size_t{1} << 46))
    return invalidInput("tensor '" + name + "' has a size that cannot be allocated");
  std::shared_ptr<std::byte> data = base::allocateAligned(sizeBytes);
  if (data == nullptr)
    return invalidInput("no memory for " + std::to_string(sizeBytes) + " bytes of tensor '" + name +
                        "'");
  std::memset(data.get(), 0, sizeBytes);
  std::byte* bytes = data.get();
  HostTensor tensor{.name = std::move(name),
                    .type = type,
                    .shape = std::move(shape),
                    .bytes = {bytes, sizeBytes},
                    .owner = std::move(data)};
  return WritableTensor{.tensor = std::move(tensor), .data = bytes};
}

}  // namespace tessera
