#include "compiler/driver/tensor_io/npy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace tessera {
namespace {

std::string npyFile(const std::string& dictionary, const std::string& data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  const auto size = static_cast<uint16_t>(dictionary.size());
  file.append(reinterpret_cast<const char*>(&size), 2);
  return file + dictionary + data;
}

Result<HostTensor> decode(const std::string& file) {
  return tensor_io::decodeNpy(std::as_bytes(std::span(file)), "x");
}

TEST(NpyTest, EveryElementTypeComesBack) {
  for (const ElementType type :
       {ElementType::kF32, ElementType::kF64, ElementType::kF16, ElementType::kI8,
        ElementType::kI16, ElementType::kI32, ElementType::kI64, ElementType::kU8,
        ElementType::kU16, ElementType::kU32, ElementType::kU64, ElementType::kBool}) {
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, {3}, {2, 3}, {0, 4}}) {
      auto tensor = allocateTensor("x", type, shape);
      ASSERT_TRUE(tensor);
      for (size_t i = 0; i < tensor->tensor.bytes.size(); ++i)
        tensor->data[i] = static_cast<std::byte>(i % 2);
      std::string file = tensor_io::npyHeader(tensor->tensor);
      EXPECT_EQ(file.size() % 64, 0U);
      file.append(reinterpret_cast<const char*>(tensor->data), tensor->tensor.bytes.size());
      const auto back = decode(file);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(back->type, type);
      EXPECT_EQ(back->shape, shape);
      EXPECT_TRUE(std::ranges::equal(back->bytes, tensor->tensor.bytes));
    }
  }
}

TEST(NpyTest, FortranOrderBecomesRowMajor) {
  const std::string data("\0\3\1\4\2\5", 6);  // Columns of [[0, 1, 2], [3, 4, 5]].
  const auto tensor =
      decode(npyFile("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n", data));
  ASSERT_TRUE(tensor);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(static_cast<int>(tensor->bytes[i]), i);
}

TEST(NpyTest, BadFilesAreRefusedWithAReason) {
  EXPECT_EQ(decode("PK").error().message, "it is no .npy file");
  EXPECT_EQ(decode(npyFile("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd"))
                .error()
                .message,
            "its elements are big-endian, expected little-endian");
  EXPECT_EQ(decode(npyFile("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "abcdefgh"))
                .error()
                .message,
            "its element type 'c8' is not known");
  EXPECT_EQ(decode(npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcd"))
                .error()
                .message,
            "it holds 4 bytes of data, expected 8 for its shape");
  const std::string good =
      npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "abcd");
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(decode(good.substr(0, size))) << size;
}

TEST(TensorFilesTest, NpzAndProtoComeBack) {
  const std::string folder = testing::TempDir() + "tensor_files_test";
  std::filesystem::create_directories(folder);
  auto a = allocateTensor("a", ElementType::kF32, {2, 2});
  auto b = allocateTensor("b", ElementType::kI64, {3});
  a->data[3] = std::byte{7};
  b->data[8] = std::byte{9};
  const std::vector<HostTensor> tensors = {a->tensor, b->tensor};
  ASSERT_TRUE(writeNpz(folder + "/t.npz", tensors));
  const auto back = readTensorFile(folder + "/t.npz", "b");
  ASSERT_TRUE(back) << back.error().toString();
  EXPECT_TRUE(std::ranges::equal(back->bytes, b->tensor.bytes));
  EXPECT_FALSE(readTensorFile(folder + "/t.npz", "c"));
  ASSERT_TRUE(writeTensorProtos(folder, "output", tensors));
  const auto proto = readTensorFile(folder + "/output_0.pb", "");
  ASSERT_TRUE(proto) << proto.error().toString();
  EXPECT_EQ(proto->name, "a");
  EXPECT_TRUE(std::ranges::equal(proto->bytes, a->tensor.bytes));
  EXPECT_FALSE(std::filesystem::exists(folder + "/t.npz.partial"));
}

}  // namespace
}  // namespace tessera
