#include "compiler/driver/measuring/serve.h"

#include "compiler/driver/measuring/trial_maker.h"
#include "compiler/placement/timing/race.h"

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
  Answer handle(const Message& message) {
    const std::string call = textOf(message.header, "call");
    if (call == "trial_begin") return begin(message);
    if (!maker_) return failed("trials were not begun");
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
    return {};
  }

  Answer make(const Message& message) {
    auto made = maker_->make(message);
    if (const auto* failure = std::get_if<TrialFailure>(&made))
      return {.header = {{"outcome", outcomeOf(failure->kind)}, {"reason", failure->reason}}};
    auto& trial = std::get<std::unique_ptr<Trial>>(made);
    Answer answer{.header = {{"outcome", "ok"},
                             {"first_call", trial->firstCallSeconds()},
                             {"arena", trial->arenaBytes()}}};
    trials_[numberOf(message.header, "id")] = std::move(trial);
    return answer;
  }

  std::vector<uint64_t> idsOf(const Message& message) const {
    std::vector<uint64_t> ids;
    for (const json& id : listOf(message.header, "ids")) {
      if (id.is_number_unsigned() && trials_.contains(id)) ids.push_back(id);
    }
    return ids;
  }

  Answer time(const Message& message);

  Answer drop(const Message& message) {
    for (const uint64_t id : idsOf(message)) trials_.erase(id);
    return {};
  }

  placement::Yardstick yardstick_;
  double reference_ = 0;  ///< The yardstick's time in the first race.
  std::unique_ptr<TrialMaker> maker_;
  std::map<uint64_t, std::unique_ptr<Trial>> trials_;
};

Answer Server::time(const Message& message) {
  std::vector<Trial*> trials;
  for (const uint64_t id : idsOf(message)) trials.push_back(trials_.at(id).get());
  const placement::Track track{.numCompetitors = trials.size(),
                               .sample = [&](size_t number) { return trials[number]->time(); },
                               .yardstick = [this] { return yardstick_.time(); }};
  const bool areRivals = numberOf(message.header, "are_rivals") != 0;
  const auto number = [&](const char* key) { return numberOf(message.header, key); };
  const placement::RaceOptions options{
      .minSamples = number("min_samples"),
      .maxSamples = number("max_samples"),
      .maxWarmup = number("max_warmup"),
      .maxSeconds = static_cast<double>(number("milliseconds")) * 1e-3,
      .reference = reference_,
      .areRivals = areRivals};
  const placement::RaceResult result = placement::race(track, options);
  // Races of one process are corrected to one time.
  if (reference_ == 0) reference_ = result.reference;
  json samples = json::array(), reasons = json::array();
  for (const placement::Competitor& each : result.competitors) {
    samples.push_back(areRivals ? each.raw() : each.seconds);  // Rivals are compared in pairs.
    reasons.push_back(each.error ? each.error->message : "");
  }
  return {.header = {{"samples", std::move(samples)}, {"reasons", std::move(reasons)}}};
}

}  // namespace

worker::Handler createTrialHandler() {
  return [server = std::make_shared<Server>()](Message& message, Channel&) {
    return server->handle(message);
  };
}

}  // namespace tessera::driver
