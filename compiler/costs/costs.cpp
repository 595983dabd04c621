// The functions of include/tessera/costs.h: what goes from one store to another is read whole
// before anything is written.
#include "tessera/costs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>

#include "base/atomic_file.h"
#include "compiler/costs/store.h"

namespace tessera {

using costs::Record;
using costs::Store;
using costs::WhenMissing;

namespace fs = std::filesystem;

static Result<std::unique_ptr<Store>> open(const std::string& store, WhenMissing whenMissing) {
  if (store.find("://") != std::string::npos)
    return usageError("found '" + store + "' as a cost store, expected a file");
  return costs::openSqliteStore(store.empty() ? defaultCostStore() : store, whenMissing);
}

static Result<std::vector<Record>> recordsOf(Store& store) {
  std::vector<Record> records;
  TESSERA_TRY_VOID(store.forEach({}, [&](const Record& record) -> Status {
    records.push_back(record);
    return {};
  }));
  return records;
}

static Result<CostsAdded> addTo(const std::string& store, const std::vector<Record>& records) {
  TESSERA_TRY(const std::unique_ptr<Store> into, open(store, WhenMissing::kMake));
  TESSERA_TRY(const size_t numNew, into->add(records));
  return CostsAdded{.numRecords = records.size(), .numNew = numNew};
}

std::string defaultCostStore() { return costs::defaultStorePath(); }

namespace {

/// Counts records one by one.
class Counts {
 public:
  void add(const Record& record) {
    oldest_ = numRecords_ == 0 ? record.date : std::min(oldest_, record.date);
    newest_ = numRecords_ == 0 ? record.date : std::max(newest_, record.date);
    ++numRecords_;
    keys_.insert(record.key);
    ++outcomes_[record.key.target][record.outcome];
    ++machines_[record.key.machine];
  }

  CostStatistics statistics() const {
    CostStatistics result{
        .numRecords = numRecords_, .numKeys = keys_.size(), .oldest = oldest_, .newest = newest_};
    for (const auto& [target, counts] : outcomes_) {
      CostStatistics::Outcomes outcomes;
      for (const auto& [outcome, count] : counts)
        outcomes.emplace_back(costs::outcomeName(outcome), count);
      result.targets.push_back({.target = target, .outcomes = std::move(outcomes)});
    }
    for (const auto& [machine, count] : machines_)
      result.machines.push_back({.fingerprint = machine, .numRecords = count});
    return result;
  }

 private:
  size_t numRecords_ = 0;
  int64_t oldest_ = 0, newest_ = 0;
  std::set<costs::Key> keys_;
  std::map<std::string, std::map<costs::Outcome, size_t>> outcomes_;  ///< By target.
  std::map<std::string, size_t> machines_;
};

}  // namespace

Result<CostStatistics> describeCosts(const std::string& store) {
  TESSERA_TRY(const std::unique_ptr<Store> from, open(store, WhenMissing::kRefuse));
  Counts counts;
  TESSERA_TRY_VOID(from->forEach({}, [&](const Record& record) -> Status {
    counts.add(record);
    return {};
  }));
  CostStatistics result = counts.statistics();
  result.store = store.empty() ? defaultCostStore() : store;
  result.schemaVersion = from->schemaVersion();
  for (const char* journal : {"", "-wal"}) {
    std::error_code missing;
    const uintmax_t size = fs::file_size(result.store + journal, missing);
    if (!missing) result.sizeBytes += size;
  }
  return result;
}

Status visitCosts(const std::string& store,
                  const std::function<Status(std::string_view line)>& visit) {
  TESSERA_TRY(const std::unique_ptr<Store> from, open(store, WhenMissing::kRefuse));
  return from->forEach({}, [&](const Record& record) { return visit(toJson(record)); });
}

Result<size_t> exportCosts(const std::string& store, const std::string& file) {
  std::error_code ignored;  // What is not there is no other file.
  if (fs::equivalent(store.empty() ? defaultCostStore() : store, file, ignored))
    return usageError("the lines would replace the cost store '" + file + "'");
  TESSERA_TRY(base::AtomicFile out, base::AtomicFile::create(file));
  size_t numRecords = 0;
  TESSERA_TRY_VOID(visitCosts(store, [&](std::string_view line) {
    ++numRecords;
    const std::string withEnd = std::string(line) + "\n";
    return out.append(std::as_bytes(std::span(withEnd)));
  }));
  TESSERA_TRY_VOID(out.commit());
  return numRecords;
}

static Error about(const std::string& file, Error error) {
  error.file = file;
  return error;
}

Result<CostsAdded> importCosts(const std::string& store, const std::string& file) {
  std::ifstream in(file);
  if (!in) return about(file, invalidInput("cannot open the file"));
  std::vector<Record> records;
  size_t number = 1;
  for (std::string line; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Result<Record> record = costs::fromJson(line);
    if (!record) return about(file + ":" + std::to_string(number), record.error());
    records.push_back(std::move(*record));
  }
  if (in.bad()) return about(file, invalidInput("the file cannot be read"));
  return addTo(store, records);
}

Result<CostsAdded> mergeCosts(const std::string& store, const std::vector<std::string>& sources) {
  std::vector<Record> records;
  for (const std::string& source : sources) {
    TESSERA_TRY(const std::unique_ptr<Store> from, open(source, WhenMissing::kRefuse));
    TESSERA_TRY(std::vector<Record> some, recordsOf(*from));
    std::ranges::move(some, std::back_inserter(records));
  }
  return addTo(store, records);
}

Result<size_t> pruneCosts(const std::string& store, const CostSelection& selection) {
  TESSERA_TRY(const std::unique_ptr<Store> from, open(store, WhenMissing::kRefuse));
  return from->remove(
      {.target = selection.target, .machine = selection.machine, .before = selection.before});
}

}  // namespace tessera
