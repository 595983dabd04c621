// What the runtime's tests share: the test kernels as a code blob, bundles turned into executables.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "artifact/bundle.h"
#include "tessera/runtime.hpp"

namespace tessera::runtime::test {

/// The bytes of the shared object made from test_kernels.c.
std::vector<std::byte> kernelCode();

/// Writes the bundle to memory and loads a copy of it.
Result<Executable> load(const artifact::Bundle& bundle);

/// The same for bundles and options that must load; reports a test failure otherwise.
Executable mustLoad(const artifact::Bundle& bundle);
Context mustCreate(const Executable& executable, int32_t numThreads = 1);

/// One region `symbol` between inputs and outputs of the given shapes; all buffers are ports "x0",
/// "x1", ... and "y0", ...
artifact::Bundle oneKernel(const std::string& symbol, const std::vector<artifact::Buffer>& inputs,
                           const std::vector<artifact::Buffer>& outputs);

artifact::Buffer input(std::vector<int64_t> dims, ElementType type = ElementType::kF32);
artifact::Buffer output(std::vector<int64_t> dims, ElementType type = ElementType::kF32);

/// Elements of an output.
template <typename T>
std::vector<T> valuesOf(const tessera_dltensor& tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
  const T* data = static_cast<const T*>(tensor.data);
  return {data, data + count};
}
inline std::vector<int64_t> shapeOf(const tessera_dltensor& tensor) {
  return {tensor.shape, tensor.shape + tensor.ndim};
}

}  // namespace tessera::runtime::test
