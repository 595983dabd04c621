#include "compiler/costs/sqlite.h"

#include <chrono>
#include <thread>

namespace tessera::costs {

static constexpr int kWaitMs = 10'000;

Statement& Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text(handle_.get(), index, text.data(), static_cast<int>(text.size()),
                    SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind(int index, int64_t number) {
  sqlite3_bind_int64(handle_.get(), index, number);
  return *this;
}

Statement& Statement::bind(int index, double number) {
  sqlite3_bind_double(handle_.get(), index, number);
  return *this;
}

Statement& Statement::bind(int index, std::span<const std::byte> bytes) {
  sqlite3_bind_blob64(handle_.get(), index, bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->error(code);
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

std::string Statement::text(int column) const {
  const std::span<const std::byte> value = bytes(column);
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

std::span<const std::byte> Statement::bytes(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
  return {data, static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  std::unique_ptr<Database> database(new Database(path, handle));
  if (code != SQLITE_OK) return database->error(code);
  sqlite3_busy_timeout(handle, kWaitMs);
  return database;
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
  if (code != SQLITE_OK) return error(code);
  return Statement(*this, handle);
}

Status Database::executeWhenFree(const std::string& sql) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kWaitMs);
  while (true) {
    const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return {};
    if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() > end) return error(code);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : Status(error(code));
}

Result<int64_t> Database::number(std::string_view sql) {
  TESSERA_TRY(Statement statement, prepare(sql));
  TESSERA_TRY(const bool hasRow, statement.step());
  return hasRow ? statement.number(0) : 0;
}

Error Database::error(int code) const {
  Error error = invalidInput(handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code));
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      error.message = "it is no cost store";
      break;
    case SQLITE_CORRUPT:
      error.message = "the cost store is damaged: " + error.message +
                      "; without the file measuring begins anew";
      break;
    case SQLITE_FULL:
      error.message = "it cannot be written: the disk is full";
      break;
    case SQLITE_IOERR:
    case SQLITE_READONLY:
      error.message = "it cannot be written or read: " + error.message;
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      error.message = "another process has been writing to it for too long";
      break;
    default:
      break;
  }
  error.file = path_;
  return error;
}

}  // namespace tessera::costs
