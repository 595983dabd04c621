// The SDK's helper, in C, says what the exporter says.
#include "tessera/onnx_weights.h"

#include <gtest/gtest.h>

#include "frontends/onnx/export/weights.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::plugin_host {
namespace {

using onnx::TensorProto;

void fill(TensorProto& tensor, const std::string& name, const std::string& hash) {
  tensor.set_name(name);
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.add_dims(2);
  tensor.set_data_location(TensorProto::EXTERNAL);
  onnx::StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value(hash);
}

/// Weights in the graph, in an attribute and in the body of a node.
onnx::ExportedModel makeModel() {
  static const std::vector<std::byte> first(8, std::byte{1}), second(300, std::byte{2});
  onnx::ExportedModel model;
  model.proto->set_ir_version(8);
  onnx::GraphProto& graph = *model.proto->mutable_graph();
  fill(*graph.add_initializer(), "a", "hash1");
  graph.add_initializer()->set_raw_data("inside");
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("If");
  fill(*node.add_attribute()->mutable_t(), "b", "hash2");
  fill(*node.add_attribute()->mutable_g()->add_initializer(), "c", "hash1");
  fill(*node.add_attribute()->add_tensors(), "d", "hash2");
  model.proto->add_opset_import()->set_version(17);
  model.weights.push_back({.hash = "hash1", .blob = {.bytes = first, .owner = {}}});
  model.weights.push_back({.hash = "hash2", .blob = {.bytes = second, .owner = {}}});
  return model;
}

/// The model as a plugin gets it, and with its weights inside.
struct Inlined {
  std::string proto;
  std::vector<tessera_weight> weights;
  std::vector<const tessera_weight*> pointers;
  tessera_onnx_model model = {};

  explicit Inlined(const onnx::ExportedModel& from) : proto(from.proto->SerializeAsString()) {
    for (const onnx::Weight& weight : from.weights)
      weights.push_back({.size = sizeof(tessera_weight),
                         .reserved = 0,
                         .hash = weight.hash.c_str(),
                         .data = weight.blob.bytes.data(),
                         .data_size = weight.blob.bytes.size()});
    for (const tessera_weight& weight : weights) pointers.push_back(&weight);
    model = {.size = sizeof(model),
             .num_weights = static_cast<uint32_t>(weights.size()),
             .proto = proto.data(),
             .proto_size = proto.size(),
             .weights = pointers.data()};
  }
  std::string text() const {
    std::string out(tessera_inline_weights(&model, nullptr, 0), '\0');
    EXPECT_EQ(tessera_inline_weights(&model, out.data(), out.size()), out.size());
    return out;
  }
};

/// The message in its canonical form.
std::string canonical(const std::string& bytes) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  return proto.SerializeAsString();
}

TEST(OnnxWeightsTest, PutsWeightsWhereTheExporterPutsThem) {
  const onnx::ExportedModel model = makeModel();
  const auto expected = onnx::serializeInline(makeModel());
  ASSERT_TRUE(expected);
  EXPECT_EQ(canonical(Inlined(model).text()), canonical(*expected));
}

TEST(OnnxWeightsTest, WeightsWithoutBytesStayOutside) {
  const onnx::ExportedModel model = makeModel();
  Inlined inlined(model);
  for (tessera_weight& weight : inlined.weights) weight.data = nullptr;
  EXPECT_EQ(inlined.text(), inlined.proto);
}

TEST(OnnxWeightsTest, WritesNothingWhereThereIsNoRoom) {
  const onnx::ExportedModel model = makeModel();
  const Inlined inlined(model);
  std::string out = "untouched";
  EXPECT_GT(tessera_inline_weights(&inlined.model, out.data(), out.size()), out.size());
  EXPECT_EQ(out, "untouched");
}

TEST(OnnxWeightsTest, BytesThatAreNoMessageGiveNothing) {
  const onnx::ExportedModel model = makeModel();
  Inlined inlined(model);
  for (size_t size = 1; size < inlined.proto.size(); ++size) {
    const std::string cut(inlined.proto.data(), size);  // On the heap, for sanitizers.
    inlined.model.proto = cut.data();
    inlined.model.proto_size = size;
    const uint64_t written = tessera_inline_weights(&inlined.model, nullptr, 0);
    EXPECT_LT(written, inlined.text().size() + 1);
  }
  inlined.model.proto = "\x3a\x7f";
  inlined.model.proto_size = 2;
  EXPECT_EQ(tessera_inline_weights(&inlined.model, nullptr, 0), 0U);
}

}  // namespace
}  // namespace tessera::plugin_host
