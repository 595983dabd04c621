// Saved modules and their safetensors files: round trips, equal bytes, damaged files.
#include "compiler/ir/io/module_io.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/io/safetensors.h"
#include "compiler/ir/test/parse_for_test.h"

namespace tessera::ir::test {
namespace {

/// A fresh folder that goes with the test.
class ModuleFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tessera_module_io.XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string read(const std::string& name) const { return *base::readFile(path(name)); }
  void write(const std::string& name, std::string_view text) const {
    ASSERT_TRUE(base::writeFile(path(name), text));
  }

 private:
  std::string folder_;
};

/// A module with two large constants, one of an odd size, and named locations.
mlir::OwningOpRef<mlir::ModuleOp> sampleModule(TestContext& context) {
  auto module = context.parse(R"(func.func @f(%x: tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>) {
  %y = tsr.relu %x : (tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>>) -> tensor<?x3xf32, #tsr.layout<dims = ["n", ""]>> loc("/layer/Relu")
  return
})");
  mlir::OpBuilder builder(context.get());
  builder.setInsertionPointToStart(
      &(*module->getOps<mlir::func::FuncOp>().begin()).getBody().front());
  for (const int64_t count : {301, 500}) {
    auto owner = std::make_shared<std::vector<uint8_t>>(count);
    for (int64_t i = 0; i < count; ++i) (*owner)[i] = static_cast<uint8_t>(i * count);
    const Blob blob{.bytes = std::as_bytes(std::span(*owner)), .owner = owner};
    createConstant(
        builder, mlir::NameLoc::get(builder.getStringAttr("weights")),
        mlir::RankedTensorType::get({count}, builder.getIntegerType(8, /*isSigned=*/false)), blob);
  }
  return module;
}

TEST_F(ModuleFiles, RoundTripAndAreEqualBytes) {
  for (const ModuleFormat format : {ModuleFormat::kText, ModuleFormat::kBytecode}) {
    TestContext context;
    const auto module = sampleModule(context);
    ASSERT_TRUE(saveModule(*module, path("m.mlir"), format));
    TestContext fresh;
    auto loaded = loadModule(*fresh.get(), path("m.mlir"));
    ASSERT_TRUE(loaded) << loaded.error().toString();
    EXPECT_EQ(toText(**loaded), toText(*module));
    ASSERT_TRUE(saveModule(**loaded, path("again.mlir"), format));
    EXPECT_EQ(read("again.mlir"), read("m.mlir"));
    EXPECT_EQ(read("again.safetensors"), read("m.safetensors"));
    for (const std::string& hash : blobHashes(*module)) {
      const Blob before = context.constants().find(hash), after = fresh.constants().find(hash);
      ASSERT_EQ(before.bytes.size(), after.bytes.size());
      EXPECT_EQ(std::memcmp(before.bytes.data(), after.bytes.data(), before.bytes.size()), 0);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(after.bytes.data()) % 64, 0U);
    }
  }
}

TEST_F(ModuleFiles, TextKeepsLocations) {
  TestContext context;
  ASSERT_TRUE(saveModule(*sampleModule(context), path("m.mlir"), ModuleFormat::kText));
  EXPECT_NE(read("m.mlir").find("loc(\"/layer/Relu\")"), std::string::npos);
}

TEST_F(ModuleFiles, WithoutBlobsHaveNoSafetensors) {
  TestContext context;
  const auto module = context.parse("module {}");
  ASSERT_TRUE(saveModule(*module, path("m.mlir"), ModuleFormat::kText));
  EXPECT_FALSE(std::filesystem::exists(path("m.safetensors")));
  EXPECT_TRUE(loadModule(*context.get(), path("m.mlir")));
}

TEST_F(ModuleFiles, MissingConstantsAreAnError) {
  TestContext context;
  ASSERT_TRUE(saveModule(*sampleModule(context), path("m.mlir"), ModuleFormat::kText));
  std::filesystem::remove(path("m.safetensors"));
  TestContext fresh;
  const auto loaded = loadModule(*fresh.get(), path("m.mlir"));
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().toString().find("m.mlir"), std::string::npos)
      << loaded.error().toString();
  EXPECT_NE(loaded.error().message.find("(C2)"), std::string::npos) << loaded.error().toString();
}

