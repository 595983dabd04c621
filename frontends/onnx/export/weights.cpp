#include "frontends/onnx/export/weights.h"

#include <filesystem>
#include <unordered_map>

#include "base/atomic_file.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::onnx {

using Visit = std::function<void(TensorProto&)>;

static void visitGraph(GraphProto& graph, const Visit& visit) {
  for (TensorProto& tensor : *graph.mutable_initializer()) visit(tensor);
  for (NodeProto& node : *graph.mutable_node()) {
    for (AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) visit(*attribute.mutable_t());
      for (TensorProto& tensor : *attribute.mutable_tensors()) visit(tensor);
      if (attribute.has_g()) visitGraph(*attribute.mutable_g(), visit);
    }
  }
}

void forEachTensor(ModelProto& model, const Visit& visit) {
  visitGraph(*model.mutable_graph(), visit);
}

static std::string locationOf(const TensorProto& tensor) {
  for (const StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") return entry.value();
  }
  return {};
}

static uint64_t totalBytes(const ExportedModel& model) {
  uint64_t total = 0;
  for (const Weight& weight : model.weights) total += weight.blob.bytes.size();
  return total;
}

/// The bytes of the message with all weights in it, each as often as it is named.
static uint64_t inlineBytes(ExportedModel& model) {
  std::unordered_map<std::string, uint64_t> sizes;
  for (const Weight& weight : model.weights) sizes[weight.hash] = weight.blob.bytes.size();
  uint64_t total = model.proto->ByteSizeLong();
  forEachTensor(*model.proto, [&](TensorProto& tensor) {
    if (tensor.data_location() == TensorProto::EXTERNAL) total += sizes[locationOf(tensor)] + 16;
  });
  return total;
}

Result<std::string> serializeInline(ExportedModel model) {
  constexpr uint64_t kMaxMessageBytes = (uint64_t{1} << 31) - 1;
  if (const uint64_t total = inlineBytes(model); total > kMaxMessageBytes)
    return invalidInput("the model with its weights has " + std::to_string(total) +
                        " bytes, more than the 2 GiB of a protobuf message");
  std::unordered_map<std::string, const Weight*> byHash;
  for (const Weight& weight : model.weights) byHash[weight.hash] = &weight;
  forEachTensor(*model.proto, [&](TensorProto& tensor) {
    if (tensor.data_location() != TensorProto::EXTERNAL) return;
    const auto found = byHash.find(locationOf(tensor));
    if (found == byHash.end()) return;
    const std::span<const std::byte> bytes = found->second->blob.bytes;
    tensor.clear_external_data();
    tensor.clear_data_location();
    tensor.set_raw_data(bytes.data(), bytes.size());
  });
  return model.proto->SerializeAsString();
}

/// Writes the weights to `path`; where each lies, by its hash.
static Result<std::unordered_map<std::string, uint64_t>> writeWeights(
    const std::vector<Weight>& weights, const std::string& path) {
  constexpr size_t kAlignment = 64;
  TESSERA_TRY(base::AtomicFile file, base::AtomicFile::create(path));
  std::unordered_map<std::string, uint64_t> offsets;
  uint64_t end = 0;
  const std::vector<std::byte> zeros(kAlignment);
  for (const Weight& weight : weights) {
    const uint64_t padding = (kAlignment - end % kAlignment) % kAlignment;
    TESSERA_TRY_VOID(file.append(std::span(zeros).first(padding)));
    end += padding;
    offsets[weight.hash] = end;
    TESSERA_TRY_VOID(file.append(weight.blob.bytes));
    end += weight.blob.bytes.size();
  }
  TESSERA_TRY_VOID(file.commit());
  return offsets;
}

static void placeIn(TensorProto& tensor, const std::string& location, uint64_t offset) {
  for (StringStringEntryProto& entry : *tensor.mutable_external_data()) {
    if (entry.key() == "location") entry.set_value(location);
  }
  StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key("offset");
  entry.set_value(std::to_string(offset));
}

Status writeModelFile(ExportedModel model, const std::string& path, uint64_t maxInlineBytes) {
  if (totalBytes(model) <= maxInlineBytes) {
    TESSERA_TRY(const std::string bytes, serializeInline(std::move(model)));
    return base::writeFile(path, bytes);
  }
  const std::string beside = path + ".data";
  TESSERA_TRY(const auto offsets, writeWeights(model.weights, beside));
  const std::string location = std::filesystem::path(beside).filename().string();
  forEachTensor(*model.proto, [&](TensorProto& tensor) {
    if (tensor.data_location() != TensorProto::EXTERNAL) return;
    const auto found = offsets.find(locationOf(tensor));
    if (found != offsets.end()) placeIn(tensor, location, found->second);
  });
  return base::writeFile(path, model.proto->SerializeAsString());
}

}  // namespace tessera::onnx
