// What `compare` found out about one target, and how it is shown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "differences.h"

namespace tessera::cli {

struct OutputDifference {
  std::string name;
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> shape;
  TensorDifference difference;

  bool isOk() const;
};

/// A value inside the model.
struct NodeDifference {
  std::vector<std::string> ops;
  std::vector<std::string> sourceNodes;
  TensorDifference difference;

  /// Less strict than for outputs: the tolerance is relative to the greatest value of the tensor.
  bool isOk() const;
};

struct Comparison {
  std::string target;
  std::string yardstick;
  std::vector<OutputDifference> outputs;
  bool hasNodes = false;
  std::vector<NodeDifference> nodes = {};  ///< In execution order.
  size_t numUnmatched = 0;                 ///< Values of `target` that `yardstick` does not have.

  bool isWithin() const;
  /// Index of the first of `nodes` outside the tolerance.
  std::optional<size_t> firstDifference() const;
};

void printComparison(const Comparison& comparison);
nlohmann::json toJson(const Comparison& comparison);

}  // namespace tessera::cli
