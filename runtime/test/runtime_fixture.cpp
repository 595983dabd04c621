#include "runtime/test/runtime_fixture.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "artifact/test/test_bundles.h"
#include "artifact/writer.h"

namespace tessera::runtime::test {

std::vector<std::byte> kernelCode() {
  std::ifstream file(TESSERA_TEST_KERNELS, std::ios::binary);
  EXPECT_TRUE(file) << TESSERA_TEST_KERNELS;
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

Result<Executable> load(const artifact::Bundle& bundle) {
  TESSERA_TRY(const std::vector<std::byte> bytes, artifact::writeMemory(bundle));
  return Executable::loadMemory(bytes, {.backends = {}, .copyMemory = true});
}

Executable mustLoad(const artifact::Bundle& bundle) {
  auto executable = load(bundle);
  EXPECT_TRUE(executable) << executable.error().message;
  if (!executable) std::exit(1);
  return std::move(*executable);
}

Context mustCreate(const Executable& executable, int32_t numThreads) {
  auto context = Context::create(executable, {.numThreads = numThreads});
  EXPECT_TRUE(context) << context.error().message;
  if (!context) std::exit(1);
  return std::move(*context);
}

artifact::Bundle oneKernel(const std::string& symbol, const std::vector<artifact::Buffer>& inputs,
                           const std::vector<artifact::Buffer>& outputs) {
  artifact::Bundle bundle;
  bundle.codeBlobs = {artifact::Blob::owned(kernelCode())};
  bundle.regions = {artifact::test::kernelRegion(symbol)};
  artifact::CallInstruction call;
  for (const artifact::Buffer& buffer : inputs) {
    const auto index = static_cast<uint32_t>(bundle.buffers.size());
    bundle.inputs.push_back({.name = "x" + std::to_string(bundle.inputs.size()), .buffer = index});
    bundle.buffers.push_back(buffer);
    call.inputs.push_back(index);
  }
  for (const artifact::Buffer& buffer : outputs) {
    const auto index = static_cast<uint32_t>(bundle.buffers.size());
    bundle.outputs.push_back(
        {.name = "y" + std::to_string(bundle.outputs.size()), .buffer = index});
    bundle.buffers.push_back(buffer);
    call.outputs.push_back(index);
  }
  bundle.program = {call};
  return bundle;
}

artifact::Buffer input(std::vector<int64_t> dims, ElementType type) {
  return artifact::test::plainBuffer(std::move(dims), artifact::Storage::kInput, type);
}

artifact::Buffer output(std::vector<int64_t> dims, ElementType type) {
  return artifact::test::plainBuffer(std::move(dims), artifact::Storage::kOutput, type);
}

}  // namespace tessera::runtime::test
