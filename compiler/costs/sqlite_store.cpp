// The store in one SQLite file. Its `application_id` tells it from other databases, `user_version`
// is the version of its tables; an older one is brought up to date when it is opened.
#include <array>
#include <cstring>
#include <filesystem>

#include "base/cache_folder.h"
#include "compiler/costs/sqlite.h"
#include "compiler/costs/store.h"

namespace tessera::costs {

namespace fs = std::filesystem;

/// "TSRC".
static constexpr int64_t kApplicationId = 0x54535243;

/// What makes version i + 1 of version i. Append only: stores of every version are about.
static constexpr std::array kMigrations = {
    R"(CREATE TABLE record (
         id INTEGER PRIMARY KEY,
         digest TEXT NOT NULL UNIQUE,
         subgraph TEXT NOT NULL, target TEXT NOT NULL, version TEXT NOT NULL, machine TEXT NOT NULL,
         threads INTEGER NOT NULL,
         outcome TEXT NOT NULL, reason TEXT NOT NULL,
         samples BLOB, first_call REAL NOT NULL, workspace_bytes INTEGER NOT NULL,
         date INTEGER NOT NULL, tool TEXT NOT NULL);
       CREATE INDEX record_by_key ON record (subgraph, target, version, machine, threads);)",
    R"(ALTER TABLE record ADD COLUMN plan TEXT NOT NULL DEFAULT '';)",
    R"(ALTER TABLE record ADD COLUMN yardstick REAL NOT NULL DEFAULT 0;)",
    R"(ALTER TABLE record ADD COLUMN schedule TEXT NOT NULL DEFAULT '';)",
};

/// Of this program.
static constexpr auto kVersion = static_cast<int64_t>(kMigrations.size());

static constexpr const char* kColumns =
    "subgraph, target, version, machine, threads, outcome, reason, samples, first_call, "
    "workspace_bytes, date, tool, plan, yardstick, schedule";

namespace {

Result<Record> recordOf(const Statement& row) {
  Record record{.key = {.subgraph = row.text(0),
                        .target = row.text(1),
                        .version = row.text(2),
                        .machine = row.text(3),
                        .threads = static_cast<uint32_t>(row.number(4))},
                .reason = row.text(6),
                .yardstickSeconds = row.real(13),
                .firstCallSeconds = row.real(8),
                .workspaceBytes = static_cast<uint64_t>(row.number(9)),
                .date = row.number(10),
                .tool = row.text(11),
                .plan = row.text(12),
                .schedule = row.text(14)};
  TESSERA_TRY(record.outcome, parseOutcome(row.text(5)));
  const std::span<const std::byte> samples = row.bytes(7);
  record.samples.resize(samples.size() / sizeof(double));
  if (!record.samples.empty())
    std::memcpy(record.samples.data(), samples.data(), record.samples.size() * sizeof(double));
  return record;
}

/// " WHERE ..." of a selection; its texts are bound with bindTo.
std::string conditionOf(const Selection& selection) {
  std::string condition = " WHERE 1";
  if (!selection.target.empty())
    condition += " AND (target = ?1 OR substr(target, 1, length(?1) + 1) = ?1 || ' ')";
  if (!selection.machine.empty()) condition += " AND machine = ?2";
  if (selection.before) condition += " AND date < ?3";
  if (!selection.subgraph.empty()) condition += " AND subgraph = ?4";
  return condition;
}

void bindTo(Statement& statement, const Selection& selection) {
  if (!selection.target.empty()) statement.bind(1, selection.target);
  if (!selection.machine.empty()) statement.bind(2, selection.machine);
  if (selection.before) statement.bind(3, *selection.before);
  if (!selection.subgraph.empty()) statement.bind(4, selection.subgraph);
}

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  /// Makes or checks the tables. What is refused has not been written to: the mode of the journal
  /// is a part of the file.
  Status prepare(const std::string& path) {
    TESSERA_TRY_VOID(database_->execute("BEGIN"));
    const Result<int64_t> version = versionOf(path);
    const Status ended = database_->execute("COMMIT");
    if (!version) return version.error();
    TESSERA_TRY_VOID(ended);
    // What is written lies in the file when the call is over, and readers never wait for writers.
    TESSERA_TRY_VOID(
        database_->executeWhenFree("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"));
    if (*version == kVersion) return {};
    return database_->inTransaction([&] { return migrate(path); });
  }

  Result<std::vector<Record>> find(const Key& key) override {
    if (!find_) {
      TESSERA_TRY(find_, database_->prepare("SELECT " + std::string(kColumns) +
                                            " FROM record WHERE subgraph = ? AND target = ? AND "
                                            "version = ? AND machine = ? AND threads = ? "
                                            "ORDER BY date, id"));
    }
    find_->bind(1, key.subgraph).bind(2, key.target).bind(3, key.version).bind(4, key.machine);
    find_->bind(5, int64_t{key.threads});
    std::vector<Record> records;
    const Status status = visitRows(*find_, [&](const Record& record) -> Status {
      records.push_back(record);
      return {};
    });
    find_->reset();
    if (!status) return status.error();
    return records;
  }

