#include "frontends/onnx/import/graph/graph_from_proto.h"

#include <unordered_set>

#include "frontends/onnx/proto/onnx_ml.pb.h"

namespace tessera::onnx {

namespace {

/// What conversion needs everywhere.
struct Context {
  const SourceBytes& source;
  ExternalFiles& externalFiles;
};

}  // namespace

static Result<Graph> convertGraph(GraphProto& proto, const OpsetMap& opsets, Context& context);

static std::string canonicalDomain(const std::string& domain) {
  return domain == "ai.onnx" ? std::string() : domain;
}

static Error inContext(Error error, const std::string& what) {
  error.message = what + ": " + error.message;
  return error;
}

static OpsetMap convertOpsets(const google::protobuf::RepeatedPtrField<OperatorSetIdProto>& imports,
                              OpsetMap base = {}) {
  for (const OperatorSetIdProto& opset : imports)
    base[canonicalDomain(opset.domain())] = opset.version();
  return base;
}

static Result<ValueType> convertType(const TypeProto& proto) {
  ValueType type;
  switch (proto.value_case()) {
    case TypeProto::kTensorType:
      break;
    case TypeProto::kSequenceType:
      type.otherKind = "sequence";
      return type;
    case TypeProto::kMapType:
      type.otherKind = "map";
      return type;
    case TypeProto::kOptionalType:
      type.otherKind = "optional";
      return type;
    case TypeProto::kSparseTensorType:
      type.otherKind = "sparse tensor";
      return type;
    case TypeProto::kOpaqueType:
      type.otherKind = "opaque";
      return type;
    case TypeProto::VALUE_NOT_SET:
      return type;
  }
  const TypeProto::Tensor& tensor = proto.tensor_type();
  if (tensor.elem_type() != TensorProto::UNDEFINED) {
    TESSERA_TRY(type.element, elementTypeFromOnnx(tensor.elem_type()));
  }
  if (!tensor.has_shape()) return type;
  type.shape.emplace();
  for (const TensorShapeProto::Dimension& dim : tensor.shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() < 0) {
      // Some exporters write -1 for "unknown".
      if (dim.dim_value() != -1)
        return invalidInput("dimension " + std::to_string(dim.dim_value()) + " is negative");
      type.shape->push_back({});
    } else if (dim.has_dim_value()) {
      type.shape->push_back({.size = dim.dim_value(), .symbol = {}});
    } else {
      // Some exporters write "?" for a dimension without a name; "?7" is a name of ours
      // (compiler/ir/infer/given_dims.h).
      const bool isNamed = !dim.dim_param().starts_with('?');
      type.shape->push_back(
          {.size = kDynamicDim, .symbol = isNamed ? dim.dim_param() : std::string()});
    }
  }
  std::vector<int64_t> knownDims;
  for (const Dimension& dim : *type.shape)
    knownDims.push_back(dim.size == kDynamicDim ? 1 : dim.size);
  TESSERA_TRY_VOID([&]() -> Status {
    TESSERA_TRY([[maybe_unused]] const int64_t count, checkedElementCount(knownDims));
    return {};
  }());
  return type;
}

/// The kind of an attribute; files of the earliest exporters have no type and it follows from the
/// field that is set.
static AttributeProto::AttributeType kindOf(const AttributeProto& proto) {
  if (proto.has_type() && proto.type() != AttributeProto::UNDEFINED) return proto.type();
  if (proto.has_f()) return AttributeProto::FLOAT;
  if (proto.has_i()) return AttributeProto::INT;
  if (proto.has_s()) return AttributeProto::STRING;
  if (proto.has_t()) return AttributeProto::TENSOR;
  if (proto.has_g()) return AttributeProto::GRAPH;
  if (proto.floats_size() > 0) return AttributeProto::FLOATS;
  if (proto.ints_size() > 0) return AttributeProto::INTS;
  if (proto.strings_size() > 0) return AttributeProto::STRINGS;
  if (proto.tensors_size() > 0) return AttributeProto::TENSORS;
  if (proto.graphs_size() > 0) return AttributeProto::GRAPHS;
  if (proto.has_sparse_tensor()) return AttributeProto::SPARSE_TENSOR;
  if (proto.has_tp()) return AttributeProto::TYPE_PROTO;
  return AttributeProto::UNDEFINED;
}

static Result<AttributeValue> convertTensors(AttributeProto& proto, Context& context) {
  std::vector<TensorData> tensors;
  for (TensorProto& tensor : *proto.mutable_tensors()) {
    TESSERA_TRY(TensorData decoded, decodeTensor(tensor, context.source, context.externalFiles));
    tensors.push_back(std::move(decoded));
  }
  return AttributeValue(std::move(tensors));
}

