// The store in a file: what is added is found, by whoever opens it next, whatever else is going on.
#include "compiler/costs/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "compiler/costs/test/record_for_test.h"

namespace tessera::costs {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string name = testing::TempDir() + "costs_XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ / "some" / "costs.db";
  }
  ~StoreTest() override { fs::remove_all(folder_); }

  std::unique_ptr<Store> open() const {
    auto store = openSqliteStore(path_);
    EXPECT_TRUE(store) << store.error().toString();
    return store ? std::move(*store) : nullptr;
  }
  std::string openError() const {
    const auto store = openSqliteStore(path_);
    return store ? "" : store.error().toString();
  }
  static size_t count(Store& store, const Selection& selection = {}) {
    size_t number = 0;
    EXPECT_TRUE(store.forEach(selection, [&](const Record&) -> Status {
      ++number;
      return {};
    }));
    return number;
  }
  /// Statements on the file, past the store.
  void write(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_, path_;
};

TEST_F(StoreTest, WhatIsAddedIsFoundByTheNext) {
  Record record = recordOf("add", {1e-3, 2e-3});
  record.firstCallSeconds = 0.5;
  record.workspaceBytes = 4096;
  Record slow = recordOf("add", {});
  slow.outcome = Outcome::kTimedOut;
  slow.reason = "it did not answer within 3 s";
  slow.date = 900;
  EXPECT_EQ(*open()->add({record, slow, recordOf("sub", {1})}), 3U);
  const auto found = open()->find(record.key);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);  // Oldest first.
  EXPECT_EQ(toJson((*found)[0]), toJson(slow));
  EXPECT_EQ(toJson((*found)[1]), toJson(record));
}

TEST_F(StoreTest, EveryPartOfAKeyCounts) {
  const auto store = open();
  const Record record = recordOf("add", {1});
  ASSERT_TRUE(store->add({record}));
  for (int part = 0; part < 5; ++part) {
    Key key = record.key;
    if (part == 4) {
      key.threads = 1;
    } else {
      std::string* texts[] = {&key.subgraph, &key.target, &key.version, &key.machine};
      *texts[part] += "x";
    }
    EXPECT_TRUE(store->find(key)->empty()) << part;
  }
}

TEST_F(StoreTest, TheSameRecordIsKeptOnce) {
  const auto store = open();
  const Record record = recordOf("add", {1});
  EXPECT_EQ(*store->add({record, record}), 1U);
  EXPECT_EQ(*store->add({record, recordOf("add", {2})}), 1U);
  EXPECT_EQ(count(*store), 2U);
}

TEST_F(StoreTest, SelectionsAgreeInAllThatIsGiven) {
  const auto store = open();
  std::vector<Record> records;
  for (const char* target : {"native -mcpu=x", "native2", "native"}) {
    for (const char* machine : {"here", "there"}) {
      for (const int64_t date : {10, 20}) {
        Record record = recordOf("add", {1});
        record.key.target = target;
        record.key.machine = machine;
        record.date = date;
        records.push_back(record);
      }
    }
  }
  ASSERT_TRUE(store->add(records));
  EXPECT_EQ(count(*store, {.target = "native"}), 8U);  // Of any attributes.
  EXPECT_EQ(count(*store, {.target = "native -mcpu=x"}), 4U);
  EXPECT_EQ(count(*store, {.machine = "here"}), 6U);
  EXPECT_EQ(count(*store, {.target = "native2", .machine = "here", .before = 20}), 1U);
  EXPECT_EQ(count(*store, {.subgraph = "add"}), 12U);
  EXPECT_EQ(count(*store, {.machine = "here", .subgraph = "sub"}), 0U);
  EXPECT_EQ(*store->remove({.target = "native", .machine = "there"}), 4U);
  EXPECT_EQ(count(*store), 8U);
}

