#include "artifact/test/test_bundles.h"

#include <cstring>

#include "artifact/validate.h"

namespace tessera::artifact::test {

Buffer plainBuffer(std::vector<int64_t> dims, Storage storage, ElementType elementType) {
  Buffer buffer;
  buffer.elementType = elementType;
  buffer.dims = std::move(dims);
  const std::optional<uint64_t> size = plainSizeBytes(elementType, buffer.dims);
  buffer.sizeBytes = size ? static_cast<int64_t>(*size) : kDynamic;
  buffer.storage = storage;
  return buffer;
}

Buffer arenaBuffer(std::vector<int64_t> dims, uint64_t offset) {
  Buffer buffer = plainBuffer(std::move(dims), Storage::kArena);
  buffer.offset = offset;
  return buffer;
}

Region kernelRegion(const std::string& symbol) {
  Implementation implementation;
  implementation.target = "native";
  implementation.symbol = symbol;
  Region region;
  region.name = symbol;
  region.implementations = {implementation};
  region.nodeNames = {"node_" + symbol};
  region.opKinds = symbol;
  region.flops = 16;
  region.bytes = 192;
  return region;
}

static Bundle emptyBundle(std::span<const std::byte> code) {
  Bundle bundle;
  bundle.producer = "tessera test";
  bundle.modelName = "model";
  bundle.target = "native";
  bundle.codeBlobs = {Blob::owned({code.begin(), code.end()})};
  bundle.metadata = {{.key = "key", .value = "value"}};
  return bundle;
}

Bundle staticBundle(std::span<const std::byte> code) {
  Bundle bundle = emptyBundle(code);
  bundle.inputs = {{.name = "x", .dimNames = {}, .buffer = 0}};
  bundle.outputs = {{.name = "y", .dimNames = {}, .buffer = 3}};
  bundle.buffers = {plainBuffer({2, 8}, Storage::kInput), plainBuffer({2, 8}, Storage::kConstant),
                    arenaBuffer({2, 8}, 0), plainBuffer({2, 8}, Storage::kOutput)};
  std::vector<float> values(16);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  bundle.constants = {
      {.contentHash = "00112233445566778899aabbccddeeff", .data = Blob::owned(std::move(bytes))}};
  bundle.regions = {kernelRegion("add16"), kernelRegion("twice16")};
  bundle.program = {CallInstruction{.region = 0, .inputs = {0, 1}, .outputs = {2}},
                    CallInstruction{.region = 1, .inputs = {2}, .outputs = {3}}};
  bundle.memorySpaces[0] = {.name = "host", .arenaBytes = 64, .lowerBoundBytes = 64};
  return bundle;
}

Bundle dynamicBundle(std::span<const std::byte> code) {
  Bundle bundle = emptyBundle(code);
  bundle.inputs = {{.name = "x", .dimNames = {"batch", ""}, .buffer = 0}};
  bundle.outputs = {{.name = "y", .dimNames = {"batch", ""}, .buffer = 1},
                    {.name = "z", .dimNames = {}, .buffer = 2}};
  bundle.buffers = {plainBuffer({kDynamic, 3}, Storage::kInput),
                    plainBuffer({kDynamic, 3}, Storage::kOutput),
                    plainBuffer({kDynamic}, Storage::kView)};
  bundle.buffers[2].index = 1;
  bundle.regions = {kernelRegion("twice_dynamic")};
  bundle.program = {CallInstruction{.region = 0, .inputs = {0}, .outputs = {1}},
                    ViewInstruction{.view = 2, .dims = {kDynamic}}};
  return bundle;
}

}  // namespace tessera::artifact::test
