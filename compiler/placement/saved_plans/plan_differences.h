// What of a model is not as a plan knows it.
#pragma once

#include <string>
#include <vector>

#include "compiler/placement/operator_graph.h"

namespace tessera::placement {

/// What an operator is called in plans: "3 conv 'conv1'".
std::string describeNode(const OperatorGraph& graph, uint32_t node);

/// What makes an operator another one of the same name: attributes, types, constants and operators
/// that it reads; those of bodies, too. Eight digits.
std::string fingerprintOf(const OperatorGraph& graph, uint32_t node);

/// An operator as a plan describes it.
struct KnownNode {
  std::string description;
  std::string fingerprint;  ///< Empty: not known.
};

/// Where they and the model part ways, whatever the numbers: "3 conv 'a' is 3 relu 'a', 5 add 'c'
/// has other attributes, types, weights or inputs, 6 mul 'd' is not there, and 2 more". Empty where
/// they do not.
std::string differencesOf(const OperatorGraph& graph, const std::vector<KnownNode>& known);

}  // namespace tessera::placement