TEST_F(ModuleFiles, UnknownBlobIsNotWritten) {
  TestContext context;
  const auto module = context.parse(
      "module attributes {tessera.a = #tsr.blob<\"00000000000000000000000000000000\">} {}");
  ASSERT_TRUE(module);
  const Status saved = saveModule(*module, path("m.mlir"), ModuleFormat::kText);
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find("not in the store"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("m.mlir")));
}

TEST_F(ModuleFiles, BadFilesNameTheFile) {
  TestContext context;
  write("m.mlir", "func.func @f() {");
  for (const char* name : {"m.mlir", "absent.mlir"}) {
    const auto loaded = loadModule(*context.get(), path(name));
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().toString().find(name), std::string::npos) << loaded.error().toString();
  }
}

TEST_F(ModuleFiles, TruncatedAndFlippedBytesAreErrors) {
  TestContext context;
  ASSERT_TRUE(saveModule(*sampleModule(context), path("m.mlirbc"), ModuleFormat::kBytecode));
  const std::string constants = read("m.safetensors");
  for (size_t size = 0; size < constants.size(); size += 7) {
    write("t.safetensors", std::string_view(constants).substr(0, size));
    ConstantStore store;
    EXPECT_FALSE(readSafetensors(path("t.safetensors"), store)) << size;
    EXPECT_EQ(store.sizeBytes(), 0U);
  }
  for (size_t at = 0; at < constants.size(); at += 3) {
    std::string flipped = constants;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x15);
    write("t.safetensors", flipped);
    ConstantStore store;
    // Must not crash; with hashes verified no wrong bytes get in.
    if (readSafetensors(path("t.safetensors"), store, {.verifyHashes = true})) {
      for (const std::string& hash : blobHashes(*sampleModule(context)))
        EXPECT_TRUE(!store.contains(hash) || store.find(hash).bytes.size() >= 301U);
    }
  }
}

struct DamagedCase {
  const char* name;
  const char* header;
  const char* message;
};
class DamagedSafetensors : public ModuleFiles, public testing::WithParamInterface<DamagedCase> {};

TEST_P(DamagedSafetensors, IsRefused) {
  const std::string header = GetParam().header;
  const uint64_t size = header.size();
  const std::string file(reinterpret_cast<const char*>(&size), sizeof(size));
  write("t.safetensors", file + header + std::string(8, 'x'));
  ConstantStore store;
  const Status status = readSafetensors(path("t.safetensors"), store, {.verifyHashes = true});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().toString().find(GetParam().message), std::string::npos)
      << status.error().toString();
}

#define TESSERA_HASH(digit) "0000000000000000000000000000000" digit
INSTANTIATE_TEST_SUITE_P(
    Files, DamagedSafetensors,
    testing::Values(
        DamagedCase{"not_json", "{\"a\":", "no JSON object"},
        DamagedCase{"list", "[1, 2]", "no JSON object"},
        DamagedCase{"entry", "{\"" TESSERA_HASH("1") "\": 5}", "no U8 tensor"},
        DamagedCase{"type",
                    "{\"" TESSERA_HASH(
                        "1") "\": {\"dtype\": \"F32\", \"shape\": [4], \"data_offsets\": [0, 4]}}",
                    "no U8 tensor"},
        DamagedCase{"shape",
                    "{\"" TESSERA_HASH(
                        "1") "\": {\"dtype\": \"U8\", \"shape\": [5], \"data_offsets\": [0, 4]}}",
                    "no U8 tensor"},
        DamagedCase{"outside",
                    "{\"" TESSERA_HASH(
                        "1") "\": {\"dtype\": \"U8\", \"shape\": [9], \"data_offsets\": [0, 9]}}",
                    "no U8 tensor"},
        DamagedCase{"negative",
                    "{\"" TESSERA_HASH(
                        "1") "\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [-4, 0]}}",
                    "no U8 tensor"},
        DamagedCase{
            "overlap",
            "{\"" TESSERA_HASH(
                "1") "\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [0, 4]}, "
                     "\"" TESSERA_HASH(
                         "2") "\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [3, 7]}}",
            "overlaps"},
        DamagedCase{"name",
                    "{\"weight\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [0, 4]}}",
                    "content hash"},
        DamagedCase{"content",
                    "{\"" TESSERA_HASH(
                        "1") "\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [0, 4]}}",
                    "other content"}),
    [](const auto& info) { return std::string(info.param.name); });
#undef TESSERA_HASH

}  // namespace
}  // namespace tessera::ir::test
