#include "runtime/backend/code_loader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "runtime/backend/load_services.h"

namespace tessera::runtime {
namespace {

std::vector<char> bytesOf(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Unload {
  void operator()(void* code) const { codeLoader().unload_code(code); }
};
using Code = std::unique_ptr<void, Unload>;

/// Null, and `message` says why, when the bytes are no code.
Code load(const std::vector<char>& bytes, std::string& message) {
  LoadServices services;
  void* code = nullptr;
  const int32_t result =
      codeLoader().load_code(services.services(), bytes.data(), bytes.size(), &code);
  EXPECT_EQ(result == 0, code != nullptr);
  message = services.messageOr("");
  return Code(code);
}

Code mustLoad(const char* path) {
  std::string message;
  Code code = load(bytesOf(path), message);
  EXPECT_NE(code, nullptr) << message;
  return code;
}

int answerOf(const Code& code) {
  return reinterpret_cast<int (*)()>(codeLoader().find_code_symbol(code.get(), "answer"))();
}

TEST(CodeLoader, TwoWithTheSameSymbolStayApart) {
  const Code one = mustLoad(TESSERA_TEST_ANSWER_1);
  const Code two = mustLoad(TESSERA_TEST_ANSWER_2);
  EXPECT_EQ(answerOf(one), 1);
  EXPECT_EQ(answerOf(two), 2);
}

TEST(CodeLoader, AReusedDescriptorIsNotTheOldLibrary) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(answerOf(mustLoad(TESSERA_TEST_ANSWER_1)), 1);
    EXPECT_EQ(answerOf(mustLoad(TESSERA_TEST_ANSWER_2)), 2);
  }
}

TEST(CodeLoader, MissingSymbolIsNull) {
  const Code code = mustLoad(TESSERA_TEST_ANSWER_1);
  EXPECT_EQ(codeLoader().find_code_symbol(code.get(), "question"), nullptr);
}

TEST(CodeLoader, WrongBytesAreAnError) {
  std::vector<char> elf = bytesOf(TESSERA_TEST_ANSWER_1);
  elf.resize(40);
  for (const std::vector<char>& bytes : {std::vector<char>(), elf}) {
    std::string message;
    EXPECT_EQ(load(bytes, message), nullptr);
    EXPECT_EQ(message.find("cannot load code: "), 0u) << message;
  }
}

}  // namespace
}  // namespace tessera::runtime
