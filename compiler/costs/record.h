// What was measured: a candidate's key, and the outcome.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera::costs {

/// What a measurement is about. Equal keys are measurements of one thing, on whichever day.
struct Key {
  /// Hash of its canonical text: operators, types, layouts, spaces; " cold" behind it where no
  /// cache had its weights. Of schedules: "schedules of " and the class.
  std::string subgraph;
  std::string target;   ///< With its attributes: "native -mcpu=znver4".
  std::string version;  ///< Of the backend and its library, or a hash of the code generator.
  std::string machine;  ///< Fingerprint (machine.h).
  uint32_t threads = 1;

  std::strong_ordering operator<=>(const Key&) const = default;
};

/// What came of trying a candidate.
enum class Outcome : uint8_t {
  kOk,        ///< It ran and was right.
  kDeclined,  ///< Its backend made no code for it.
  kFailed,    ///< Loading or running it failed.
  kCrashed,
  kTimedOut,
  kWrong,  ///< It differs from the reference.
};

/// "ok", "declined", "failed", "crashed", "timed_out", "wrong".
std::string_view outcomeName(Outcome outcome);
/// Errors (kInvalidInput): no such outcome.
Result<Outcome> parseOutcome(std::string_view name);

/// One measurement; never changed once it is stored.
struct Record {
  Key key;
  Outcome outcome = Outcome::kOk;
  std::string reason = {};           ///< Of anything but kOk, one sentence.
  std::vector<double> samples = {};  ///< Seconds, in the order in which they were taken.
  /// Seconds that the yardstick (placement/timing) takes on a machine on which those are right: as
  /// fast as this one was thought to be. 0: not known.
  double yardstickSeconds = 0;
  double firstCallSeconds = 0;  ///< Packing and code that is made when it first runs.
  uint64_t workspaceBytes =
      0;                  ///< That the runtime has for it: arenas, scratch memory of backends.
  int64_t date = 0;       ///< Seconds since 1970, UTC.
  std::string tool = {};  ///< Version of Tessera: "0.1.0".
  /// Of a whole model with several targets: the file of the plan that won, whose samples these are.
  std::string plan = {};
  /// Of a class of regions (`subgraph` names it): in which way of its target's they were compiled;
  /// empty for the target's own choice.
  std::string schedule = {};
};

/// A hash of all of it, 32 hexadecimal digits: what makes a record the same in two stores.
std::string digestOf(const Record& record);

/// One line of JSON without the line's end. Samples are exact.
std::string toJson(const Record& record);
/// Unknown fields are ignored. Errors (kInvalidInput): no JSON, a field that is missing or of
/// another type, samples that are no finite numbers of 0 or more.
Result<Record> fromJson(std::string_view line);

}  // namespace tessera::costs
