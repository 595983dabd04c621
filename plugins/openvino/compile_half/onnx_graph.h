// What is asked about: the nodes of an ONNX graph and the types of its values.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera_openvino {

/// Of a tensor. Element types have the numbers of TensorProto.DataType; 0: not known.
struct ValueType {
  int32_t elementType = 0;
  std::vector<int64_t> dims;  ///< -1: known at run time.
};

struct OnnxNode {
  std::string name, opType, domain;
  std::vector<std::string> inputs, outputs;  ///< "" where an optional one is left out.
  std::map<std::string, std::string> texts;  ///< Attributes that are texts.
  std::map<std::string, int64_t> numbers;    ///< Attributes that are whole numbers.
  std::map<std::string, std::vector<std::string>> textLists;  ///< Attributes of several texts.
};

struct OnnxGraph {
  std::vector<OnnxNode> nodes;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, ValueType> types;  ///< Of initialisers, too.
  std::set<std::string> constants;         ///< Initialisers.
};

/// Reads a serialised ModelProto. Throws where it is none.
OnnxGraph readGraph(std::string_view proto);

/// The model without some of its nodes: what they compute becomes inputs, what they use outputs.
std::string withoutNodes(std::string_view proto, const std::set<size_t>& nodes);

}  // namespace tessera_openvino
