// A region graph as steps over f32 memory. Plain loops: slow, and right.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "region_graph/graph.h"
#include "tessera/element_type.h"

namespace tessera::backend_testdevice {

/// What a step reads or writes.
struct Tensor {
  std::vector<int64_t> dims;
  int64_t count = 1;            ///< Elements.
  bool isFloat = true;          ///< Others are not read.
  const float* data = nullptr;  ///< Of a constant.
};

struct Step {
  std::string op;
  std::vector<size_t> inputs;  ///< Tensors.
  size_t output = 0;
  int64_t axis = 0;                              ///< concat
  std::vector<int64_t> starts = {}, steps = {};  ///< slice
};

/// Immutable; the graph outlives it.
class Program {
 public:
  /// Errors (kInvalidInput): operators that the device does not have, shapes and types that do not
  /// fit.
  static Result<Program> of(const region_graph::GraphT& graph);

  /// Memory for every tensor that steps compute, empty for others.
  std::vector<std::vector<float>> makeValues() const;
  /// Reads `inputs`, writes `outputs`, both in the order of the call.
  void run(const std::vector<const float*>& inputs, const std::vector<float*>& outputs,
           std::vector<std::vector<float>>& values) const;

  /// What a run adds and multiplies, an operation for each element of other operators.
  int64_t flops() const;

  /// Elements of each input and output of the call.
  std::vector<int64_t> inputCounts() const { return countsOf(arguments_); }
  std::vector<int64_t> outputCounts() const { return countsOf(results_); }

 private:
  std::vector<int64_t> countsOf(const std::vector<size_t>& list) const;
  Status addStep(const region_graph::OperatorT& op);

  std::vector<Tensor> tensors_;
  std::vector<size_t> arguments_, results_;
  std::vector<Step> steps_;
};

}  // namespace tessera::backend_testdevice
