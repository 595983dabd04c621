#include "compiler/costs/record.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/content_hash.h"

namespace tessera::costs {

using nlohmann::json;

static constexpr std::array<std::string_view, 6> kOutcomes = {"ok",      "declined",  "failed",
                                                              "crashed", "timed_out", "wrong"};

std::string_view outcomeName(Outcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

Result<Outcome> parseOutcome(std::string_view name) {
  for (size_t i = 0; i < kOutcomes.size(); ++i) {
    if (kOutcomes[i] == name) return static_cast<Outcome>(i);
  }
  return invalidInput("found outcome '" + std::string(name) +
                      "', expected ok, declined, failed, crashed, timed_out or wrong");
}

std::string toJson(const Record& record) {
  // Keys of an object are in order, so that equal records have equal text.
  json object = {{"subgraph", record.key.subgraph},
                 {"target", record.key.target},
                 {"version", record.key.version},
                 {"machine", record.key.machine},
                 {"threads", record.key.threads},
                 {"outcome", outcomeName(record.outcome)},
                 {"reason", record.reason},
                 {"samples", record.samples},
                 {"first_call", record.firstCallSeconds},
                 {"workspace_bytes", record.workspaceBytes},
                 {"date", record.date},
                 {"tool", record.tool}};
  if (!record.plan.empty()) object["plan"] = record.plan;
  if (!record.schedule.empty()) object["schedule"] = record.schedule;
  if (record.yardstickSeconds > 0) object["yardstick"] = record.yardstickSeconds;
  return object.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

std::string digestOf(const Record& record) { return base::contentHash(toJson(record)); }

namespace {

/// The fields of an object; the first that is not as expected is told.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {}

  std::string text(const char* name) {
    const json* value = find(name, "a text");
    return value && check(value->is_string(), name, "a text") ? value->get<std::string>() : "";
  }
  template <typename Number>
  Number whole(const char* name) {
    const json* value = find(name, "a whole number");
    if (!value) return 0;
    const bool fits =
        value->is_number_unsigned()
            ? value->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<Number>::max())
            : std::is_signed_v<Number> && value->is_number_integer();
    return check(fits, name, "a whole number") ? value->get<Number>() : 0;
  }
  double seconds(const char* name) {
    const json* value = find(name, "seconds");
    return value && check(isSeconds(*value), name, "seconds") ? value->get<double>() : 0;
  }
  double secondsIfAny(const char* name) { return object_.contains(name) ? seconds(name) : 0; }
  std::string textIfAny(const char* name) { return object_.contains(name) ? text(name) : ""; }
  std::vector<double> manySeconds(const char* name) {
    const json* value = find(name, "a list of seconds");
    if (!value || !check(value->is_array(), name, "a list of seconds")) return {};
    std::vector<double> numbers;
    for (const json& number : *value) {
      if (!check(isSeconds(number), name, "a list of seconds")) return {};
      numbers.push_back(number.get<double>());
    }
    return numbers;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  static bool isSeconds(const json& value) {
    return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0;
  }
  bool check(bool isAsExpected, const char* name, const char* expected) {
    if (!isAsExpected && wrong_.empty())
      wrong_ = "field '" + std::string(name) + "', expected " + expected;
    return isAsExpected;
  }
  const json* find(const char* name, const char* expected) {
    const auto it = object_.find(name);
    return check(it != object_.end(), name, expected) ? &*it : nullptr;
  }

  const json& object_;
  std::string wrong_;
};

}  // namespace

Result<Record> fromJson(std::string_view line) {
  const json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return invalidInput("it is no JSON object");
  Fields fields(object);
  Record record{.key = {.subgraph = fields.text("subgraph"),
                        .target = fields.text("target"),
                        .version = fields.text("version"),
                        .machine = fields.text("machine"),
                        .threads = fields.whole<uint32_t>("threads")},
                .reason = fields.text("reason"),
                .samples = fields.manySeconds("samples"),
                .yardstickSeconds = fields.secondsIfAny("yardstick"),
                .firstCallSeconds = fields.seconds("first_call"),
                .workspaceBytes = fields.whole<uint64_t>("workspace_bytes"),
                .date = fields.whole<int64_t>("date"),
                .tool = fields.text("tool"),
                .plan = fields.textIfAny("plan"),
                .schedule = fields.textIfAny("schedule")};
  const std::string outcome = fields.text("outcome");
  if (!fields.wrong().empty()) return invalidInput(fields.wrong());
  TESSERA_TRY(record.outcome, parseOutcome(outcome));
  return record;
}

}  // namespace tessera::costs
