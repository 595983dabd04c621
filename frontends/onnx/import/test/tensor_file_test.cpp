#include "frontends/onnx/import/read/tensor_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

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

}  // namespace tessera::onnx
