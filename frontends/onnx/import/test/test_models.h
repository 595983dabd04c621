// Small ONNX models for the importer's tests, made in code.
#pragma once

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "frontends/onnx/import/graph/graph.h"
#include "frontends/onnx/import/graph/graph_from_proto.h"
#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::onnx::test {

inline std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline void setAttribute(NodeProto& node, const std::string& name, int64_t value) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INT);
  attribute.set_i(value);
}
inline void setAttribute(NodeProto& node, const std::string& name, float value) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::FLOAT);
  attribute.set_f(value);
}
inline void setAttribute(NodeProto& node, const std::string& name, const char* value) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::STRING);
  attribute.set_s(value);
}
inline void setAttribute(NodeProto& node, const std::string& name,
                         const std::vector<int64_t>& values) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
}
inline void setAttribute(NodeProto& node, const std::string& name,
                         const std::vector<float>& values) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
}
inline GraphProto& addGraphAttribute(NodeProto& node, const std::string& name) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::GRAPH);
  attribute.mutable_g()->set_name(name);
  return *attribute.mutable_g();
}

inline NodeProto& addNode(GraphProto& graph, const std::string& opType,
                          const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs, const std::string& name = "") {
  NodeProto& node = *graph.add_node();
  node.set_op_type(opType);
  node.set_name(name);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

/// A dimension of a declared shape: a size, or a name.
struct Dim {
  Dim(int size) : size(size) {}                // NOLINT: implicit by design
  Dim(const char* symbol) : symbol(symbol) {}  // NOLINT: implicit by design
  int64_t size = 0;
  std::string symbol;
};

inline void setType(ValueInfoProto& value, const std::string& name, int elementType,
                    const std::vector<Dim>& shape) {
  value.set_name(name);
  TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(elementType);
  type.mutable_shape();
  for (const Dim& dim : shape) {
    TensorShapeProto::Dimension& proto = *type.mutable_shape()->add_dim();
    if (dim.symbol.empty()) {
      proto.set_dim_value(dim.size);
    } else {
      proto.set_dim_param(dim.symbol);
    }
  }
}
inline void addInput(GraphProto& graph, const std::string& name, const std::vector<Dim>& shape,
                     int elementType = TensorProto::FLOAT) {
  setType(*graph.add_input(), name, elementType, shape);
}
inline void addOutput(GraphProto& graph, const std::string& name) {
  graph.add_output()->set_name(name);
}

template <typename T>
TensorProto& setRaw(TensorProto& tensor, int elementType, const std::vector<int64_t>& shape,
                    const std::vector<T>& values) {
  tensor.set_data_type(elementType);
  for (const int64_t dim : shape) tensor.add_dims(dim);
  tensor.set_raw_data(values.data(), values.size() * sizeof(T));
  return tensor;
}
inline TensorProto& addFloats(GraphProto& graph, const std::string& name,
                              const std::vector<int64_t>& shape, const std::vector<float>& values) {
  TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  return setRaw(tensor, TensorProto::FLOAT, shape, values);
}
inline TensorProto& addInts(GraphProto& graph, const std::string& name,
                            const std::vector<int64_t>& shape, const std::vector<int64_t>& values) {
  TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  return setRaw(tensor, TensorProto::INT64, shape, values);
}

/// An empty model of the opset.
inline ModelProto makeModel(int64_t opset) {
  ModelProto model;
  model.set_ir_version(opset >= 21 ? 10 : 7);
  OperatorSetIdProto& import = *model.add_opset_import();
  import.set_version(opset);
  model.mutable_graph()->set_name("test");
  return model;
}

/// y = Relu(x + w), x: [2, 3].
inline ModelProto addRelu() {
  ModelProto model = makeModel(17);
  GraphProto& graph = *model.mutable_graph();
  addInput(graph, "x", {2, 3});
  addFloats(graph, "w", {3}, {1, 2, 3});
  addNode(graph, "Add", {"x", "w"}, {"sum"}, "add");
  addNode(graph, "Relu", {"sum"}, {"y"}, "relu");
  addOutput(graph, "y");
  return model;
}

/// Through the wire format, as a file would go.
inline Result<Model> readModel(const ModelProto& proto) {
  const std::string bytes = proto.SerializeAsString();
  TESSERA_TRY(LoadedModel loaded, loadModel(sourceFromMemory(bytesOf(bytes)), ""));
  return modelFromProto(std::move(loaded));
}

inline std::vector<float> floatsOf(const TensorData& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

}  // namespace tessera::onnx::test