TEST_F(StoreTest, ProcessesThatWriteAtOnceLoseNothing) {
  constexpr size_t kWriters = 4, kRounds = 50;
  open();
  std::vector<pid_t> children;
  for (size_t writer = 0; writer < kWriters; ++writer) {
    const pid_t child = fork();
    if (child == 0) {
      auto store = openSqliteStore(path_);
      bool isGood = store.has_value();
      for (size_t i = 0; isGood && i < kRounds; ++i)
        isGood = (*store)->add({recordOf(std::to_string(writer * kRounds + i), {1})}).has_value();
      _exit(isGood ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(count(*open()), kWriters * kRounds);
}

TEST_F(StoreTest, AWriterThatIsKilledLeavesWhatItHadWritten) {
  open();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto store = openSqliteStore(path_);
    for (int i = 0;; ++i) {
      if (!(*store)->add({recordOf(std::to_string(i), {1})})) _exit(1);
      if (i == 20 && ::write(ready[1], "x", 1) != 1) _exit(1);
    }
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_GE(count(*open()), 21U);
}

TEST_F(StoreTest, WhatIsNoStoreIsRefused) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_EQ(openError(), path_.string() + ": it is no cost store");
  fs::remove(path_);
  write("CREATE TABLE mine (a)");
  const std::string before = bytes();
  EXPECT_EQ(openError(), path_.string() + ": it is no cost store but another program's database");
  EXPECT_EQ(bytes(), before);
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_EQ(openError(), path_.string() + ": unable to open database file");
}

TEST_F(StoreTest, ADamagedStoreSaysSo) {
  {
    const auto store = open();
    std::vector<Record> records(500);
    for (size_t i = 0; i < records.size(); ++i) records[i] = recordOf(std::to_string(i), {1, 2, 3});
    ASSERT_TRUE(store->add(records));
  }
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(fs::file_size(path_));
  for (std::streamoff at = 4096; at < size; at += 1024) {
    file.seekp(at);
    file << std::string(600, '\xff');
  }
  file.close();
  const auto store = openSqliteStore(path_);
  std::string message = store ? "" : store.error().message;
  if (store) {
    const Status status = (*store)->forEach({}, [](const Record&) -> Status { return {}; });
    ASSERT_FALSE(status);
    message = status.error().message;
  }
  EXPECT_NE(message.find("the cost store is damaged"), std::string::npos) << message;
}

TEST_F(StoreTest, AStoreThatIsNotThereIsMadeOrRefused) {
  const auto store = openSqliteStore(path_, WhenMissing::kRefuse);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().toString(), path_.string() + ": there is no such cost store");
  EXPECT_FALSE(fs::exists(path_.parent_path()));
  open();
  EXPECT_TRUE(openSqliteStore(path_, WhenMissing::kRefuse));
}

TEST_F(StoreTest, AStoreOfANewerVersionIsRefused) {
  open();
  write("PRAGMA user_version = 99");
  EXPECT_EQ(openError(), path_.string() +
                             ": it is a cost store of version 99, of a newer Tessera; this one "
                             "reads up to version 4");
}

TEST_F(StoreTest, AStoreOfAnOlderVersionIsBroughtUpToDate) {
  const Record old = recordOf("add", {1});
  ASSERT_TRUE(open()->add({old}));
  write(
      "ALTER TABLE record DROP COLUMN plan; ALTER TABLE record DROP COLUMN yardstick; "
      "ALTER TABLE record DROP COLUMN schedule; "
      "PRAGMA user_version = 1");
  Record verdict = recordOf("model", {1});
  verdict.plan = "{}";
  verdict.yardstickSeconds = 5e-5;
  verdict.schedule = "outer=rows";
  const auto store = open();
  ASSERT_TRUE(store);
  EXPECT_EQ(*store->add({old, verdict}), 1U);
  EXPECT_EQ(store->find(old.key)->front().plan, "");
  EXPECT_EQ(store->find(old.key)->front().yardstickSeconds, 0);
  EXPECT_EQ(store->find(old.key)->front().schedule, "");
  EXPECT_EQ(store->find(verdict.key)->front().schedule, "outer=rows");
  EXPECT_EQ(store->find(verdict.key)->front().plan, "{}");
  EXPECT_EQ(store->find(verdict.key)->front().yardstickSeconds, 5e-5);
}

TEST_F(StoreTest, WhatDoesNotFitIsSaidAndTheRestStays) {
  ASSERT_TRUE(open()->add({recordOf("add", {1})}));
  const pid_t child = fork();
  if (child == 0) {
    // As on a disk that is full: no file grows beyond this.
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {.rlim_cur = 1 << 16, .rlim_max = 1 << 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto store = openSqliteStore(path_);
    if (!store) _exit(1);
    const auto added = (*store)->add({recordOf("large", std::vector<double>(100'000, 1))});
    _exit(!added && added.error().message.starts_with("it cannot be written") ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count(*open()), 1U);
}

}  // namespace
}  // namespace tessera::costs
