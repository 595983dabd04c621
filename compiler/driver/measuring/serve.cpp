#include "compiler/driver/measuring/serve.h"

#include "compiler/driver/measuring/crew.h"
#include "compiler/driver/measuring/trial_maker.h"
#include "compiler/placement/timing/diagnosis.h"
#include "compiler/placement/timing/race.h"
#include "compiler/placement/timing/summary.h"

namespace tessera::driver {

using nlohmann::json;
using worker::Answer, worker::Channel, worker::failed, worker::Message;
using worker::listOf, worker::numberOf, worker::textOf;

bool isTrialQuestion(const Message& message) {
  return textOf(message.header, "call").starts_with("trial_");
}

static const char* outcomeOf(TrialFailure::Kind kind) {
  switch (kind) {
    case TrialFailure::Kind::kDeclined:
      return "declined";
    case TrialFailure::Kind::kFailed:
      return "failed";
    case TrialFailure::Kind::kWrong:
      return "wrong";
  }
  return "failed";
}

namespace {

class Server {
 public:
  Answer handle(Message& message) {
    const std::string call = textOf(message.header, "call");
    if (call == "trial_begin") return begin(message);
    if (!maker_) return failed("trials were not begun");
    if (call == "trial_calibrate") return calibrate(message);
    if (call == "trial_rehearse") return rehearse(message);
    if (call == "trial_make") return make(message);
    if (call == "trial_time") return time(message);
    if (call == "trial_drop") return drop(message);
    return failed("there is no such call");
  }

 private:
  Answer begin(const Message& message) {
    std::vector<std::string> plugins;
    for (const json& file : listOf(message.header, "plugins"))
      plugins.push_back(file.get<std::string>());
    auto maker = TrialMaker::create(plugins);
    if (!maker) return failed(maker.error().message);
    maker_ = std::move(*maker);
    numThreads_ = static_cast<uint32_t>(std::max<uint64_t>(1, numberOf(message.header, "threads")));
    crew_.emplace(numThreads_);
    yardstick_.emplace(
        numThreads_, [this](const placement::Yardstick::Body& body) { crew_->run(body); },
        placement::CoreSpeed{.latency = numberOf(message.header, "latency_ns") * 1e-9,
                             .throughput = numberOf(message.header, "throughput_ns") * 1e-9});
    return {};
  }

  Answer calibrate(const Message& message) {
    const auto seconds = static_cast<double>(numberOf(message.header, "milliseconds")) * 1e-3;
    const double yardstick = yardstick_->calibrate(seconds);
    return {.header = {{"yardstick", yardstick},
                       {"latency", yardstick_->core().latency},
                       {"throughput", yardstick_->core().throughput}}};
  }

  Answer make(Message& message) {
    const uint64_t id = numberOf(message.header, "id");
    auto made = maker_->make(std::move(message));
    Answer answer;
    if (const auto* failure = std::get_if<TrialFailure>(&made)) {
      answer.header = {{"outcome", outcomeOf(failure->kind)}, {"reason", failure->reason}};
    } else {
      auto& trial = std::get<std::unique_ptr<Trial>>(made);
      answer.header = {{"outcome", "ok"},
                       {"first_call", trial->firstCallSeconds()},
                       {"memory", trial->memoryBytes()}};
      trials_[id] = std::move(trial);
    }
    SharedCode code = maker_->takeCode();
    answer.header[kCodeKey] = std::move(code.keys);
    for (const auto& [key, bytes] : code.entries) answer.payloads.push_back(*bytes);
    return answer;
  }

  Answer rehearse(const Message& message) {
    const Status status = maker_->rehearse(message);
    return status ? Answer() : failed(status.error().message);
  }

  std::vector<uint64_t> idsOf(const Message& message) const {
    std::vector<uint64_t> ids;
    for (const json& id : listOf(message.header, "ids")) {
      if (id.is_number_unsigned() && trials_.contains(id)) ids.push_back(id);
    }
    return ids;
  }

  std::vector<std::vector<double>> timeCalls(const std::vector<Trial*>& trials, size_t count,
                                             const placement::Calm& calm);
  Answer time(const Message& message);

  Answer drop(const Message& message) {
    for (const uint64_t id : idsOf(message)) trials_.erase(id);
    return {};
  }

