#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/atomic_file.h"
#include "base/mapped_file.h"

namespace tessera::base {
namespace {

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "base_file_test." + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  size_t fileCount() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::string folder_;
};

std::span<const std::byte> bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST_F(FileTest, WhatIsWrittenIsRead) {
  ASSERT_TRUE(writeFile(path("a"), "tessera"));
  EXPECT_EQ(*readFile(path("a")), "tessera");
  EXPECT_EQ(fileCount(), 1U);
}

TEST_F(FileTest, UmaskHolds) {
  for (const mode_t mask : {mode_t{0022}, mode_t{0077}, mode_t{0002}}) {
    const mode_t old = umask(mask);
    const Status status = writeFile(path("a"), "x");
    umask(old);
    ASSERT_TRUE(status);
    struct stat info = {};
    ASSERT_EQ(stat(path("a").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0666U & ~mask);
  }
}

TEST_F(FileTest, NothingIsLeftWithoutCommit) {
  ASSERT_TRUE(writeFile(path("a"), "old"));
  {
    auto file = AtomicFile::create(path("a"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(bytesOf("new")));
    EXPECT_EQ(fileCount(), 2U);
  }
  EXPECT_EQ(*readFile(path("a")), "old");
  EXPECT_EQ(fileCount(), 1U);
}

TEST_F(FileTest, TheFrontCanBeWrittenLast) {
  auto file = AtomicFile::create(path("a"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(bytesOf("????, tile")));
  AtomicFile moved = std::move(*file);
  ASSERT_TRUE(moved.overwriteFront(bytesOf("four")));
  ASSERT_TRUE(moved.commit());
  EXPECT_EQ(*readFile(path("a")), "four, tile");
}

TEST_F(FileTest, LeftoversOfOthersAreNoObstacle) {
  auto first = AtomicFile::create(path("a"));
  auto second = AtomicFile::create(path("a"));
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->temporaryPath(), second->temporaryPath());
  ASSERT_TRUE(second->commit() && first->commit());
}

TEST_F(FileTest, LinksAreFollowedAndDevicesStay) {
  const std::string real = path("real"), link = path("link"), pipe = path("pipe");
  ASSERT_TRUE(writeFile(real, "old"));
  std::filesystem::create_symlink(real, link);
  ASSERT_TRUE(writeFile(link, "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::file_size(real), 3U);
  const std::string later = path("later"), linkToLater = path("link_to_later");
  std::filesystem::create_symlink("later", linkToLater);
  ASSERT_TRUE(writeFile(linkToLater, "text"));
  EXPECT_TRUE(std::filesystem::is_symlink(linkToLater));
  EXPECT_EQ(std::filesystem::file_size(later), 4U);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Status status = writeFile(pipe, "text");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "what has this name is no regular file");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(FileTest, FailuresNameThePathAndTheReason) {
  const Status written = writeFile(path("missing/a"), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "cannot create a temporary file beside it: No such file or directory");
  EXPECT_EQ(written.error().file, path("missing/a"));

  std::filesystem::create_directories(path("folder/inside"));
  const Status ontoFolder = writeFile(path("folder"), "x");
  ASSERT_FALSE(ontoFolder);
  EXPECT_EQ(ontoFolder.error().message, "what has this name is no regular file");
  EXPECT_EQ(fileCount(), 1U);

  const auto missing = MappedFile::open(path("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "cannot open the file: No such file or directory");
  EXPECT_EQ(missing.error().file, path("missing"));
  const auto folder = MappedFile::open(folder_);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "it is not a regular file");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(MappedFile::open(path("pipe")));
}

TEST_F(FileTest, MappingsMoveAndMayBeEmpty) {
  std::ofstream(path("empty")).flush();
  auto empty = MappedFile::open(path("empty"));
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->bytes().empty());
  EXPECT_EQ(*readFile(path("empty")), "");

  ASSERT_TRUE(writeFile(path("a"), "abc"));
  auto file = MappedFile::open(path("a"));
  ASSERT_TRUE(file);
  const std::byte* data = file->bytes().data();
  const MappedFile moved = std::move(*file);
  EXPECT_EQ(moved.bytes().data(), data);
  EXPECT_EQ(moved.bytes()[2], std::byte{'c'});
}

}  // namespace
}  // namespace tessera::base
