#include "runtime/test/device_fixture.h"

#include <cstdlib>

#include "artifact/test/test_bundles.h"
#include "artifact/writer.h"

namespace tessera::runtime::test {

DeviceProgram::DeviceProgram() {
  bundle.memorySpaces = {{.name = "host"}, {.name = "fakedevice:0"}, {.name = "fakedevice:1"}};
  bundle.codeBlobs = {artifact::Blob::owned(std::vector<std::byte>(4)),
                      artifact::Blob::owned(kernelCode())};
}

uint32_t DeviceProgram::buffer(artifact::Storage storage, uint32_t space) {
  artifact::Buffer made = artifact::test::plainBuffer({16}, storage);
  made.memorySpace = space;
  if (storage == artifact::Storage::kArena) {
    uint64_t& arenaBytes = bundle.memorySpaces[space].arenaBytes;
    made.offset = arenaBytes;
    arenaBytes += 64;
  }
  bundle.buffers.push_back(made);
  return static_cast<uint32_t>(bundle.buffers.size() - 1);
}

uint32_t DeviceProgram::input(const std::string& name, uint32_t space) {
  const uint32_t index = buffer(artifact::Storage::kInput, space);
  bundle.inputs.push_back({.name = name, .buffer = index});
  return index;
}

uint32_t DeviceProgram::output(const std::string& name, uint32_t space) {
  const uint32_t index = buffer(artifact::Storage::kOutput, space);
  bundle.outputs.push_back({.name = name, .buffer = index});
  return index;
}

artifact::CopyInstruction& DeviceProgram::copy(uint32_t source, uint32_t destination) {
  bundle.program.emplace_back(
      artifact::CopyInstruction{.source = source, .destination = destination});
  return std::get<artifact::CopyInstruction>(bundle.program.back());
}

artifact::CallInstruction& DeviceProgram::call(
    std::vector<std::pair<std::string, std::string>> implementations, std::vector<uint32_t> inputs,
    uint32_t output) {
  artifact::Region region{.name = "region" + std::to_string(bundle.regions.size())};
  for (auto& [target, symbol] : implementations) {
    const bool isNative = target.starts_with("native");
    region.implementations.push_back(
        {.target = std::move(target), .symbol = std::move(symbol), .codeBlob = isNative ? 1U : 0U});
  }
  bundle.program.emplace_back(
      artifact::CallInstruction{.region = static_cast<uint32_t>(bundle.regions.size()),
                                .inputs = std::move(inputs),
                                .outputs = {output}});
  bundle.regions.push_back(std::move(region));
  return std::get<artifact::CallInstruction>(bundle.program.back());
}

Result<Executable> DeviceTest::load(const artifact::Bundle& bundle) const {
  TESSERA_TRY(const std::vector<std::byte> bytes, artifact::writeMemory(bundle));
  return Executable::loadMemory(bytes, {.backends = backends_, .copyMemory = true});
}

Executable DeviceTest::mustLoad(const artifact::Bundle& bundle) const {
  auto executable = load(bundle);
  EXPECT_TRUE(executable) << executable.error().message;
  if (!executable) std::exit(1);
  return std::move(*executable);
}

void DeviceTest::expectOutput(Context& context, const std::string& name, float factor,
                              float bias) const {
  auto output = context.output(name);
  ASSERT_TRUE(output) << output.error().message;
  const std::vector<float> values = valuesOf<float>(*output);
  for (size_t i = 0; i < x_.size(); ++i) EXPECT_EQ(values[i], factor * x_[i] + bias) << i;
}

}  // namespace tessera::runtime::test