  std::optional<Crew> crew_;                       ///< There once trials were begun.
  std::optional<placement::Yardstick> yardstick_;  ///< There once trials were begun.
  uint32_t numThreads_ = 1;
  std::unique_ptr<TrialMaker> maker_;
  std::map<uint64_t, std::unique_ptr<Trial>> trials_;
};

/// Of each trial the medians of what its calls take on a calm machine, in so many runs in turns;
/// none of one that fails, or when the machine was never calm.
std::vector<std::vector<double>> Server::timeCalls(const std::vector<Trial*>& trials, size_t count,
                                                   const placement::Calm& calm) {
  constexpr size_t kTriesEach = 3;
  std::vector<std::vector<std::vector<double>>> samples(trials.size());  // Trial, call, run.
  for (size_t round = 0; round < count; ++round) {
    for (auto [trial, calls] : llvm::zip_equal(trials, samples)) {
      for (size_t i = 0; i < kTriesEach; ++i) {
        placement::Measured measured{.seconds = 1, .before = yardstick_->time()};
        const Result<std::vector<double>> times = trial->timeCalls();
        if (!times) break;
        measured.after = yardstick_->time();
        if (!isCalm(measured, calm)) continue;
        const double share = placement::corrected({&measured, 1}, calm).front();
        calls.resize(times->size());
        for (auto [call, seconds] : llvm::zip_equal(calls, *times)) call.push_back(seconds * share);
        break;
      }
    }
  }
  std::vector<std::vector<double>> medians(trials.size());
  for (auto [calls, found] : llvm::zip_equal(samples, medians))
    for (const std::vector<double>& call : calls) found.push_back(placement::median(call));
  return medians;
}

/// How a trial was by the end of its time.
struct TrialEnd {
  std::string reason = {};  ///< Empty: it is good.
  bool isWrong = false;     ///< It runs, but computes something else by now.
};

TrialEnd endOf(Trial& trial, const placement::Competitor& timed) {
  if (timed.error) return {.reason = timed.error->message};
  const Result<std::string> wrong = trial.whatIsWrongByNow();
  if (!wrong) return {.reason = wrong.error().message};
  return {.reason = *wrong, .isWrong = !wrong->empty()};
}

Answer Server::time(const Message& message) {
  std::vector<Trial*> trials;
  for (const uint64_t id : idsOf(message)) trials.push_back(trials_.at(id).get());
  const placement::Track track{.numCompetitors = trials.size(),
                               .sample = [&](size_t number) { return trials[number]->time(); },
                               .yardstick = [this] { return yardstick_->time(); }};
  const bool areRivals = numberOf(message.header, "are_rivals") != 0;
  const auto number = [&](const char* key) { return numberOf(message.header, key); };
  const placement::RaceOptions options{
      .relativeHalfWidth = static_cast<double>(number("half_width_ppm")) * 1e-6,
      .minSamples = number("min_samples"),
      .maxSamples = number("max_samples"),
      .maxWarmup = number("max_warmup"),
      .maxSeconds = static_cast<double>(number("milliseconds")) * 1e-3,
      .calm = {.reference = numberOf(message.header, "yardstick_ns") * 1e-9},
      .patience = static_cast<double>(number("patience")) * 1e-3,
      .areRivals = areRivals};
  const placement::Load before = placement::machineLoad();
  const placement::RaceResult result = placement::race(track, options);
  std::vector<double> yardsticks;
  for (const placement::Reading& reading : result.yardsticks) yardsticks.push_back(reading.seconds);
  const placement::Evidence machine{.samples = {},
                                    .yardsticks = yardsticks,
                                    .before = before,
                                    .after = placement::machineLoad(),
                                    .threads = numThreads_};
  const std::vector<std::vector<double>> calls =
      timeCalls(trials, number("num_traced"), {.reference = result.reference});
  json timed = json::array();
  for (const auto& [index, each] : llvm::enumerate(result.competitors)) {
    const TrialEnd end = endOf(*trials[index], each);
    json turns = json::array(), calm = json::array();
    for (const placement::Turn& turn : each.turns) {
      turns.push_back(turn.seconds);
      calm.push_back(turn.isCalm ? 1U : 0U);
    }
    timed.push_back(
        {{"seconds", each.seconds},
         {"turns", std::move(turns)},
         {"calm", std::move(calm)},
         {"calls", calls[index]},
         {"disturbed_yardstick", each.disturbedYardstick},
         {"reason", end.reason},
         {"is_wrong", end.isWrong ? 1U : 0U},
         {"remarks", placement::diagnose({.samples = each.seconds, .yardsticks = {}})}});
  }
  return {.header = {{"trials", std::move(timed)},
                     {"remarks", placement::diagnose(machine)},
                     {"waited", result.waited},
                     {"yardstick", placement::hadCores(result.yardsticks)
                                       ? placement::undisturbed(result.yardsticks)
                                       : 0}}};
}

}  // namespace

worker::Handler createTrialHandler() {
  return [server = std::make_shared<Server>()](Message& message, Channel&) {
    return server->handle(message);
  };
}

}  // namespace tessera::driver
