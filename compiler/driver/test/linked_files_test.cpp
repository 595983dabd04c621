// Libraries are found where the loader finds them, and nothing else is read as one.
#include "compiler/driver/measuring/linked_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tessera::driver {
namespace {

namespace fs = std::filesystem;

TEST(LinkedFiles, ThisProgramNeedsTheLanguagesLibrary) {
  std::vector<std::string> names;
  for (const fs::path& file : linkedFiles("/proc/self/exe"))
    names.push_back(file.filename().string());
  EXPECT_THAT(names, testing::Contains(testing::HasSubstr("libstdc++.so")));
}

TEST(LinkedFiles, AreFoundByNameAndByPath) {
  const fs::path libc = findSharedLibrary("libc.so.6");
  EXPECT_TRUE(fs::exists(libc));
  EXPECT_EQ(findSharedLibrary(libc.string()), libc);
  EXPECT_EQ(findSharedLibrary("libc.so.6", {"/no/such/folder"}), libc);
  EXPECT_EQ(findSharedLibrary("libnothing.so.1"), fs::path());
  EXPECT_EQ(findSharedLibrary("/no/such/libc.so.6"), fs::path());
}

TEST(LinkedFiles, OtherFilesHaveNone) {
  const std::string path = testing::TempDir() + "linked_files_test.txt";
  std::ofstream(path) << "\x7f"
                         "ELF and no more";
  EXPECT_TRUE(linkedFiles(path).empty());
  EXPECT_TRUE(linkedFiles("/no/such/file").empty());
  EXPECT_TRUE(linkedFiles("").empty());
  fs::remove(path);
}

}  // namespace
}  // namespace tessera::driver
