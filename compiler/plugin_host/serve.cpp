#include "compiler/plugin_host/serve.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "compiler/plugin_host/known_part.h"
#include "compiler/plugin_host/library.h"
#include "compiler/plugin_host/model_arguments.h"

namespace tessera::plugin_host {

using nlohmann::json;
using worker::Answer, worker::Channel, worker::failed, worker::Message;
using worker::numberOf, worker::textOf;

static std::string textOr(const char* text) { return text != nullptr ? text : ""; }

namespace {

/// What a half may ask of the compiler while one call runs.
class Services {
 public:
  Services(Channel& channel, std::string name, int32_t numThreads)
      : channel_(channel), name_(std::move(name)), numThreads_(std::max(numThreads, 1)) {
    services_.size = sizeof(services_);
    services_.abi_version = TESSERA_BACKEND_COMPILE_ABI_VERSION;
    services_.host = this;
    services_.log = [](void* host, int32_t level, const char* message) {
      static_cast<Services*>(host)->log(level, textOr(message));
    };
    services_.progress = [](void* host, uint64_t done, uint64_t total) {
      auto& self = *static_cast<Services*>(host);
      const std::scoped_lock lock(self.mutex_);
      (void)self.channel_.send({{"note", "progress"}, {"done", done}, {"total", total}}, {},
                               worker::kNoDeadline);
    };
    services_.num_threads = [](void* host) { return static_cast<Services*>(host)->numThreads_; };
  }
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;

  const tessera_compile_services* get() const { return &services_; }
  /// Why a call failed.
  std::string error() const { return error_.empty() ? "it failed without a reason" : error_; }

 private:
  void log(int32_t level, const std::string& message) {
    const std::scoped_lock lock(mutex_);
    if (level == TESSERA_LOG_ERROR) error_ = message;
    if (level != TESSERA_LOG_ERROR && std::getenv("TESSERA_LOG") != nullptr)
      std::fprintf(stderr, "%s: %s\n", name_.c_str(), message.c_str());
  }

  Channel& channel_;
  std::string name_;
  int32_t numThreads_;
  std::mutex mutex_;
  std::string error_;
  tessera_compile_services services_ = {};
};

/// A path need not be UTF-8.
std::string fileIn(const json& header) {
  const auto file = header.find("file");
  return file != header.end() && file->is_string() ? file->get<std::string>() : std::string();
}

class Server {
 public:
  Answer handle(Message& message, Channel& channel) {
    const std::string call = textOf(message.header, "call");
    if (call == "load") return load(fileIn(message.header));
    if (!half_) return failed("no plugin is loaded");
    keepWeights(message, weights_);
    const ModelArguments models(message, weights_);
    if (models.first() == nullptr) return failed("there is no model");
    const TargetArgument target(message.header);
    Services services(channel, half_->name,
                      static_cast<int32_t>(numberOf(message.header, "threads")));
    if (call == "query") return query(services, target, models);
    if (call == "query_region") return queryRegion(services, target, models);
    if (call == "compile") return compile(services, target, models);
    if (call == "infer_types") return inferTypes(services, models);
    return failed("'" + call + "' is no question");
  }

 private:
  Answer load(const std::string& file);
  Answer query(Services& services, const TargetArgument& target, const ModelArguments& models);
  Answer queryRegion(Services& services, const TargetArgument& target,
                     const ModelArguments& models);
  Answer compile(Services& services, const TargetArgument& target, const ModelArguments& models);
  Answer inferTypes(Services& services, const ModelArguments& models);

