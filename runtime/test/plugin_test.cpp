// Runtime halves as shared libraries: where they are found, and what is said of those that do not
// fit.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "artifact/writer.h"
#include "runtime/backend/runtime_half.h"
#include "runtime/test/device_fixture.h"

namespace tessera::runtime::test {
namespace {

namespace fs = std::filesystem;

const std::string kHalves = TESSERA_TEST_HALVES;

class PluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TESSERA_PLUGIN_PATH", ("/no/such/folder:" + kHalves).c_str(), 1);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    unsetenv("TESSERA_PLUGIN_PATH");
    fs::remove_all(folder_);
  }

  /// y = x + 4 by a region for the target.
  static artifact::Bundle bundleFor(const std::string& target) {
    DeviceProgram program;
    const uint32_t x = program.input("x");
    program.call({{target, "add"}}, {x}, program.output("y"));
    program.bundle.memorySpaces.resize(1);
    return program.bundle;
  }
  static void expectRefusal(const artifact::Bundle& bundle, const std::string& message) {
    auto executable = load(bundle);
    ASSERT_FALSE(executable);
    EXPECT_EQ(executable.error().message, "region 'region0': " + message);
  }

  /// A folder of the test, and the place in it of what is called the test device's half.
  const fs::path folder_ = fs::path(::testing::TempDir()) / "tessera_plugins";
  const fs::path stranger_ = folder_ / "libtessera_backend_fakedevice.so";
};

TEST_F(PluginTest, IsLoadedFromThePluginPath) {
  const Executable executable = mustLoad(bundleFor("fakedevice -bias=4"));
  Context context = mustCreate(executable);
  const std::vector<float> x(16, 1);
  const std::vector<int64_t> shape = {16};
  ASSERT_TRUE(context.setInput(0, ElementType::kF32, shape, x.data()));
  ASSERT_TRUE(context.run());
  EXPECT_EQ(valuesOf<float>(*context.output(0))[15], 5);
}

TEST_F(PluginTest, ALibraryThatIsNoneGivesWayToTheNextFolder) {
  std::ofstream(stranger_) << "no library";
  setenv("TESSERA_PLUGIN_PATH", (folder_.string() + ":" + kHalves).c_str(), 1);
  mustLoad(bundleFor("fakedevice"));
  setenv("TESSERA_PLUGIN_PATH", folder_.c_str(), 1);
  auto alone = load(bundleFor("fakedevice"));
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().message.find("cannot load " + stranger_.string()), std::string::npos)
      << alone.error().message;
}

TEST_F(PluginTest, ALibraryThatTheArtifactCannotDoWithGivesWayToTheNextFolder) {
  fs::copy_file(kHalves + "/libtessera_backend_strange.so", stranger_);
  setenv("TESSERA_PLUGIN_PATH", (folder_.string() + ":" + kHalves).c_str(), 1);
  mustLoad(bundleFor("fakedevice"));
  setenv("TESSERA_PLUGIN_PATH", folder_.c_str(), 1);
  expectRefusal(bundleFor("fakedevice"),
                "backend 'fakedevice' in " + stranger_.string() +
                    " has ABI version 99 and needs a runtime of version 99 or "
                    "later, this one has version 1");
}

TEST_F(PluginTest, ALibraryThatIsCutShortIsRefused) {
  fs::copy_file(kHalves + "/libtessera_backend_fakedevice.so", stranger_);
  fs::resize_file(stranger_, 5000);
  setenv("TESSERA_PLUGIN_PATH", folder_.c_str(), 1);
  expectRefusal(bundleFor("fakedevice"), stranger_.string() + " is cut short");
}

