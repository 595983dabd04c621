// The table of tensor operators, made from the dialect's .td files.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/ir/tsr.h"

namespace tessera::ir {

enum class Presence : uint8_t { kRequired, kOptional, kVariadic };
enum class AttributeKind : uint8_t { kInt, kFloat, kString, kInts, kFloats, kStrings, kTensor };

struct ValueInfo {
  std::string_view name;
  Presence presence;
};

struct AttributeInfo {
  std::string_view name;  ///< The ONNX name.
  AttributeKind kind;
  bool isRequired;
  std::string_view defaultValue;  ///< As text; empty when there is none.
};

/// One operator: an ONNX operator of opset 23 and its form in the dialect.
struct OpInfo {
  std::string_view mnemonic;  ///< Without the dialect prefix.
  std::string_view onnxName;
  FusionKind fusionKind;
  bool hasOperandSegments;  ///< The property operandSegmentSizes has one entry for each of
                            ///< `operands`.
  bool hasResultSegments;   ///< Likewise resultSegmentSizes.
  std::vector<ValueInfo> operands;
  std::vector<ValueInfo> results;
  std::vector<AttributeInfo> attributes;
  int numConstraints;  ///< Labelled (C1), (C2), ... in the description.
  /// An application of the operator, after the constants it needs; names without definition are
  /// arguments.
  std::string_view example;
};

/// All operators, sorted by mnemonic.
std::span<const OpInfo> opTable();
/// Null when the dialect has no such operator.
const OpInfo* findByMnemonic(std::string_view mnemonic);
const OpInfo* findByOnnxName(std::string_view onnxName);

}  // namespace tessera::ir