  Result<size_t> add(const std::vector<Record>& records) override {
    return database_->inTransaction([&] { return addAll(records); });
  }

  Status forEach(const Selection& selection,
                 const std::function<Status(const Record&)>& visit) override {
    TESSERA_TRY(Statement rows,
                database_->prepare("SELECT " + std::string(kColumns) + " FROM record" +
                                   conditionOf(selection) + " ORDER BY date, id"));
    bindTo(rows, selection);
    return visitRows(rows, visit);
  }

  Result<size_t> remove(const Selection& selection) override {
    TESSERA_TRY(Statement statement,
                database_->prepare("DELETE FROM record" + conditionOf(selection)));
    bindTo(statement, selection);
    TESSERA_TRY([[maybe_unused]] const bool hasRow, statement.step());
    return database_->numChanged();
  }

  int64_t schemaVersion() const override { return kVersion; }

 private:
  /// Of the tables that are there; 0 without any.
  Result<int64_t> versionOf(const std::string& path) {
    TESSERA_TRY(const int64_t application, database_->number("PRAGMA application_id"));
    TESSERA_TRY(const int64_t version, database_->number("PRAGMA user_version"));
    TESSERA_TRY(const int64_t numTables, database_->number("SELECT count(*) FROM sqlite_master"));
    if (application != kApplicationId && (application != 0 || version != 0 || numTables != 0))
      return fail(path, "it is no cost store but another program's database");
    if (version > kVersion)
      return fail(path, "it is a cost store of version " + std::to_string(version) +
                            ", of a newer Tessera; this one reads up to version " +
                            std::to_string(kVersion));
    if (version < 0) return fail(path, "the cost store is damaged: its version is below 0");
    return version;
  }

  Status migrate(const std::string& path) {
    TESSERA_TRY(const int64_t version, versionOf(path));
    for (int64_t i = version; i < kVersion; ++i)
      TESSERA_TRY_VOID(database_->execute(kMigrations[static_cast<size_t>(i)]));
    return database_->execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                              "; PRAGMA user_version = " + std::to_string(kVersion) + ";");
  }

  static Error fail(const std::string& path, std::string what) {
    Error error = invalidInput(std::move(what));
    error.file = path;
    return error;
  }

  Result<size_t> addAll(const std::vector<Record>& records) {
    if (!insert_) {
      TESSERA_TRY(
          insert_,
          database_->prepare("INSERT OR IGNORE INTO record (" + std::string(kColumns) +
                             ", digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    }
    size_t numNew = 0;
    for (const Record& record : records) {
      const std::string digest = digestOf(record);
      const Key& key = record.key;
      insert_->bind(1, key.subgraph).bind(2, key.target).bind(3, key.version).bind(4, key.machine);
      insert_->bind(5, int64_t{key.threads})
          .bind(6, outcomeName(record.outcome))
          .bind(7, record.reason)
          .bind(8, std::as_bytes(std::span(record.samples)))
          .bind(9, record.firstCallSeconds)
          .bind(10, static_cast<int64_t>(record.workspaceBytes))
          .bind(11, record.date)
          .bind(12, record.tool)
          .bind(13, record.plan)
          .bind(14, record.yardstickSeconds)
          .bind(15, record.schedule)
          .bind(16, digest);
      const Result<bool> row = insert_->step();
      insert_->reset();
      if (!row) return row.error();
      numNew += database_->numChanged();
    }
    return numNew;
  }

  template <typename Visit>
  static Status visitRows(Statement& rows, const Visit& visit) {
    for (;;) {
      TESSERA_TRY(const bool hasRow, rows.step());
      if (!hasRow) return {};
      TESSERA_TRY(const Record record, recordOf(rows));
      TESSERA_TRY_VOID(visit(record));
    }
  }

  std::unique_ptr<Database> database_;
  std::optional<Statement> find_, insert_;  ///< Made when they are first used.
};

}  // namespace

Result<std::unique_ptr<Store>> openSqliteStore(const std::string& path, WhenMissing whenMissing) {
  std::error_code ignored;  // The engine says what is wrong with the file.
  if (whenMissing == WhenMissing::kRefuse && path != kStoreInMemory && !fs::exists(path, ignored)) {
    Error error = invalidInput("there is no such cost store");
    error.file = path;
    return error;
  }
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty())
    fs::create_directories(folder, ignored);
  TESSERA_TRY(std::unique_ptr<Database> database, Database::open(path));
  auto store = std::make_unique<SqliteStore>(std::move(database));
  TESSERA_TRY_VOID(store->prepare(path));
  return std::unique_ptr<Store>(std::move(store));
}

std::string defaultStorePath() {
  const std::string folder = base::cacheFolder("");
  return (fs::path(folder.empty() ? ".cache/tessera" : folder) / "costs.db").string();
}

}  // namespace tessera::costs
