// Bundles for the test device, written by hand.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "runtime/test/fakedevice/fakedevice.h"
#include "runtime/test/runtime_fixture.h"

namespace tessera::runtime::test {

/// Spaces of the bundles: the host's, then those of the two devices.
enum : uint32_t { kHost = 0, kDevice0 = 1, kDevice1 = 2 };

/// Builds programs over [16] f32 tensors, one call at a time.
class DeviceProgram {
 public:
  DeviceProgram();

  /// A buffer of the program; in the arena of its space, at a place of its own, for kArena.
  uint32_t buffer(artifact::Storage storage, uint32_t space);
  uint32_t input(const std::string& name, uint32_t space = kHost);
  uint32_t output(const std::string& name, uint32_t space = kHost);
  uint32_t temporary(uint32_t space) { return buffer(artifact::Storage::kArena, space); }

  artifact::CopyInstruction& copy(uint32_t source, uint32_t destination);
  /// A call of a region with one implementation for each (target, symbol).
  artifact::CallInstruction& call(std::vector<std::pair<std::string, std::string>> implementations,
                                  std::vector<uint32_t> inputs, uint32_t output);

  artifact::Bundle bundle;
};

/// Loads with the test device and tests with 16 values.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { fakedevice::reset(); }

  Result<Executable> load(const artifact::Bundle& bundle) const;
  Executable mustLoad(const artifact::Bundle& bundle) const;
  Status set(Context& context, const std::string& name) const {
    return context.setInput(name, ElementType::kF32, shape_, x_.data());
  }
  /// x + bias, the first few.
  void expectOutput(Context& context, const std::string& name, float factor, float bias) const;

  const std::vector<int64_t> shape_ = {16};
  std::vector<float> x_ = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::array<const tessera_backend_runtime*, 1> backends_ = {fakedevice::half()};
};

}  // namespace tessera::runtime::test
