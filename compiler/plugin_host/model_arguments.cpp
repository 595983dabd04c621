#include "compiler/plugin_host/model_arguments.h"

namespace tessera::plugin_host {

using nlohmann::json;
using worker::listOf, worker::numberOf, worker::textOf;

void keepWeights(worker::Message& message, Weights& weights) {
  for (const json& entry : listOf(message.header, "weights")) {
    const uint64_t payload = numberOf(entry, "payload");
    if (payload < message.payloads.size())
      weights.try_emplace(textOf(entry, "hash"), std::move(message.payloads[payload]));
  }
}

ModelArguments::ModelArguments(const worker::Message& message, const Weights& weights) {
  const json list = listOf(message.header, "models");
  models_.resize(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    Model& model = models_[i];
    const json named = listOf(list[i], "weights");
    model.hashes.reserve(named.size());  // They are pointed to.
    model.weights.reserve(named.size());
    for (const json& entry : named) {
      const std::string& hash = model.hashes.emplace_back(textOf(entry, "hash"));
      const auto known = weights.find(hash);
      const bool hasBytes = known != weights.end() && numberOf(entry, "given") != 0;
      model.weights.push_back({.size = sizeof(tessera_weight),
                               .reserved = 0,
                               .hash = hash.c_str(),
                               .data = hasBytes ? known->second.data() : nullptr,
                               .data_size = numberOf(entry, "size")});
      model.pointers.push_back(&model.weights.back());
    }
    const uint64_t payload = numberOf(list[i], "proto");
    const worker::Bytes proto = payload < message.payloads.size()
                                    ? worker::Bytes(message.payloads[payload])
                                    : worker::Bytes();
    model.model = {.size = sizeof(tessera_onnx_model),
                   .num_weights = static_cast<uint32_t>(model.weights.size()),
                   .proto = proto.data(),
                   .proto_size = proto.size(),
                   .weights = model.pointers.data()};
    pointers_.push_back(&model.model);
  }
}

TargetArgument::TargetArgument(const json& header) : text_(textOf(header, "target")) {
  const json attributes = listOf(header, "attributes");
  words_.reserve(2 * attributes.size());
  for (const json& attribute : attributes) {
    names_.push_back(words_.emplace_back(textOf(attribute, "name")).c_str());
    values_.push_back(words_.emplace_back(textOf(attribute, "value")).c_str());
  }
  target_ = {.size = sizeof(tessera_compile_target),
             .device_number = static_cast<uint32_t>(numberOf(header, "device")),
             .text = text_.c_str(),
             .num_attributes = static_cast<uint32_t>(names_.size()),
             .reserved = 0,
             .attribute_names = names_.data(),
             .attribute_values = values_.data()};
}

}  // namespace tessera::plugin_host
