#include "compiler/driver/schedules/learnt_schedules.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "base/content_hash.h"
#include "compiler/costs/machine.h"
#include "compiler/driver/measuring/code_version.h"
#include "compiler/placement/timing/summary.h"

namespace tessera::driver {

LearntSchedules::LearntSchedules(costs::Store& store, uint32_t threads)
    : store_(&store), version_(base::contentHash(codeGenerator())) {
  const costs::Machine machine = costs::thisMachine();
  machine_ = machine.fingerprint();
  threads_ = threads != 0 ? threads : machine.cores;
}

costs::Key LearntSchedules::keyOf(const std::string& target, const std::string& shapeClass) const {
  return {.subgraph = "schedules of " + shapeClass,
          .target = target,
          .version = version_,
          .machine = machine_,
          .threads = threads_};
}

/// Seconds by schedule, of the last time that each was measured.
static std::map<std::string, double> secondsOf(const std::vector<costs::Record>& records) {
  std::map<std::string, double> seconds;
  for (const costs::Record& record : records)
    if (!record.samples.empty()) seconds[record.schedule] = placement::median(record.samples);
  return seconds;
}

Result<std::optional<std::string>> LearntSchedules::fastest(
    const target::Target& target, const backend_api::Schedules& schedules) {
  TESSERA_TRY(const auto records, store_->find(keyOf(target.toString(), schedules.shapeClass)));
  const std::map<std::string, double> seconds = secondsOf(records);
  const auto own = seconds.find("");
  if (own == seconds.end()) return std::optional<std::string>();
  std::optional<std::string> best;
  double least = own->second * (1 - kWorthwhileSchedule);
  for (const std::string& choice : schedules.choices) {
    const auto known = seconds.find(choice);
    if (known == seconds.end() || known->second >= least) continue;
    least = known->second;
    best = choice;
  }
  return best;
}

Result<bool> LearntSchedules::knows(const target::Target& target,
                                    const backend_api::Schedules& schedules) {
  TESSERA_TRY(const auto records, store_->find(keyOf(target.toString(), schedules.shapeClass)));
  const std::map<std::string, double> seconds = secondsOf(records);
  return seconds.contains("") && std::ranges::all_of(schedules.choices, [&](const auto& choice) {
           return seconds.contains(choice);
         });
}

Status LearntSchedules::keep(std::span<const TimedSchedule> timed) {
  std::vector<costs::Record> records;
  for (const TimedSchedule& each : timed)
    records.push_back({.key = keyOf(each.target, each.shapeClass),
                       .samples = each.samples,
                       .date = std::time(nullptr),
                       .tool = version(),
                       .schedule = each.schedule});
  const auto added = store_->add(records);
  return added ? Status() : Status(added.error());
}

}  // namespace tessera::driver
