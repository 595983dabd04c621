// The reader against wrong files: truncated, flipped, extended, from the future, and (with
// checksums made right again, so that the decoder and the validation get to work) arbitrarily
// damaged headers.
#include "artifact/reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "artifact/test/test_bundles.h"
#include "artifact/writer.h"
#include "base/checksum.h"
#include "base/mapped_file.h"

namespace tessera::artifact {
namespace {

/// Bytes at a 64-byte aligned address that end where their allocation ends, so that ASan sees every
/// overrun.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::span<const std::byte> bytes) : size_(bytes.size()) {
    data_.reset(
        static_cast<std::byte*>(operator new(size_ == 0 ? 1 : size_, std::align_val_t(64))));
    if (size_ > 0) std::memcpy(data_.get(), bytes.data(), size_);
  }
  std::span<std::byte> bytes() { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const { operator delete(data, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte, Free> data_;
  size_t size_;
};

std::vector<std::byte> makeArtifact(const Bundle& bundle) {
  auto bytes = writeMemory(bundle);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return std::move(*bytes);
}

/// Makes the checksums of preamble and header agree with their contents.
void reseal(std::span<std::byte> bytes) {
  Preamble preamble;
  if (bytes.size() < sizeof(preamble)) return;
  std::memcpy(&preamble, bytes.data(), sizeof(preamble));
  if (preamble.headerOffset <= bytes.size() &&
      preamble.headerSize <= bytes.size() - preamble.headerOffset) {
    preamble.headerChecksum =
        base::checksumOf(bytes.subspan(preamble.headerOffset, preamble.headerSize));
  }
  const auto view = std::as_bytes(std::span(&preamble, 1));
  preamble.preambleChecksum = base::checksumOf(view.first(offsetof(Preamble, preambleChecksum)));
  std::memcpy(bytes.data(), &preamble, sizeof(preamble));
}

std::string parseError(std::span<const std::byte> bytes) {
  AlignedBytes copy(bytes);
  auto parsed = parse(copy.bytes());
  return parsed ? "" : parsed.error().message;
}

class ReaderTest : public ::testing::Test {
 protected:
  const std::vector<std::byte> code_ = std::vector<std::byte>(100, std::byte{7});
  const std::vector<std::byte> static_ = makeArtifact(test::staticBundle(code_));
  const std::vector<std::byte> dynamic_ = makeArtifact(test::dynamicBundle(code_));
};

TEST_F(ReaderTest, SayWhatIsWrongWithAFile) {
  std::vector<std::byte> bytes = static_;
  EXPECT_EQ(parseError(bytes), "");
  EXPECT_EQ(parseError({}), "this is not a Tessera artifact");
  EXPECT_EQ(parseError(std::as_bytes(std::span("ONNX, say, and more"))),
            "this is not a Tessera artifact");
  EXPECT_EQ(parseError(std::span(bytes).first(40)), "the artifact is truncated in its preamble");
  EXPECT_EQ(parseError(std::span(bytes).first(bytes.size() - 1)),
            "the artifact is truncated or extended: it has " + std::to_string(bytes.size() - 1) +
                " bytes, its preamble says " + std::to_string(bytes.size()));
  bytes[8] = std::byte{9};
  EXPECT_EQ(parseError(bytes), "the artifact has format version 9, this library reads version 3");
  bytes = static_;
  bytes[20] ^= std::byte{1};
  EXPECT_EQ(parseError(bytes), "the artifact's preamble is damaged");
  bytes = static_;
  bytes.back() ^= std::byte{1};
  EXPECT_EQ(parseError(bytes), "the artifact's header is damaged");
}

TEST_F(ReaderTest, UnalignedMemoryIsRefused) {
  AlignedBytes copy(static_);
  const auto parsed = parse(copy.bytes().subspan(1));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "an artifact in memory must be aligned to 64 bytes");
}

TEST_F(ReaderTest, EveryTruncationIsRefused) {
  for (const std::vector<std::byte>& artifact : {static_, dynamic_}) {
    for (size_t size = 0; size < artifact.size(); ++size) {
      EXPECT_NE(parseError(std::span(artifact).first(size)), "") << size;
    }
  }
}

TEST_F(ReaderTest, EveryFlippedBitOfPreambleAndHeaderIsRefused) {
  std::vector<std::byte> bytes = static_;
  Preamble preamble;
  std::memcpy(&preamble, bytes.data(), sizeof(preamble));
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i >= sizeof(preamble) && i < preamble.headerOffset) continue;
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] ^= std::byte(1 << bit);
      EXPECT_NE(parseError(bytes), "") << "byte " << i << " bit " << bit;
      bytes[i] ^= std::byte(1 << bit);
    }
  }
}

TEST_F(ReaderTest, FlippedBlobBitIsFoundByVerify) {
  AlignedBytes copy(static_);
  auto parsed = parse(copy.bytes());
  ASSERT_TRUE(parsed);
  ASSERT_TRUE(verifyChecksums(*parsed));
  for (const StoredBlob& blob : parsed->blobs) {
    copy.bytes()[blob.offset + blob.sizeBytes / 2] ^= std::byte{16};
    EXPECT_FALSE(verifyChecksums(*parsed));
    copy.bytes()[blob.offset + blob.sizeBytes / 2] ^= std::byte{16};
  }
}

/// Reads everything a parsed artifact offers.
uint64_t touchAll(const Artifact& artifact) {
  uint64_t sum = 0;
  for (const Constant& constant : artifact.bundle.constants) {
    for (const std::byte byte : constant.data.bytes()) sum += std::to_integer<uint64_t>(byte);
  }
  for (const Blob& blob : artifact.bundle.codeBlobs) {
    for (const std::byte byte : blob.bytes()) sum += std::to_integer<uint64_t>(byte);
  }
  return sum + artifact.bundle.buffers.size();
}

TEST_F(ReaderTest, DamagedHeadersWithRightChecksumsDoNotCrash) {
  constexpr int kRounds = 40000;
  constexpr uint32_t kSeed = 20240607;
  std::mt19937 random(kSeed);
  int accepted = 0;
  for (int round = 0; round < kRounds; ++round) {
    AlignedBytes copy(round % 2 == 0 ? static_ : dynamic_);
    const std::span<std::byte> bytes = copy.bytes();
    Preamble preamble;
    std::memcpy(&preamble, bytes.data(), sizeof(preamble));
    const size_t changes = 1 + random() % 4;
    for (size_t i = 0; i < changes; ++i) {
      // Mostly the header; sometimes the preamble behind magic and version.
      const bool inPreamble = random() % 16 == 0;
      const size_t at =
          inPreamble ? 16 + random() % 48 : preamble.headerOffset + random() % preamble.headerSize;
      constexpr std::array<uint8_t, 6> kInteresting = {0, 1, 0x7f, 0x80, 0xff, 0x40};
      const auto value =
          random() % 2 == 0 ? static_cast<uint8_t>(random()) : kInteresting[random() % 6];
      bytes[at] = std::byte(value);
    }
    reseal(bytes);
    auto parsed = parse(bytes);
    if (!parsed) {
      EXPECT_FALSE(parsed.error().message.empty());
      continue;
    }
    ++accepted;
    touchAll(*parsed);
    (void)verifyChecksums(*parsed);
  }
  // Names and numbers may change without harm, so some pass; most must not.
  EXPECT_GT(accepted, 0) << "seed " << kSeed;
  EXPECT_LT(accepted, kRounds * 3 / 4) << "seed " << kSeed;
}

}  // namespace
}  // namespace tessera::artifact
