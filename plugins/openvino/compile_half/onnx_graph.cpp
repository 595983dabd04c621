#include "compile_half/onnx_graph.h"

#include <algorithm>

#include "shared/wire.h"

namespace tessera_openvino {

static int64_t readDim(std::string_view bytes) {
  int64_t dim = -1;
  forEachField(bytes, [&](const WireField& field) {
    if (field.number == field::kDimValue) dim = static_cast<int64_t>(numberOf(field));
  });
  return dim;
}

static ValueType readTensorType(std::string_view bytes) {
  ValueType type;
  forEachField(bytes, [&](const WireField& field) {
    if (field.number == field::kTensorTypeElement)
      type.elementType = static_cast<int32_t>(numberOf(field));
    if (field.number != field::kTensorTypeShape) return;
    forEachField(field.content, [&](const WireField& dim) {
      if (dim.number == field::kShapeDim) type.dims.push_back(readDim(dim.content));
    });
  });
  return type;
}

namespace {

/// A ValueInfoProto.
struct ValueInfo {
  std::string name;
  ValueType type;
};

}  // namespace

static ValueInfo readValueInfo(std::string_view bytes) {
  ValueInfo info;
  forEachField(bytes, [&](const WireField& field) {
    if (field.number == field::kValueName) info.name = field.content;
    if (field.number != field::kValueType) return;
    forEachField(field.content, [&](const WireField& type) {
      if (type.number == field::kTypeTensor) info.type = readTensorType(type.content);
    });
  });
  return info;
}

static ValueInfo readInitializer(std::string_view bytes) {
  ValueInfo info;
  forEachField(bytes, [&](const WireField& field) {
    if (field.number == field::kTensorName) info.name = field.content;
    if (field.number == field::kTensorDataType)
      info.type.elementType = static_cast<int32_t>(numberOf(field));
    if (field.number != field::kTensorDims) return;
    if (!field.isBytes) {
      info.type.dims.push_back(static_cast<int64_t>(numberOf(field)));
      return;
    }
    const auto* at = reinterpret_cast<const unsigned char*>(field.content.data());
    const unsigned char* end = at + field.content.size();
    uint64_t dim = 0;
    while (at < end && tessera_wire_varint(&at, end, &dim))
      info.type.dims.push_back(static_cast<int64_t>(dim));
  });
  return info;
}

static void readAttribute(std::string_view bytes, OnnxNode& node) {
  std::string name;
  forEachField(bytes, [&](const WireField& field) {  // The name comes first, as its number is.
    if (field.number == field::kAttributeName) name = field.content;
    if (field.number == field::kAttributeText) node.texts[name] = field.content;
    if (field.number == field::kAttributeTexts) node.textLists[name].emplace_back(field.content);
    if (field.number == field::kAttributeNumber)
      node.numbers[name] = static_cast<int64_t>(numberOf(field));
  });
}

static OnnxNode readNode(std::string_view bytes) {
  OnnxNode node;
  forEachField(bytes, [&](const WireField& field) {
    const std::string text(field.isBytes ? field.content : std::string_view());
    if (field.number == field::kNodeInput) node.inputs.push_back(text);
    if (field.number == field::kNodeOutput) node.outputs.push_back(text);
    if (field.number == field::kNodeName) node.name = text;
    if (field.number == field::kNodeOpType) node.opType = text;
    if (field.number == field::kNodeDomain) node.domain = text;
    if (field.number == TESSERA_ONNX_NODE_ATTRIBUTE) readAttribute(field.content, node);
  });
  return node;
}

/// Calls `visit` for each field of the model's graph.
static void forEachOfGraph(std::string_view proto,
                           const std::function<void(const WireField&)>& visit) {
  forEachField(proto, [&](const WireField& field) {
    if (field.number == TESSERA_ONNX_MODEL_GRAPH && field.isBytes)
      forEachField(field.content, visit);
  });
}

OnnxGraph readGraph(std::string_view proto) {
  OnnxGraph graph;
  forEachOfGraph(proto, [&](const WireField& field) {
    const auto keepType = [&](ValueInfo info) {
      graph.types.insert_or_assign(info.name, std::move(info.type));
      return info.name;
    };
    switch (field.number) {
      case TESSERA_ONNX_GRAPH_NODE:
        graph.nodes.push_back(readNode(field.content));
        break;
      case TESSERA_ONNX_GRAPH_INITIALIZER:
        graph.constants.insert(keepType(readInitializer(field.content)));
        break;
      case field::kGraphInput:
        graph.inputs.push_back(keepType(readValueInfo(field.content)));
        break;
      case field::kGraphOutput:
        graph.outputs.push_back(keepType(readValueInfo(field.content)));
        break;
      case field::kGraphValueInfo:
        keepType(readValueInfo(field.content));
        break;
      default:
        break;
    }
  });
  return graph;
}

namespace {

/// Which values are inputs and outputs of a graph of which nodes are taken away.
struct Borders {
  std::set<std::string> inputs, outputs;
};

}  // namespace

static Borders bordersWithout(const OnnxGraph& graph, const std::set<size_t>& nodes) {
  std::set<std::string> made, cut, used;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const OnnxNode& node = graph.nodes[i];
    const bool isCut = nodes.contains(i);
    (isCut ? cut : made).insert(node.outputs.begin(), node.outputs.end());
    (isCut ? cut : used).insert(node.inputs.begin(), node.inputs.end());
  }
  Borders borders;
  for (const std::string& name : used) {
    if (cut.contains(name) && !made.contains(name)) borders.inputs.insert(name);
  }
  cut.insert(graph.outputs.begin(), graph.outputs.end());
  for (const std::string& name : cut) {
    if (made.contains(name) && !name.empty()) borders.outputs.insert(name);
  }
  return borders;
}

std::string withoutNodes(std::string_view proto, const std::set<size_t>& nodes) {
  const OnnxGraph graph = readGraph(proto);
  Borders borders = bordersWithout(graph, nodes);
  for (const std::string& name : graph.inputs) borders.inputs.erase(name);
  std::string kept;
  size_t at = 0;
  forEachOfGraph(proto, [&](const WireField& field) {
    if (field.number == TESSERA_ONNX_GRAPH_NODE && nodes.contains(at++)) return;
    if (field.number == TESSERA_ONNX_GRAPH_INITIALIZER)
      borders.inputs.erase(readInitializer(field.content).name);
    const bool isOutput = field.number == field::kGraphOutput;
    if (isOutput || field.number == field::kGraphValueInfo) {
      const std::string name = readValueInfo(field.content).name;
      if (borders.inputs.erase(name) > 0) appendField(kept, field::kGraphInput, field.content);
      if (borders.outputs.erase(name) > 0) appendField(kept, field::kGraphOutput, field.content);
      if (isOutput) return;
    }
    kept.append(field.whole);
  });
  std::string model;
  forEachField(proto, [&](const WireField& field) {
    if (field.number == TESSERA_ONNX_MODEL_GRAPH)
      appendField(model, TESSERA_ONNX_MODEL_GRAPH, kept);
    else
      model.append(field.whole);
  });
  return model;
}

}  // namespace tessera_openvino