TEST_F(PluginTest, IsLoadedFromBesideTheRuntime) {
  unsetenv("TESSERA_PLUGIN_PATH");
  // A name of its own: a library that is loaded is found by its path again, whatever lies there.
  const fs::path folder = folder_ / "beside";
  fs::create_directory(folder);
  fs::copy_file(TESSERA_TEST_RUNTIME, folder / "libtessera_runtime.so");
  fs::copy_file(kHalves + "/libtessera_backend_fakedevice.so",
                folder / "libtessera_backend_fakedevice.so");
  void* runtime = dlopen((folder / "libtessera_runtime.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(runtime, nullptr) << dlerror();
  const auto loadMemory = reinterpret_cast<decltype(&tessera_executable_load_memory)>(
      dlsym(runtime, "tessera_executable_load_memory"));
  const auto destroy = reinterpret_cast<decltype(&tessera_executable_destroy)>(
      dlsym(runtime, "tessera_executable_destroy"));
  auto bytes = artifact::writeMemory(bundleFor("fakedevice"));
  ASSERT_TRUE(bytes);
  tessera_load_options options = {};
  options.struct_size = sizeof(options);
  options.copy_memory = 1;
  tessera_executable* executable = nullptr;
  std::array<char, 256> message = {};
  EXPECT_EQ(loadMemory(bytes->data(), bytes->size(), &options, &executable, message.data(),
                       message.size()),
            TESSERA_OK)
      << message.data();
  destroy(executable);
  fs::remove_all(folder);
  auto missing = load(bundleFor("fakedevice"));  // Nothing of it is beside the one that we link.
  EXPECT_FALSE(missing);
}

TEST_F(PluginTest, ThoseGivenByTheCallerComeFirst) {
  fakedevice::reset();
  const std::array<const tessera_backend_runtime*, 1> ours = {fakedevice::half()};
  auto bytes = artifact::writeMemory(bundleFor("fakedevice"));
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(Executable::loadMemory(*bytes, {.backends = ours, .copyMemory = true}));
  EXPECT_EQ(fakedevice::log().devicesCreated, 1);
}

TEST_F(PluginTest, SpinningIsLimitedBeforeAnyIsLoaded) {
  expectRefusal(bundleFor("probe"), "loaded with GOMP_SPINCOUNT 10000");
}

TEST_F(PluginTest, OneOfAnotherAbiIsRefused) {
  expectRefusal(bundleFor("strange"), "backend 'strange' in " + kHalves +
                                          "/libtessera_backend_strange.so has ABI version 99 and "
                                          "needs a runtime of version 99 or later, this one has "
                                          "version 1");
}

TEST_F(PluginTest, OneThatIsTooOldIsRefused) {
  artifact::Bundle bundle = bundleFor("probe");
  const std::string from = "backend 'probe' in " + kHalves + "/libtessera_backend_probe.so ";
  bundle.backends = {{.kind = "probe", .leastVersion = "1.10", .leastAbi = 1}};
  expectRefusal(bundle, from + "has version 1.2.3, the artifact needs 1.10 or later");
  bundle.backends = {{.kind = "probe", .leastVersion = "1.2.3", .leastAbi = 2}};
  expectRefusal(bundle,
                from +
                    "has ABI version 1, this runtime 1, and the artifact needs version 2 or "
                    "later of both");
}

TEST_F(PluginTest, OneUnderAWrongNameIsRefused) {
  expectRefusal(bundleFor("disguised"),
                "backend 'disguised' in " + kHalves +
                    "/libtessera_backend_disguised.so calls itself 'other'");
}

TEST_F(PluginTest, WhatIsNoHalfIsRefused) {
  expectRefusal(bundleFor("foreign"),
                kHalves +
                    "/libtessera_backend_foreign.so is no backend: it does not export "
                    "tessera_backend_entry");
  expectRefusal(bundleFor("mute"), kHalves +
                                       "/libtessera_backend_mute.so is no backend: its "
                                       "tessera_backend_entry returns nothing");
  auto broken = load(bundleFor("broken"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().message.find("region 'region0': cannot load " + kHalves +
                                        "/libtessera_backend_broken.so: "),
            0u)
      << broken.error().message;
}

TEST(HalfTest, IncompleteOnesAreRefused) {
  const tessera_backend_runtime& whole = *fakedevice::half();
  const auto accepts = [](const tessera_backend_runtime& half) {
    std::unique_ptr<Half> accepted;
    return acceptHalf(half, "fakedevice", nullptr, "here", accepted).ok();
  };
  EXPECT_TRUE(accepts(whole));
  tessera_backend_runtime half = whole;
  half.run = nullptr;
  EXPECT_FALSE(accepts(half));
  half = whole;
  half.copy_out = nullptr;
  EXPECT_FALSE(accepts(half));
  half = whole;
  half.size = offsetof(tessera_backend_runtime, event_query);
  EXPECT_FALSE(accepts(half));
  half.size = offsetof(tessera_backend_runtime, event_create) + 1;
  EXPECT_TRUE(accepts(half));
}

}  // namespace
}  // namespace tessera::runtime::test
