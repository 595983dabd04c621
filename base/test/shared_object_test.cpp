#include "base/shared_object.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tessera::base {
namespace {

namespace fs = std::filesystem;

class SharedObjectTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy_file("/proc/self/exe", file_, fs::copy_options::overwrite_existing);
  }
  void TearDown() override { fs::remove(file_); }

  const fs::path file_ =
      testing::TempDir() + "base_shared_object_test." + std::to_string(::getpid());
};

TEST_F(SharedObjectTest, AWholeFileIsNotCutShort) { EXPECT_FALSE(isCutShort(file_)); }

TEST_F(SharedObjectTest, AFileThatEndsInASegmentIsCutShort) {
  for (const uintmax_t size : {fs::file_size(file_) / 4, uintmax_t{4000}, uintmax_t{100}}) {
    fs::resize_file(file_, size);
    EXPECT_TRUE(isCutShort(file_)) << size;
  }
}

TEST_F(SharedObjectTest, WhatIsNoElfFileIsLeftToOthers) {
  EXPECT_FALSE(isCutShort(file_.string() + ".none"));
  EXPECT_FALSE(isCutShort(testing::TempDir()));
  std::ofstream(file_) << std::string(1000, 'x');
  EXPECT_FALSE(isCutShort(file_));
}

TEST(BuildIdTest, IsThatOfTheFileThatHoldsTheAddress) {
  const std::string id = buildIdOf(reinterpret_cast<const void*>(&isCutShort));
  ASSERT_FALSE(id.empty()) << "this test is linked with --build-id";
  EXPECT_EQ(buildIdOf(reinterpret_cast<const void*>(&buildIdOf)), id);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  const int here = 0;
  EXPECT_EQ(buildIdOf(&here), "");
}

}  // namespace
}  // namespace tessera::base
