#include "base/kept_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

namespace tessera::base {
namespace {

namespace fs = std::filesystem;

class KeptFilesTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  KeptFiles files(uint64_t mostBytes = 1 << 20) const {
    return {folder_.string(), ".kept", mostBytes};
  }
  fs::path path(const std::string& name) const { return folder_ / name; }
  static void makeOlder(const fs::path& file, std::chrono::hours hours) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - hours);
  }

  const fs::path folder_ = testing::TempDir() + "kept_files_test." + std::to_string(::getpid());
  const std::vector<std::byte> bytes_ = std::vector<std::byte>(100, std::byte{7});
};

TEST_F(KeptFilesTest, WhatIsKeptIsFound) {
  EXPECT_FALSE(files().find("a"));
  files().keep("a", bytes_);
  const auto found = files().find("a");
  ASSERT_TRUE(found);
  EXPECT_EQ(std::vector(found->bytes.begin(), found->bytes.end()), bytes_);
  EXPECT_FALSE(files().find("b"));
}

TEST_F(KeptFilesTest, WhatIsDamagedIsNot) {
  for (const std::streamoff at : {0, 31, 32, 131}) {
    files().keep("a", bytes_);
    std::fstream(path("a.kept"), std::ios::in | std::ios::out | std::ios::binary)
        .seekp(at)
        .put('z');
    EXPECT_FALSE(files().find("a")) << at;
  }
  for (const uintmax_t size : {uintmax_t{0}, uintmax_t{20}, uintmax_t{131}}) {
    files().keep("a", bytes_);
    fs::resize_file(path("a.kept"), size);
    EXPECT_FALSE(files().find("a")) << size;
  }
}

TEST_F(KeptFilesTest, WhatWasUsedLongestAgoGoesFirst) {
  const KeptFiles small = files(350);
  for (const char* name : {"a", "b"}) {
    small.keep(name, bytes_);
    makeOlder(path(std::string(name) + ".kept"), std::chrono::hours(1));
  }
  EXPECT_TRUE(small.find("a"));  // From now on it was used later.
  small.keep("c", bytes_);
  EXPECT_FALSE(small.find("b"));
  EXPECT_TRUE(small.find("a"));
  EXPECT_TRUE(small.find("c"));
  small.keep("d", std::vector<std::byte>(400));
  EXPECT_FALSE(small.find("d"));
}

TEST_F(KeptFilesTest, WhatAProcessThatWasKilledLeftGoesAfterADay) {
  fs::create_directories(folder_);
  for (const char* name : {"a.kept.1-0.partial", "b.kept.2-0.partial", "c.other"})
    std::ofstream(path(name)) << "x";
  for (const char* name : {"a.kept.1-0.partial", "c.other"})
    makeOlder(path(name), std::chrono::hours(25));
  files().keep("d", bytes_);
  EXPECT_FALSE(fs::exists(path("a.kept.1-0.partial")));
  EXPECT_TRUE(fs::exists(path("b.kept.2-0.partial")));
  EXPECT_TRUE(fs::exists(path("c.other")));
}

TEST_F(KeptFilesTest, AFolderThatCannotBeMadeKeepsNothing) {
  fs::create_directories(folder_);
  std::ofstream(path("file")) << "x";
  const KeptFiles nowhere(path("file").string(), ".kept", 1 << 20);
  nowhere.keep("a", bytes_);
  EXPECT_FALSE(nowhere.find("a"));
}

}  // namespace
}  // namespace tessera::base
