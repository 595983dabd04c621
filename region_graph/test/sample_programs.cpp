#include "region_graph/test/sample_programs.h"

#include <utility>

namespace tessera::region_graph::test {

static int32_t addTensor(GraphT& graph, std::vector<int64_t> dims) {
  graph.tensors.push_back(std::make_unique<TensorT>());
  graph.tensors.back()->dims = std::move(dims);
  return static_cast<int32_t>(graph.tensors.size()) - 1;
}

static OperatorT& addOperator(GraphT& graph, const char* name, std::vector<int32_t> inputs,
                              int32_t output, uint32_t group) {
  graph.operators.push_back(std::make_unique<OperatorT>());
  OperatorT& op = *graph.operators.back();
  op.name = name;
  op.inputs = std::move(inputs);
  op.outputs = {output};
  op.group = group;
  return op;
}

static WindowT windowOf(int64_t kernel, int64_t pad) {
  WindowT window;
  window.kernel = {kernel, kernel};
  window.strides = window.dilations = {1, 1};
  window.pads_begin = window.pads_end = {pad, pad};
  return window;
}

ProgramT sampleProgram() {
  auto graph = std::make_unique<GraphT>();
  graph->name = "sample";
  const int32_t x = addTensor(*graph, {1, 2, 4, 4}), r = addTensor(*graph, {1, 3, 4, 4});
  const int32_t w = addTensor(*graph, {3, 2, 3, 3});
  graph->tensors.back()->data.assign(3 * 2 * 9 * sizeof(float), 0);
  const int32_t product = addTensor(*graph, {1, 3, 4, 4}), sum = addTensor(*graph, {1, 3, 4, 4});
  const int32_t positive = addTensor(*graph, {1, 3, 4, 4});
  graph->tensors.back()->block_dims = {1};
  graph->tensors.back()->block_sizes = {16};
  const int32_t pooled = addTensor(*graph, {1, 3, 3, 3});
  const int32_t part = addTensor(*graph, {1, 2, 3, 1}), y = addTensor(*graph, {1, 2, 3, 1});
  graph->arguments = {x, r};
  graph->results = {y};
  addOperator(*graph, "conv", {x, w}, product, 0).attributes.Set(windowOf(3, 1));
  addOperator(*graph, "add", {product, r}, sum, 0);
  addOperator(*graph, "relu", {sum}, positive, 0);
  addOperator(*graph, "max_pool", {positive}, pooled, 1).attributes.Set(windowOf(2, 0));
  SliceT slice;
  slice.starts = {0, 2, 0, 1};
  slice.steps = {1, -1, 1, 1};
  addOperator(*graph, "slice", {pooled}, part, 2).attributes.Set(std::move(slice));
  AxesT axes;
  axes.axes = {1};
  addOperator(*graph, "softmax", {part}, y, 3).attributes.Set(std::move(axes));
  ProgramT program;
  program.graphs.push_back(std::move(graph));
  return program;
}

}  // namespace tessera::region_graph::test
