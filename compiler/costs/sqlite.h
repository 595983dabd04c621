// SQLite's C interface with errors as sentences and handles that close themselves.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tessera/status.h"

namespace tessera::costs {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Database;

/// A prepared statement. Texts and blobs that are bound stay alive until it is reset.
class Statement {
 public:
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, int64_t number);
  Statement& bind(int index, double number);
  Statement& bind(int index, std::span<const std::byte> bytes);

  /// Whether there is a row.
  Result<bool> step();
  void reset();

  std::string text(int column) const;
  int64_t number(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  std::span<const std::byte> bytes(int column) const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

  Database* database_;
  std::unique_ptr<sqlite3_stmt, FinishStatement> handle_;
};

/// A database file. Waits up to ten seconds for others that write.
class Database {
 public:
  /// Made when it is not there. Errors (kInvalidInput): it cannot be opened.
  static Result<std::unique_ptr<Database>> open(const std::string& path);

  Result<Statement> prepare(std::string_view sql);
  /// One or several statements without rows.
  Status execute(const std::string& sql);
  /// The same for what does not wait by itself while others use the file, as the mode of the
  /// journal.
  Status executeWhenFree(const std::string& sql);
  /// All that `body` does is written, or nothing of it when it fails. It gives a Result, and so
  /// does this.
  template <typename Body>
  auto inTransaction(const Body& body) -> decltype(body()) {
    TESSERA_TRY_VOID(execute("BEGIN IMMEDIATE"));
    auto result = body();
    Status status = result ? execute("COMMIT") : Status(result.error());
    if (status) return result;
    // After some errors, that of a full disk for one, the engine has done so by itself.
    [[maybe_unused]] const Status rolledBack = execute("ROLLBACK");
    return std::move(status).error();
  }
  /// The number that a statement's first row begins with; 0 without rows.
  Result<int64_t> number(std::string_view sql);
  /// Rows that the last statement changed.
  size_t numChanged() const { return static_cast<size_t>(sqlite3_changes64(handle_.get())); }

  /// What the engine says, with the file.
  Error error(int code) const;

 private:
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  std::unique_ptr<sqlite3, CloseDatabase> handle_;
};

}  // namespace tessera::costs
