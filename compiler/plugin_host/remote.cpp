#include "compiler/plugin_host/remote.h"

#include <algorithm>

#include "base/version.h"
#include "compiler/plugin_host/description.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::plugin_host {

using nlohmann::json;
using worker::listOf, worker::numberOf, worker::textOf;

/// A region that wants more has miscounted.
constexpr uint64_t kMaxWorkspaceBytes = uint64_t{1} << 40;

std::string word(std::string text) {
  constexpr size_t kMaxLength = 500;
  if (text.size() > kMaxLength) text = worker::validText(text.substr(0, kMaxLength)) + "...";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return text;
}

std::string sentence(std::string text) {
  return text.empty() ? "it gives no reason" : word(std::move(text));
}

Remote::Remote(std::string file) : file_(std::move(file)) {}

Status Remote::load() {
  if (!worker_) {
    TESSERA_TRY(std::string program, worker::workerProgram());
    worker_.emplace(worker::WorkerOptions{.command = {std::move(program), "worker"},
                                          .timeLimit = worker::timeLimitOfEnvironment(),
                                          .memoryLimit = worker::memoryLimitOfEnvironment()});
  }
  TESSERA_TRY(const uint64_t process, worker_->start());
  if (process == process_) return {};
  sent_.clear();
  TESSERA_TRY(worker::Message answer, worker_->ask({{"call", "load"}, {"file", file_}}, {}));
  if (answer.header.contains("failed"))
    return invalidInput(sentence(textOf(answer.header, "failed")));
  process_ = process;
  description_ = std::move(answer);
  return {};
}

Result<Description> Remote::describe() {
  const std::scoped_lock lock(mutex_);
  auto description = [&]() -> Result<Description> {
    TESSERA_TRY_VOID(load());
    return readDescription(description_.header);
  }();
  if (!description) {
    description.error().file = file_;
    return description;
  }
  givesWeights_ = description->needsWeights;
  return description;
}

/// What of a question is about its target.
static void addTarget(json& header, const target::Target& target) {
  json attributes = json::array();
  for (const auto& [name, value] : target.attributes)
    attributes.push_back({{"name", name}, {"value", target::valueText(value)}});
  header["target"] = target.toString();
  header["device"] = static_cast<uint64_t>(target.device);
  header["attributes"] = std::move(attributes);
}

Result<worker::Message> Remote::ask(const Question& question,
                                    const backend_api::Progress& progress) {
  TESSERA_TRY_VOID(load());
  json header = {{"call", question.call}, {"threads", uint64_t{question.numThreads}}};
  if (question.target != nullptr) addTarget(header, *question.target);
  std::vector<std::string> protos;
  std::vector<worker::Bytes> payloads;
  protos.reserve(question.models.size());  // They are pointed to.
  json models = json::array(), weights = json::array();
  for (const onnx::ExportedModel& model : question.models) {
    const std::string& proto = protos.emplace_back(model.proto->SerializeAsString());
    json named = json::array();
    for (const onnx::Weight& weight : model.weights) {
      named.push_back({{"hash", weight.hash},
                       {"size", uint64_t{weight.blob.bytes.size()}},
                       {"given", uint64_t{question.givesWeights}}});
      if (!question.givesWeights || !sent_.insert(weight.hash).second) continue;
      weights.push_back({{"hash", weight.hash}, {"payload", uint64_t{payloads.size()}}});
      payloads.push_back(weight.blob.bytes);
    }
    models.push_back({{"proto", uint64_t{payloads.size()}}, {"weights", std::move(named)}});
    payloads.push_back(std::as_bytes(std::span(proto)));
  }
  header["models"] = std::move(models);
  header["weights"] = std::move(weights);
  const auto note = [&](const worker::Message& message) {
    if (progress && textOf(message.header, "note") == "progress")
      progress(numberOf(message.header, "done"), numberOf(message.header, "total"));
  };
  auto answer = worker_->ask(header, payloads, note);
  if (!answer) return targetFailed(answer.error().message + " in " + question.call);
  if (answer->header.contains("failed"))
    return targetFailed(sentence(textOf(answer->header, "failed")));
  return answer;
}

