#include <gtest/gtest.h>

#include <vector>

#include "base/checksum.h"
#include "base/content_hash.h"

namespace tessera::base {
namespace {

// Files hold both: a change of either is a change of a format.
TEST(HashTest, ValuesStandInFiles) {
  EXPECT_EQ(contentHash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(checksumOf({}), 0x2d06800538d394c2U);
}

TEST(HashTest, PiecesGiveTheChecksumOfTheWhole) {
  std::vector<std::byte> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  Checksum checksum;
  const std::span all(bytes);
  checksum.update(all.first(1));
  checksum.update(all.subspan(1, 700));
  checksum.update(all.subspan(701));
  EXPECT_EQ(checksum.value(), checksumOf(bytes));
  bytes[500] ^= std::byte{1};
  EXPECT_NE(checksum.value(), checksumOf(bytes));
}

}  // namespace
}  // namespace tessera::base
