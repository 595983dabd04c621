#include "compiler/backend_api/code_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tessera::backend_api {
namespace {

namespace fs = std::filesystem;

TEST(CodeCacheTest, KeepsTheFirstOfTwo) {
  CodeCache cache;
  EXPECT_EQ(cache.find("a"), nullptr);
  cache.add("a", {std::byte{1}});
  cache.add("a", {std::byte{2}});
  ASSERT_NE(cache.find("a"), nullptr);
  EXPECT_EQ(cache.find("a")->front(), std::byte{1});
  EXPECT_EQ(cache.hits(), 2U);
}

class KeptCodeTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  CodeFolder folder(const std::string& version = "1") const {
    constexpr uint64_t kMostBytes = 1 << 20;
    return {folder_.string(), [version] { return version; }, kMostBytes};
  }
  fs::path onlyFile() const {
    std::vector<fs::path> files;
    for (const fs::directory_entry& each : fs::recursive_directory_iterator(folder_))
      if (each.is_regular_file()) files.push_back(each.path());
    EXPECT_EQ(files.size(), 1U);
    return files.front();
  }

  const fs::path folder_ = testing::TempDir() + "code_cache_test." + std::to_string(::getpid());
  const std::vector<std::byte> code_ = {std::byte{1}, std::byte{2}};
};

TEST_F(KeptCodeTest, AnotherCacheFindsIt) {
  CodeCache(folder()).add("a", code_);
  CodeCache other(folder());
  ASSERT_NE(other.find("a"), nullptr);
  EXPECT_EQ(*other.find("a"), code_);
  EXPECT_EQ(other.hits(), 2U);
  EXPECT_EQ(other.find("b"), nullptr);
  EXPECT_TRUE(other.addedAfter(0).empty());
}

TEST_F(KeptCodeTest, AnotherCodeGeneratorDoesNot) {
  CodeCache(folder("1")).add("a", code_);
  EXPECT_EQ(CodeCache(folder("2")).find("a"), nullptr);
}

TEST_F(KeptCodeTest, OfAnUnknownCompilerNothingIsKept) {
  CodeCache(folder("")).add("a", code_);
  EXPECT_EQ(CodeCache(folder("")).find("a"), nullptr);
}

TEST_F(KeptCodeTest, WhatIsDamagedIsMadeAgain) {
  CodeCache(folder()).add("a", code_);
  const fs::path file = onlyFile();
  fs::resize_file(file, fs::file_size(file) - 1);
  CodeCache other(folder());
  EXPECT_EQ(other.find("a"), nullptr);
  other.add("a", code_);
  EXPECT_NE(CodeCache(folder()).find("a"), nullptr);
}

TEST_F(KeptCodeTest, WhatWasAddedIsThereWithoutTheFolder) {
  CodeCache cache(CodeFolder("/dev/null/nowhere", [] { return "1"; }, 1));
  cache.add("a", code_);
  EXPECT_NE(cache.find("a"), nullptr);
}

}  // namespace
}  // namespace tessera::backend_api
