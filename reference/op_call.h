// The uniform entry to the reference implementations: one operator applied to tensors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/tensor.h"
#include "tessera/status.h"

namespace tessera::reference {

/// An operator attribute as ONNX has it: int, float, string, or a list of one of them.
using AttributeValue = std::variant<int64_t, double, std::string, std::vector<int64_t>,
                                    std::vector<double>, std::vector<std::string>>;
/// By ONNX attribute name; an absent attribute has its opset-23 default. The one tensor-valued
/// attribute, constant_of_shape's `value`, is given as its number plus its element type (an ONNX
/// number) as `dtype`.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

/// Inputs in ONNX order. An absent optional input is a view with type kUndefined.
using Inputs = std::span<const TensorView>;

/// One application of an operator, ONNX opset-23 semantics.
struct OpCall {
  std::string_view op;  ///< Mnemonic as in the tsr dialect: "conv", "matmul", "layer_norm".
  Inputs inputs;
  const Attributes& attributes;
  size_t numOutputs = 1;  ///< How many leading outputs the caller wants.
};

/// Evaluates one operator. Errors: unknown operator, element type without an implementation, shapes
/// that do not fit; the message names what was found and what was expected. Allocates its outputs.
Result<std::vector<Tensor>> evaluate(const OpCall& call);

/// True when `op` has an implementation here.
bool isImplemented(std::string_view op);

/// Mnemonics of all implemented operators, sorted.
std::vector<std::string_view> implementedOps();

}  // namespace tessera::reference
