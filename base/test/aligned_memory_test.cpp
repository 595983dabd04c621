#include "base/aligned_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "base/alignment.h"

namespace tessera::base {
namespace {

uintptr_t addressOf(const AlignedMemory& memory) {
  return reinterpret_cast<uintptr_t>(memory.get());
}

/// Whether the mapping around `address` asks for huge pages: flag `hg` in smaps, proc(5).
bool asksForHugePages(uintptr_t address) {
  std::ifstream smaps("/proc/self/smaps");
  bool isInside = false;
  for (std::string line; std::getline(smaps, line);) {
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (std::istringstream range(line); range >> std::hex >> begin >> dash >> end && dash == '-') {
      isInside = begin <= address && address < end;
    } else if (isInside && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return false;
}

TEST(AlignedMemoryTest, StartsAtMultiplesAndAbsenceIsNull) {
  for (const size_t sizeBytes : {0UL, 1UL, 64UL, 1000UL, 2UL << 20, (4UL << 20) + 1}) {
    const AlignedMemory memory = allocateAligned(sizeBytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(addressOf(memory) % kBufferAlignment, 0U);
  }
  EXPECT_EQ(allocateAligned(SIZE_MAX), nullptr);
}

TEST(AlignedMemoryTest, LargeOnesAreOfHugePages) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "the kernel has no transparent huge pages";
  }
  const size_t hugePageBytes = 2UL << 20;
  const AlignedMemory large = allocateAligned(8 * hugePageBytes + 1);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(addressOf(large) % hugePageBytes, 0U);
  EXPECT_TRUE(asksForHugePages(addressOf(large)));
  EXPECT_TRUE(asksForHugePages(addressOf(large) + 8 * hugePageBytes - 1));
  EXPECT_FALSE(asksForHugePages(addressOf(large) + 8 * hugePageBytes)) << "the rest is a page";
}

}  // namespace
}  // namespace tessera::base
