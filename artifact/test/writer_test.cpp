#include "artifact/writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "artifact/reader.h"
#include "artifact/test/test_bundles.h"
#include "base/mapped_file.h"

namespace tessera::artifact {
namespace {

const std::vector<std::byte> kCode(100, std::byte{7});

/// The bytes at an address that parse() accepts.
std::vector<std::byte> aligned(const std::vector<std::byte>& bytes,
                               std::span<const std::byte>& view) {
  std::vector<std::byte> storage(bytes.size() + 64);
  const size_t shift = (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64;
  std::memcpy(storage.data() + shift, bytes.data(), bytes.size());
  view = std::span<const std::byte>(storage).subspan(shift, bytes.size());
  return storage;
}

class WriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("tessera_writer_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  size_t fileCount() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

TEST_F(WriterTest, RoundTripKeepsEverything) {
  Bundle bundle = test::staticBundle(kCode);
  bundle.defaultThreads = 3;
  bundle.regions[0].implementations[0].cpuFeatures = {"avx512f"};
  bundle.regions[0].implementations[0].dimGuards = {
      {.input = 1, .dim = 1, .minimum = 2, .maximum = 9}};
  bundle.regions[0].implementations[0].workspaceBytes = 4096;
  bundle.inputs[0].dimNames = {"n", ""};
  ASSERT_TRUE(writeFile(bundle, path("a.tsr")));
  auto file = base::MappedFile::open(path("a.tsr"));
  ASSERT_TRUE(file);
  auto parsed = parse(file->bytes());
  ASSERT_TRUE(parsed) << parsed.error().message;
  const Bundle& read = parsed->bundle;
  EXPECT_EQ(read.producer, bundle.producer);
  EXPECT_EQ(read.modelName, bundle.modelName);
  EXPECT_EQ(read.target, bundle.target);
  EXPECT_EQ(read.defaultThreads, 3u);
  ASSERT_EQ(read.metadata.size(), 1u);
  EXPECT_EQ(read.metadata[0].value, "value");
  EXPECT_EQ(read.inputs[0].name, "x");
  EXPECT_EQ(read.inputs[0].dimNames, bundle.inputs[0].dimNames);
  EXPECT_EQ(read.outputs[0].buffer, 3u);
  ASSERT_EQ(read.buffers.size(), 4u);
  EXPECT_EQ(read.buffers[2].storage, Storage::kArena);
  EXPECT_EQ(read.buffers[2].dims, (std::vector<int64_t>{2, 8}));
  EXPECT_EQ(read.buffers[2].sizeBytes, 64);
  EXPECT_EQ(read.memorySpaces[0].arenaBytes, 64u);
  ASSERT_EQ(read.regions.size(), 2u);
  const Implementation& implementation = read.regions[0].implementations[0];
  EXPECT_EQ(implementation.symbol, "add16");
  EXPECT_EQ(implementation.cpuFeatures, (std::vector<std::string>{"avx512f"}));
  EXPECT_EQ(implementation.dimGuards[0].maximum, 9);
  EXPECT_EQ(implementation.workspaceBytes, 4096u);
  EXPECT_EQ(read.regions[0].nodeNames, (std::vector<std::string>{"node_add16"}));
  EXPECT_EQ(read.regions[0].flops, 16u);
  ASSERT_EQ(read.program.size(), 2u);
  EXPECT_EQ(std::get<CallInstruction>(read.program[0]).inputs, (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(std::ranges::equal(read.codeBlobs[0].bytes(), kCode));
  EXPECT_TRUE(std::ranges::equal(read.constants[0].data.bytes(), bundle.constants[0].data.bytes()));
  EXPECT_EQ(read.constants[0].contentHash, bundle.constants[0].contentHash);
  EXPECT_TRUE(verifyChecksums(*parsed));
}

TEST_F(WriterTest, RoundTripKeepsViewsAndCopies) {
  Bundle bundle = test::dynamicBundle(kCode);
  bundle.buffers.push_back(test::plainBuffer({kDynamic, 3}, Storage::kDynamic));
  bundle.program.emplace_back(CopyInstruction{.source = 1, .destination = 3});
  std::span<const std::byte> view;
  auto bytes = writeMemory(bundle);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto storage = aligned(*bytes, view);
  auto parsed = parse(view);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(std::get<ViewInstruction>(parsed->bundle.program[1]).dims,
            (std::vector<int64_t>{kDynamic}));
  EXPECT_EQ(std::get<ViewInstruction>(parsed->bundle.program[1]).shapeBuffer, kNoBuffer);
  EXPECT_EQ(std::get<CopyInstruction>(parsed->bundle.program[2]).destination, 3u);
  EXPECT_EQ(std::get<CopyInstruction>(parsed->bundle.program[2]).sizeBytes, kDynamic);
}

TEST_F(WriterTest, SameBundleGivesSameBytesInFileAndMemory) {
  const Bundle bundle = test::staticBundle(kCode);
  auto first = writeMemory(bundle);
  auto second = writeMemory(test::staticBundle(kCode));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  ASSERT_TRUE(writeFile(bundle, path("a.tsr")));
  auto file = base::MappedFile::open(path("a.tsr"));
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::ranges::equal(file->bytes(), *first));
}

TEST_F(WriterTest, EqualContentIsStoredOnce) {
  Bundle bundle = test::staticBundle(kCode);
  const std::vector<std::byte> big(3 * kPageSize, std::byte{1});
  for (int i = 0; i < 3; ++i)
    bundle.constants.push_back({.contentHash = "same", .data = Blob::borrowed(big)});
  bundle.codeBlobs.push_back(Blob::owned(kCode));
  std::span<const std::byte> view;
  auto bytes = writeMemory(bundle);
  ASSERT_TRUE(bytes);
  const auto storage = aligned(*bytes, view);
  auto parsed = parse(view);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->blobs.size(), 3u);  // Code, the small constant, the big one.
  EXPECT_EQ(parsed->bundle.constants[1].data.bytes().data(),
            parsed->bundle.constants[3].data.bytes().data());
  EXPECT_EQ(parsed->bundle.codeBlobs[0].bytes().data(), parsed->bundle.codeBlobs[1].bytes().data());
  EXPECT_EQ(parsed->blobs[2].offset % kPageSize, 0u);
  EXPECT_EQ(parsed->blobs[1].offset % kBlobAlignment, 0u);
}

TEST_F(WriterTest, StreamsConstantsInPieces) {
  Bundle bundle = test::staticBundle(kCode);
  bundle.constants.push_back({.contentHash = "streamed",
                              .data = Blob::streamed(10000, [](const ChunkSink& sink) -> Status {
                                for (int i = 0; i < 10; ++i) {
                                  const std::vector<std::byte> chunk(1000, std::byte(i));
                                  TESSERA_TRY_VOID(sink(chunk));
                                }
                                return {};
                              })});
  std::span<const std::byte> view;
  auto bytes = writeMemory(bundle);
  ASSERT_TRUE(bytes);
  const auto storage = aligned(*bytes, view);
  auto parsed = parse(view);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->bundle.constants[1].data.bytes()[9999], std::byte{9});
  EXPECT_EQ(parsed->bundle.constants[1].data.bytes()[999], std::byte{0});
  EXPECT_TRUE(verifyChecksums(*parsed));
}

TEST_F(WriterTest, FailureLeavesNoFileAndKeepsTheOldOne) {
  std::ofstream(path("a.tsr")) << "old";
  Bundle bundle = test::staticBundle(kCode);
  bundle.constants.push_back(
      {.contentHash = "short",
       .data = Blob::streamed(100, [](const ChunkSink&) -> Status { return {}; })});
  const Status status = writeFile(bundle, path("a.tsr"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "a constant produced 0 bytes, expected 100");
  EXPECT_EQ(fileCount(), 1u);
  EXPECT_EQ(std::filesystem::file_size(path("a.tsr")), 3u);
}

TEST_F(WriterTest, ProducerOfTooManyBytesIsRefused) {
  Bundle bundle = test::staticBundle(kCode);
  const std::vector<std::byte> tooMany(200);
  bundle.constants.push_back(
      {.contentHash = "long",
       .data = Blob::streamed(100, [&](const ChunkSink& sink) { return sink(tooMany); })});
  auto bytes = writeMemory(bundle);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().message, "a constant produced more than its 100 bytes");
}

TEST_F(WriterTest, ReportsAFolderThatDoesNotExist) {
  const Status status = writeFile(test::staticBundle(kCode), path("missing/a.tsr"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "cannot create a temporary file beside it: No such file or directory");
  EXPECT_EQ(status.error().file, path("missing/a.tsr"));
}

TEST_F(WriterTest, FileHasTheUsualPermissions) {
  ASSERT_TRUE(writeFile(test::staticBundle(kCode), path("a.tsr")));
  struct stat info = {};
  ASSERT_EQ(stat(path("a.tsr").c_str(), &info), 0);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(info.st_mode & 0777u, 0666u & ~mask);
}

TEST_F(WriterTest, RefusesAnInconsistentBundle) {
  Bundle bundle = test::staticBundle(kCode);
  std::get<CallInstruction>(bundle.program[0]).outputs = {9};
  const auto bytes = writeMemory(bundle);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().message, "instruction 0 of the artifact refers to buffer 9 of 4");
}

}  // namespace
}  // namespace tessera::artifact