static Result<AttributeValue> convertAttributeValue(AttributeProto& proto, const OpsetMap& opsets,
                                                    Context& context) {
  switch (kindOf(proto)) {
    case AttributeProto::FLOAT:
      return AttributeValue(proto.f());
    case AttributeProto::INT:
      return AttributeValue(proto.i());
    case AttributeProto::STRING:
      return AttributeValue(std::move(*proto.mutable_s()));
    case AttributeProto::FLOATS:
      return AttributeValue(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case AttributeProto::INTS:
      return AttributeValue(std::vector<int64_t>(proto.ints().begin(), proto.ints().end()));
    case AttributeProto::STRINGS:
      return AttributeValue(
          std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case AttributeProto::TENSOR: {
      TESSERA_TRY(TensorData tensor,
                  decodeTensor(*proto.mutable_t(), context.source, context.externalFiles));
      return AttributeValue(std::move(tensor));
    }
    case AttributeProto::SPARSE_TENSOR: {
      TESSERA_TRY(TensorData tensor, decodeSparseTensor(*proto.mutable_sparse_tensor(),
                                                        context.source, context.externalFiles));
      return AttributeValue(std::move(tensor));
    }
    case AttributeProto::TENSORS:
      return convertTensors(proto, context);
    case AttributeProto::GRAPH: {
      TESSERA_TRY(Graph graph, convertGraph(*proto.mutable_g(), opsets, context));
      std::vector<Graph> graphs;
      graphs.push_back(std::move(graph));
      return AttributeValue(std::move(graphs));
    }
    case AttributeProto::GRAPHS: {
      std::vector<Graph> graphs;
      for (GraphProto& graph : *proto.mutable_graphs()) {
        TESSERA_TRY(Graph converted, convertGraph(graph, opsets, context));
        graphs.push_back(std::move(converted));
      }
      return AttributeValue(std::move(graphs));
    }
    case AttributeProto::TYPE_PROTO: {
      TESSERA_TRY(ValueType type, convertType(proto.tp()));
      return AttributeValue(std::move(type));
    }
    case AttributeProto::UNDEFINED:
      return invalidInput("it has no known type");
    case AttributeProto::SPARSE_TENSORS:
    case AttributeProto::TYPE_PROTOS:
      break;
  }
  return invalidInput("its type is not supported");
}

static Result<Attribute> convertAttribute(AttributeProto& proto, const OpsetMap& opsets,
                                          Context& context) {
  Attribute attribute{.name = proto.name(), .value = {}, .reference = proto.ref_attr_name()};
  if (!attribute.reference.empty()) return attribute;
  Result<AttributeValue> value = convertAttributeValue(proto, opsets, context);
  if (!value) {
    // An error inside a subgraph already names its node.
    if (!value.error().node.empty()) return std::move(value).error();
    return inContext(std::move(value).error(), "attribute '" + proto.name() + "'");
  }
  attribute.value = std::move(*value);
  return attribute;
}

static Result<Node> convertNode(NodeProto& proto, size_t index, const OpsetMap& opsets,
                                Context& context) {
  Node node;
  node.opType = proto.op_type();
  node.domain = canonicalDomain(proto.domain());
  node.overload = proto.overload();
  node.name = proto.name();
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  if (auto version = opsets.find(node.domain); version != opsets.end())
    node.opset = node.fileOpset = version->second;
  if (node.opType.empty())
    return nodeError(node, "node " + std::to_string(index) + " has no operator type");
  std::unordered_set<std::string> seen;
  for (AttributeProto& attributeProto : *proto.mutable_attribute()) {
    Result<Attribute> attribute = convertAttribute(attributeProto, opsets, context);
    if (!attribute) {
      Error error = std::move(attribute).error();
      if (error.node.empty()) {
        if (node.name.empty()) node.name = node.opType + "_" + std::to_string(index);
        error.node = describeNode(node);
      }
      return error;
    }
    if (!seen.insert(attribute->name).second) {
      return nodeError(node, "attribute '" + attribute->name + "' is given twice");
    }
    node.attributes.push_back(std::move(*attribute));
  }
  if (node.domain.empty() && node.opset == 0) {
    return nodeError(node, "the model imports no operator set of the default domain");
  }
  proto.Clear();
  return node;
}

static Result<std::vector<NamedValue>> convertValues(
    google::protobuf::RepeatedPtrField<ValueInfoProto>& protos, const char* what) {
  std::vector<NamedValue> values;
  for (const ValueInfoProto& proto : protos) {
    Result<ValueType> type = convertType(proto.type());
    if (!type)
      return inContext(std::move(type).error(), std::string(what) + " '" + proto.name() + "'");
    values.push_back({.name = proto.name(), .type = std::move(*type)});
  }
  return values;
}

static Status convertInitializers(GraphProto& proto, Graph& graph, Context& context) {
  auto add = [&](const std::string& name, Result<TensorData> tensor) -> Status {
    if (!tensor) return inContext(std::move(tensor).error(), "initializer '" + name + "'");
    graph.initializers.push_back({.name = name, .tensor = std::move(*tensor)});
    return {};
  };
  graph.initializers.reserve(static_cast<size_t>(proto.initializer_size()) +
                             static_cast<size_t>(proto.sparse_initializer_size()));
  for (TensorProto& tensor : *proto.mutable_initializer()) {
    TESSERA_TRY_VOID(
        add(tensor.name(), decodeTensor(tensor, context.source, context.externalFiles)));
  }
  for (SparseTensorProto& tensor : *proto.mutable_sparse_initializer()) {
    const std::string name = tensor.values().name();
    TESSERA_TRY_VOID(add(name, decodeSparseTensor(tensor, context.source, context.externalFiles)));
  }
  return {};
}

static Result<Graph> convertGraph(GraphProto& proto, const OpsetMap& opsets, Context& context) {
  Graph graph;
  graph.name = proto.name();
  TESSERA_TRY_VOID(convertInitializers(proto, graph, context));
  TESSERA_TRY(std::vector<NamedValue> inputs, convertValues(*proto.mutable_input(), "graph input"));
  TESSERA_TRY(graph.outputs, convertValues(*proto.mutable_output(), "graph output"));
  // Before IR version 4 every initializer had to be an input as well; later that makes a default
  // that a caller may override. Both are constants here.
  std::unordered_set<std::string_view> constants;
  for (const Initializer& initializer : graph.initializers) constants.insert(initializer.name);
  for (NamedValue& input : inputs) {
    if (!constants.contains(input.name)) graph.inputs.push_back(std::move(input));
  }
  for (const ValueInfoProto& info : proto.value_info()) {
    // What a file says about inner values is only a hint: what Tessera cannot represent is left
    // out.
    if (Result<ValueType> type = convertType(info.type()))
      graph.valueTypes[info.name()] = std::move(*type);
  }
  graph.nodes.reserve(static_cast<size_t>(proto.node_size()));
  for (int i = 0; i < proto.node_size(); ++i) {
    TESSERA_TRY(Node node,
                convertNode(*proto.mutable_node(i), static_cast<size_t>(i), opsets, context));
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

static Result<Function> convertFunction(FunctionProto& proto, const OpsetMap& modelOpsets,
                                        Context& context) {
  Function function;
  function.domain = canonicalDomain(proto.domain());
  function.name = proto.name();
  function.overload = proto.overload();
  function.inputs.assign(proto.input().begin(), proto.input().end());
  function.outputs.assign(proto.output().begin(), proto.output().end());
  const OpsetMap opsets = convertOpsets(proto.opset_import(), modelOpsets);
  for (AttributeProto& attributeProto : *proto.mutable_attribute_proto()) {
    TESSERA_TRY(Attribute attribute, convertAttribute(attributeProto, opsets, context));
    function.defaults.push_back(std::move(attribute));
  }
  for (int i = 0; i < proto.node_size(); ++i) {
    TESSERA_TRY(Node node,
                convertNode(*proto.mutable_node(i), static_cast<size_t>(i), opsets, context));
    function.nodes.push_back(std::move(node));
  }
  return function;
}

Result<Model> modelFromProto(LoadedModel loaded) {
  ModelProto& proto = *loaded.proto;
  Context context{.source = loaded.source, .externalFiles = loaded.externalFiles};
  Model model;
  model.irVersion = proto.ir_version();
  model.producer = proto.producer_name();
  model.opsets = convertOpsets(proto.opset_import());
  for (FunctionProto& functionProto : *proto.mutable_functions()) {
    Result<Function> function = convertFunction(functionProto, model.opsets, context);
    if (!function) {
      Error error =
          inContext(std::move(function).error(), "function '" + functionProto.name() + "'");
      if (error.file.empty()) error.file = loaded.source.file;
      return error;
    }
    model.functions.push_back(std::move(*function));
  }
  Result<Graph> graph = convertGraph(*proto.mutable_graph(), model.opsets, context);
  if (!graph) {
    Error error = std::move(graph).error();
    if (!loaded.source.file.empty()) error.file = loaded.source.file;
    return error;
  }
  model.graph = std::move(*graph);
  return model;
}

}  // namespace tessera::onnx