  std::optional<tessera_backend_compile> half_;
  Weights weights_;
};

json describe(const tessera_target_attribute& given) {
  const tessera_target_attribute attribute = knownPart(given);
  json values = json::array();
  for (uint32_t i = 0; attribute.values != nullptr && i < attribute.num_values; ++i)
    values.push_back(textOr(attribute.values[i]));
  return {{"name", textOr(attribute.name)},
          {"help", textOr(attribute.help)},
          {"type", static_cast<uint64_t>(attribute.type)},
          {"default", textOr(attribute.default_value)},
          {"values", values}};
}

Answer Server::load(const std::string& file) {
  auto half = loadCompileHalf(file);
  if (!half) return failed(half.error().message);
  half_ = *half;
  json attributes = json::array();
  for (uint32_t i = 0; i < half_->num_attributes; ++i) {
    if (half_->attributes[i] != nullptr) attributes.push_back(describe(*half_->attributes[i]));
  }
  return {.header = {{"name", half_->name},
                     {"version", half_->version},
                     {"abi", uint64_t{half_->abi_version}},
                     {"opset", static_cast<uint64_t>(std::max(half_->opset, 0))},
                     {"needs_weights", uint64_t{half_->needs_weights}},
                     {"asks_regions", uint64_t{half_->query_region != nullptr}},
                     {"infers_types", uint64_t{half_->infer_types != nullptr}},
                     {"attributes", attributes}}};
}

Answer Server::query(Services& services, const TargetArgument& target,
                     const ModelArguments& models) {
  json answers = json::array();
  const tessera_query_sink sink = {
      .size = sizeof(tessera_query_sink),
      .reserved = 0,
      .host = &answers,
      .answer = [](void* host, uint32_t node, const tessera_node_answer* given) {
        if (given == nullptr) return;
        const tessera_node_answer answer = knownPart(*given);
        static_cast<json*>(host)->push_back({{"node", uint64_t{node}},
                                             {"kind", static_cast<uint64_t>(answer.kind)},
                                             {"group", uint64_t{answer.group}},
                                             {"reason", textOr(answer.reason)}});
      }};
  if (half_->query(services.get(), &target.target(), models.first(), &sink) != 0)
    return failed(services.error());
  return {.header = {{"answers", answers}}};
}

Answer Server::queryRegion(Services& services, const TargetArgument& target,
                           const ModelArguments& models) {
  Answer answer;
  const tessera_region_sink sink = {.size = sizeof(tessera_region_sink),
                                    .reserved = 0,
                                    .host = &answer.header,
                                    .refuse = [](void* host, const char* reason) {
                                      (*static_cast<json*>(host))["refused"] = textOr(reason);
                                    }};
  if (half_->query_region == nullptr) return answer;
  if (half_->query_region(services.get(), &target.target(), models.first(), &sink) != 0)
    answer = failed(services.error());
  return answer;
}

Answer Server::compile(Services& services, const TargetArgument& target,
                       const ModelArguments& models) {
  Answer answer{.header = {{"regions", json::array()}}};
  const tessera_compile_sink sink = {
      .size = sizeof(tessera_compile_sink),
      .reserved = 0,
      .host = &answer,
      .add_blob = [](void* host, const void* bytes, uint64_t size) -> uint32_t {
        auto& blobs = static_cast<Answer*>(host)->payloads;
        const auto* first = static_cast<const std::byte*>(bytes);
        blobs.emplace_back(first, first + (bytes != nullptr ? size : 0));
        return static_cast<uint32_t>(blobs.size() - 1);
      },
      .answer =
          [](void* host, uint32_t region, const tessera_region_code* given) {
            if (given == nullptr) return;
            const tessera_region_code code = knownPart(*given);
            static_cast<Answer*>(host)->header["regions"].push_back(
                {{"region", uint64_t{region}},
                 {"blob", uint64_t{code.blob}},
                 {"entry", textOr(code.entry)},
                 {"workspace", code.workspace_bytes},
                 {"least_version", textOr(code.least_runtime_version)}});
          },
      .refuse =
          [](void* host, uint32_t region, const char* reason) {
            static_cast<Answer*>(host)->header["regions"].push_back(
                {{"region", uint64_t{region}}, {"refused", textOr(reason)}});
          }};
  if (half_->compile(services.get(), &target.target(), models.models().data(),
                     static_cast<uint32_t>(models.models().size()), &sink) != 0)
    return failed(services.error());
  return answer;
}

Answer Server::inferTypes(Services& services, const ModelArguments& models) {
  json types = json::array();
  const tessera_type_sink sink = {
      .size = sizeof(tessera_type_sink),
      .reserved = 0,
      .host = &types,
      .answer = [](void* host, uint32_t output, tessera_dtype dtype, uint32_t rank,
                   const int64_t* dims) {
        json sizes = json::array();
        for (uint32_t i = 0; dims != nullptr && i < rank; ++i) sizes.push_back(dims[i]);
        static_cast<json*>(host)->push_back({{"output", uint64_t{output}},
                                             {"code", uint64_t{dtype.code}},
                                             {"bits", uint64_t{dtype.bits}},
                                             {"rank", uint64_t{rank}},
                                             {"dims", sizes}});
      }};
  if (half_->infer_types == nullptr) return {.header = {{"types", types}}};
  if (half_->infer_types(services.get(), models.first(), &sink) != 0)
    return failed(services.error());
  return {.header = {{"types", types}}};
}

}  // namespace

worker::Handler createHandler() {
  return [server = std::make_shared<Server>()](Message& message, Channel& channel) {
    return server->handle(message, channel);
  };
}

}  // namespace tessera::plugin_host
