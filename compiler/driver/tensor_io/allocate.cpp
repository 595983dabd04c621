#include <cstdlib>
#include <cstring>

#include "tessera/tensor_io.h"

namespace tessera {

Result<WritableTensor> allocateTensor(std::string name, ElementType type,
                                      std::vector<int64_t> shape) {
  constexpr size_t kAlignment = 64;
  size_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<size_t>(size), &count))
      return invalidInput("tensor '" + name + "' has a size that cannot be allocated");
  }
  size_t sizeBytes = 0;
  if (__builtin_mul_overflow(count, elementSizeBytes(type), &sizeBytes) ||
      sizeBytes > (size_t{1} << 46))
    return invalidInput("tensor '" + name + "' has a size that cannot be allocated");
  void* data = std::aligned_alloc(kAlignment, (sizeBytes / kAlignment + 1) * kAlignment);
  if (data == nullptr)
    return invalidInput("no memory for " + std::to_string(sizeBytes) + " bytes of tensor '" + name +
                        "'");
  std::memset(data, 0, sizeBytes);
  auto* bytes = static_cast<std::byte*>(data);
  HostTensor tensor{.name = std::move(name),
                    .type = type,
                    .shape = std::move(shape),
                    .bytes = {bytes, sizeBytes},
                    .owner = std::shared_ptr<const void>(
                        data, [](const void* p) { std::free(const_cast<void*>(p)); })};
  return WritableTensor{.tensor = std::move(tensor), .data = bytes};
}

}  // namespace tessera