Result<std::vector<NodeAnswer>> Remote::query(const target::Target& target,
                                              const onnx::ExportedModel& model, size_t numNodes) {
  const std::scoped_lock lock(mutex_);
  TESSERA_TRY(const worker::Message message, ask({.call = "query",
                                                  .target = &target,
                                                  .models = std::span(&model, 1),
                                                  .givesWeights = givesWeights_}));
  std::vector<NodeAnswer> answers(numNodes, NodeAnswer{.reason = "it does not answer about it"});
  for (const json& given : listOf(message.header, "answers")) {
    const uint64_t node = numberOf(given, "node"), kind = numberOf(given, "kind");
    if (node >= numNodes)
      return worker_->reject("it answers about node " + std::to_string(node) + " of " +
                             std::to_string(numNodes));
    if (kind > TESSERA_NODE_TAKEN_IN_GROUP)
      return worker_->reject("it answers with " + std::to_string(kind) +
                             ", which is no kind of answer");
    answers[node] = {.isTaken = kind != TESSERA_NODE_REFUSED,
                     .isInGroup = kind == TESSERA_NODE_TAKEN_IN_GROUP,
                     .group = static_cast<uint32_t>(numberOf(given, "group")),
                     .reason = sentence(textOf(given, "reason"))};
  }
  return answers;
}

Result<std::optional<std::string>> Remote::queryRegion(const target::Target& target,
                                                       const onnx::ExportedModel& region) {
  const std::scoped_lock lock(mutex_);
  TESSERA_TRY(const worker::Message message, ask({.call = "query_region",
                                                  .target = &target,
                                                  .models = std::span(&region, 1),
                                                  .givesWeights = givesWeights_}));
  if (!message.header.contains("refused")) return std::optional<std::string>();
  return std::optional(sentence(textOf(message.header, "refused")));
}

/// The answer about one region.
static backend_api::RegionAnswer readRegion(const json& given, size_t numBlobs) {
  if (given.contains("refused")) return backend_api::Declined{sentence(textOf(given, "refused"))};
  const uint64_t blob = numberOf(given, "blob"), workspace = numberOf(given, "workspace");
  if (blob >= numBlobs)
    return backend_api::Declined{"its code is blob " + std::to_string(blob) + " of " +
                                 std::to_string(numBlobs)};
  if (workspace > kMaxWorkspaceBytes)
    return backend_api::Declined{"it asks for " + std::to_string(workspace) +
                                 " bytes of workspace"};
  std::string entry = textOf(given, "entry");
  if (entry.empty()) return backend_api::Declined{"its code has no entry"};
  if (entry != word(entry))
    return backend_api::Declined{"its code has entry '" + word(entry) + "', which is no name"};
  return backend_api::RegionCode{
      .entry = std::move(entry), .blob = blob, .workspaceBytes = workspace};
}

Result<backend_api::Emission> Remote::compile(const target::Target& target,
                                              std::span<const onnx::ExportedModel> regions,
                                              size_t numThreads,
                                              const backend_api::Progress& progress) {
  const std::scoped_lock lock(mutex_);
  TESSERA_TRY(worker::Message message, ask({.call = "compile",
                                            .target = &target,
                                            .models = regions,
                                            .givesWeights = true,
                                            .numThreads = numThreads},
                                           progress));
  backend_api::Emission emission;
  emission.leastAbi = 1;  // Its runtime half may be older than this compiler.
  emission.regions.assign(regions.size(), backend_api::Declined{"it gives no code for it"});
  for (const json& given : listOf(message.header, "regions")) {
    const uint64_t region = numberOf(given, "region");
    if (region >= regions.size())
      return worker_->reject("it answers about region " + std::to_string(region) + " of " +
                             std::to_string(regions.size()));
    emission.regions[region] = readRegion(given, message.payloads.size());
    const std::string least = word(textOf(given, "least_version"));
    if (base::isOlderVersion(emission.leastVersion, least)) emission.leastVersion = least;
  }
  for (std::vector<std::byte>& blob : message.payloads)
    emission.blobs.push_back({.bytes = std::move(blob)});
  return emission;
}

Result<std::vector<InferredType>> Remote::inferTypes(const onnx::ExportedModel& node) {
  const std::scoped_lock lock(mutex_);
  TESSERA_TRY(const worker::Message message,
              ask({.call = "infer_types", .models = std::span(&node, 1), .givesWeights = true}));
  std::vector<InferredType> types;
  for (const json& given : listOf(message.header, "types")) types.push_back(readType(given));
  return types;
}

}  // namespace tessera::plugin_host
