#include "backends/native/runtime/shared_object.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

namespace tessera::backend_native {
namespace {

std::vector<std::byte> bytesOf(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> chars((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
  const auto* begin = reinterpret_cast<const std::byte*>(chars.data());
  return {begin, begin + chars.size()};
}

SharedObject mustLoad(const char* path) {
  auto object = SharedObject::load(bytesOf(path));
  EXPECT_TRUE(object) << object.error().message;
  return std::move(*object);
}

int answerOf(const SharedObject& object) {
  return reinterpret_cast<int (*)()>(object.find("answer"))();
}

TEST(SharedObject, TwoWithTheSameSymbolStayApart) {
  const SharedObject one = mustLoad(TESSERA_TEST_ANSWER_1);
  const SharedObject two = mustLoad(TESSERA_TEST_ANSWER_2);
  EXPECT_EQ(answerOf(one), 1);
  EXPECT_EQ(answerOf(two), 2);
}

TEST(SharedObject, AReusedDescriptorIsNotTheOldLibrary) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(answerOf(mustLoad(TESSERA_TEST_ANSWER_1)), 1);
    EXPECT_EQ(answerOf(mustLoad(TESSERA_TEST_ANSWER_2)), 2);
  }
}

TEST(SharedObject, MovesKeepTheLibrary) {
  std::optional<SharedObject> first(mustLoad(TESSERA_TEST_ANSWER_1));
  SharedObject second = mustLoad(TESSERA_TEST_ANSWER_2);
  second = std::move(*first);
  first.reset();
  EXPECT_EQ(answerOf(second), 1);
}

TEST(SharedObject, MissingSymbolIsNull) {
  EXPECT_EQ(mustLoad(TESSERA_TEST_ANSWER_1).find("question"), nullptr);
}

TEST(SharedObject, WrongBytesAreAnError) {
  std::vector<std::byte> elf = bytesOf(TESSERA_TEST_ANSWER_1);
  elf.resize(40);
  for (const std::vector<std::byte>& bytes : {std::vector<std::byte>(), elf}) {
    auto object = SharedObject::load(bytes);
    ASSERT_FALSE(object);
    EXPECT_EQ(object.error().message.find("cannot load native code: "), 0u)
        << object.error().message;
  }
}

}  // namespace
}  // namespace tessera::backend_native
