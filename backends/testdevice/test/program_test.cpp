// Region graphs whose shapes and types do not fit their operators are refused before they run.
#include "backends/testdevice/runtime/program.h"

#include <gtest/gtest.h>

#include <memory>

namespace tessera::backend_testdevice {
namespace {

using region_graph::AxesT;
using region_graph::GraphT;
using region_graph::OperatorT;
using region_graph::TensorT;
using Dims = std::vector<int64_t>;

/// One operator: its operands are the arguments, its result the result.
GraphT graphOf(const std::string& op, const std::vector<Dims>& inputs, const Dims& output) {
  GraphT graph;
  graph.operators.push_back(std::make_unique<OperatorT>());
  graph.operators.front()->name = op;
  const auto add = [&](const Dims& dims) {
    graph.tensors.push_back(std::make_unique<TensorT>());
    graph.tensors.back()->dims = dims;
    return static_cast<int32_t>(graph.tensors.size()) - 1;
  };
  for (const Dims& dims : inputs) graph.arguments.push_back(add(dims));
  graph.results = {add(output)};
  graph.operators.front()->inputs = graph.arguments;
  graph.operators.front()->outputs = graph.results;
  return graph;
}

GraphT concatOf(const std::vector<Dims>& inputs, const Dims& output, const Dims& axes) {
  GraphT graph = graphOf("concat", inputs, output);
  AxesT attributes;
  attributes.axes = axes;
  graph.operators.front()->attributes.Set(std::move(attributes));
  return graph;
}

bool isTaken(const GraphT& graph) { return static_cast<bool>(Program::of(graph)); }

TEST(TestdeviceProgramTest, FunctionsOfOneOperandKeepTheirShape) {
  EXPECT_TRUE(isTaken(graphOf("relu", {{2, 3}}, {2, 3})));
  for (const Dims& other : {Dims{3}, Dims{1, 3}, Dims{6}, Dims{2, 4}, Dims{}})
    EXPECT_FALSE(isTaken(graphOf("relu", {other}, {2, 3}))) << other.size();
}

TEST(TestdeviceProgramTest, PartsAreJoinedAlongOneAxis) {
  EXPECT_TRUE(isTaken(concatOf({{2, 3}, {2, 1}}, {2, 4}, {1})));
  EXPECT_FALSE(isTaken(concatOf({{2, 3}, {2, 1}}, {2, 4}, {0})));
  EXPECT_FALSE(isTaken(concatOf({{2, 3}, {2, 1}}, {2, 4}, {})));
  EXPECT_FALSE(isTaken(concatOf({{2, 3}, {2, 1}}, {2, 4}, {1, 0})));
}

TEST(TestdeviceProgramTest, OnlyF32IsRead) {
  for (const size_t other : {0, 1, 2}) {
    GraphT graph = graphOf("add", {{2, 3}, {3}}, {2, 3});
    EXPECT_TRUE(isTaken(graph));
    graph.tensors[other]->element_type = static_cast<uint8_t>(ElementType::kF64);
    EXPECT_FALSE(isTaken(graph)) << other;
  }
  GraphT constant = graphOf("neg", {{2}}, {2});
  constant.arguments.clear();
  constant.tensors[0]->data.resize(2 * sizeof(int64_t));
  constant.tensors[0]->element_type = static_cast<uint8_t>(ElementType::kI64);
  EXPECT_FALSE(isTaken(constant)) << "a constant";
  GraphT handedOn = graphOf("neg", {{2}}, {2});
  handedOn.tensors[0]->element_type = static_cast<uint8_t>(ElementType::kI64);
  handedOn.operators.clear();
  handedOn.results = handedOn.arguments;
  EXPECT_FALSE(isTaken(handedOn)) << "an argument that is a result";
}

}  // namespace
}  // namespace tessera::backend_testdevice
