// tessera costs: what a store of measurements holds, and moving it about.
#include <array>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "json_file.h"

namespace tessera::cli {

using nlohmann::json;

/// "1 record", "2 records".
static std::string counted(size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// "2026-11-24", UTC.
static std::string dayOf(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm date = {};
  std::array<char, 64> text = {};
  if (gmtime_r(&time, &date) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d", &date) == 0)
    return "an unknown day";
  return text.data();
}

static json toJson(const CostStatistics& statistics) {
  json targets = json::array(), machines = json::array();
  for (const CostStatistics::Target& target : statistics.targets) {
    json outcomes = json::object();
    for (const auto& [name, count] : target.outcomes) outcomes[name] = count;
    targets.push_back({{"target", target.target}, {"outcomes", std::move(outcomes)}});
  }
  for (const CostStatistics::Machine& machine : statistics.machines)
    machines.push_back({{"machine", machine.fingerprint}, {"records", machine.numRecords}});
  return {{"store", statistics.store},          {"schema_version", statistics.schemaVersion},
          {"size_bytes", statistics.sizeBytes}, {"records", statistics.numRecords},
          {"keys", statistics.numKeys},         {"oldest", statistics.oldest},
          {"newest", statistics.newest},        {"targets", std::move(targets)},
          {"machines", std::move(machines)}};
}

static void print(const CostStatistics& statistics) {
  std::printf("%s: %s of %s, %.1f KiB, schema %" PRId64 "\n", statistics.store.c_str(),
              counted(statistics.numRecords, "record").c_str(),
              counted(statistics.numKeys, "key").c_str(),
              static_cast<double>(statistics.sizeBytes) / 1024, statistics.schemaVersion);
  if (statistics.numRecords == 0) return;
  std::printf("from %s to %s\n", dayOf(statistics.oldest).c_str(),
              dayOf(statistics.newest).c_str());
  for (const CostStatistics::Target& target : statistics.targets) {
    std::string outcomes;
    for (const auto& [name, count] : target.outcomes)
      outcomes += (outcomes.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    std::printf("target %s: %s\n", target.target.c_str(), outcomes.c_str());
  }
  for (const CostStatistics::Machine& machine : statistics.machines)
    std::printf("machine %s: %s\n", machine.fingerprint.c_str(),
                counted(machine.numRecords, "record").c_str());
}

Result<int> runCostsStat(const CostsCommand& command) {
  TESSERA_TRY(const CostStatistics statistics, describeCosts(command.store));
  if (!command.asJson) {
    print(statistics);
    return 0;
  }
  std::printf("%s\n",
              toJson(statistics).dump(2, ' ', false, json::error_handler_t::replace).c_str());
  return 0;
}

static Status writeLine(std::string_view line) {
  const bool isWritten = std::fwrite(line.data(), 1, line.size(), stdout) == line.size() &&
                         std::fputc('\n', stdout) != EOF;
  return isWritten ? Status() : Status(cannotWrite("standard output"));
}

Result<int> runCostsExport(const CostsCommand& command) {
  if (command.files.empty()) {
    TESSERA_TRY_VOID(visitCosts(command.store, writeLine));
    if (std::fflush(stdout) != 0) return cannotWrite("standard output");
    return 0;
  }
  TESSERA_TRY(const size_t numRecords, exportCosts(command.store, command.files.front()));
  std::printf("%s\n", counted(numRecords, "record").c_str());
  return 0;
}

static int print(const CostsAdded& added) {
  std::printf("%s, %zu of them new\n", counted(added.numRecords, "record").c_str(), added.numNew);
  return 0;
}

Result<int> runCostsImport(const CostsCommand& command) {
  TESSERA_TRY(const CostsAdded added, importCosts(command.store, command.files.front()));
  return print(added);
}

Result<int> runCostsMerge(const CostsCommand& command) {
  TESSERA_TRY(const CostsAdded added, mergeCosts(command.store, command.files));
  return print(added);
}

/// Seconds since 1970 of a day's beginning, UTC.
static Result<int64_t> parseDay(const std::string& text) {
  std::tm date = {};
  const char* end = strptime(text.c_str(), "%Y-%m-%d", &date);
  const int64_t seconds = end != nullptr ? timegm(&date) : 0;
  // timegm makes 3 March of 31 February.
  if (end != nullptr && dayOf(seconds) == text) return seconds;
  return usageError("--before " + text + ", expected a day: 2026-11-24");
}

Result<int> runCostsPrune(const CostsCommand& command) {
  if (command.target.empty() && command.machine.empty() && command.before.empty())
    return usageError("expected --target, --machine or --before: which measurements to remove");
  CostSelection selection{.target = command.target, .machine = command.machine};
  if (!command.before.empty()) {
    TESSERA_TRY(selection.before, parseDay(command.before));
  }
  TESSERA_TRY(const size_t numRecords, pruneCosts(command.store, selection));
  std::printf("%s removed\n", counted(numRecords, "record").c_str());
  return 0;
}

}  // namespace tessera::cli
