// Moving measurements about; tests/cli/costs_command_test.py has the files and sentences.
#include "tessera/costs.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "compiler/costs/test/record_for_test.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class CostsTest : public testing::Test {
 protected:
  CostsTest() {
    std::string name = testing::TempDir() + "costs_api_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~CostsTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  /// A store with a record of each name.
  std::string storeOf(const std::string& name, const std::vector<std::string>& subgraphs) const {
    std::string lines;
    for (const std::string& subgraph : subgraphs)
      lines += toJson(costs::recordOf(subgraph, {1})) + "\n";
    EXPECT_TRUE(base::writeFile(path("lines"), lines));
    const auto added = importCosts(path(name), path("lines"));
    EXPECT_TRUE(added) << added.error().toString();
    return path(name);
  }

  fs::path folder_;
};

TEST_F(CostsTest, AnEmptyStoreIsDescribed) {
  const auto statistics = describeCosts(storeOf("costs.db", {}));
  ASSERT_TRUE(statistics);
  EXPECT_EQ(statistics->numRecords, 0U);
  EXPECT_EQ(statistics->oldest, 0);
  EXPECT_TRUE(statistics->targets.empty());
}

TEST_F(CostsTest, AVisitThatFailsEndsIt) {
  size_t numVisited = 0;
  const Status status =
      visitCosts(storeOf("costs.db", {"a", "b", "c"}), [&](std::string_view) -> Status {
        if (++numVisited == 2) return invalidInput("enough");
        return {};
      });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "enough");
  EXPECT_EQ(numVisited, 2U);
}

TEST_F(CostsTest, AStoreMergedIntoItselfStaysAsItIs) {
  const std::string store = storeOf("costs.db", {"a", "b"});
  const auto added = mergeCosts(store, {store});
  ASSERT_TRUE(added) << added.error().toString();
  EXPECT_EQ(added->numRecords, 2U);
  EXPECT_EQ(added->numNew, 0U);
}

TEST_F(CostsTest, ADayBefore1970IsADay) {
  const std::string store = storeOf("costs.db", {"a"});
  for (const int64_t before : {-1, 0, 1000}) EXPECT_EQ(*pruneCosts(store, {.before = before}), 0U);
  EXPECT_EQ(*pruneCosts(store, {.before = 1001}), 1U);
}

}  // namespace
}  // namespace tessera
