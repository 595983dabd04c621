#include "frontends/onnx/import/tensor_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "frontends/onnx/import/half.h"

namespace tessera::onnx {

TEST(TensorFile, RoundTrip) {
  const std::string path = testing::TempDir() + "/tensor_file_test.pb";
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(writeTensorFile(
      path, {.name = "x",
             .tensor = makeTensor(ElementType::kF32, {2, 3}, std::as_bytes(std::span(values)))}));
  Result<NamedTensor> read = readTensorFile(path);
  ASSERT_TRUE(read) << read.error().toString();
  EXPECT_EQ(read->name, "x");
  EXPECT_EQ(read->tensor.type, ElementType::kF32);
  EXPECT_EQ(read->tensor.shape, (std::vector<int64_t>{2, 3}));
  ASSERT_EQ(read->tensor.bytes.size(), sizeof(float) * values.size());
  EXPECT_EQ(std::memcmp(read->tensor.bytes.data(), values.data(), read->tensor.bytes.size()), 0);
  std::filesystem::remove(path);
}

TEST(TensorFile, RefusesOtherFiles) {
  const std::string path = testing::TempDir() + "/tensor_file_test_bad.pb";
  std::ofstream(path) << "no tensor at all";
  Result<NamedTensor> read = readTensorFile(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().file, path);
  std::filesystem::remove(path);
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(halfFromFloat(1.0f), 0x3c00);
  EXPECT_EQ(halfFromFloat(-2.0f), 0xc000);
  EXPECT_EQ(halfFromFloat(65504.0f), 0x7bff);
  EXPECT_EQ(halfFromFloat(1e6f), 0x7c00);
  EXPECT_EQ(halfFromFloat(5.9604645e-8f), 0x0001);
  EXPECT_EQ(halfFromFloat(1.0f + 1.0f / 2048), 0x3c00);  // a tie, to even
  EXPECT_EQ(halfFromFloat(1.0f + 3.0f / 2048), 0x3c02);  // a tie, to even
  EXPECT_EQ(bfloat16FromFloat(1.0f), 0x3f80);
  EXPECT_EQ(bfloat16FromFloat(1.0f + 1.0f / 256), 0x3f80);  // a tie, to even
}

}  // namespace tessera::onnx
