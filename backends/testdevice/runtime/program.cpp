#include "backends/testdevice/runtime/program.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace tessera::backend_testdevice {

using region_graph::GraphT;
using region_graph::OperatorT;

static const std::map<std::string_view, float (*)(float)>& unaries() {
  static const std::map<std::string_view, float (*)(float)> table = {
      {"abs", [](float a) { return std::fabs(a); }},
      {"exp", [](float a) { return std::exp(a); }},
      {"neg", [](float a) { return -a; }},
      {"relu", [](float a) { return a < 0 ? 0 : a; }},  // NaN stays.
      {"sigmoid", [](float a) { return 1 / (1 + std::exp(-a)); }},
      {"sqrt", [](float a) { return std::sqrt(a); }},
      {"tanh", [](float a) { return std::tanh(a); }}};
  return table;
}

static const std::map<std::string_view, float (*)(float, float)>& binaries() {
  static const std::map<std::string_view, float (*)(float, float)> table = {
      {"add", [](float a, float b) { return a + b; }},
      {"div", [](float a, float b) { return a / b; }},
      {"max", [](float a, float b) { return a > b || std::isnan(a) ? a : b; }},
      {"min", [](float a, float b) { return a < b || std::isnan(a) ? a : b; }},
      {"mul", [](float a, float b) { return a * b; }},
      {"sub", [](float a, float b) { return a - b; }}};
  return table;
}

static bool isRename(std::string_view op) {
  return op == "flatten" || op == "reshape" || op == "squeeze" || op == "unsqueeze";
}

/// Whether `from` broadcasts to the last dimensions of `to`.
static bool broadcasts(std::span<const int64_t> from, std::span<const int64_t> to) {
  if (from.size() > to.size()) return false;
  const size_t offset = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != to[offset + d] && from[d] != 1) return false;
  }
  return true;
}

/// Position in `tensor`, which broadcasts to `dims`, of the element `index` of `dims`.
static int64_t positionIn(std::span<const int64_t> tensor, std::span<const int64_t> dims,
                          int64_t index) {
  int64_t position = 0, stride = 1;
  for (size_t d = tensor.size(), at = dims.size(); d-- > 0;) {
    --at;
    const int64_t coordinate = index % dims[at];
    index /= dims[at];
    if (tensor[d] != 1) position += coordinate * stride;
    stride *= tensor[d];
  }
  return position;
}

static std::span<const int64_t> batchOf(const Tensor& matrices) {
  return std::span(matrices.dims).first(matrices.dims.size() - 2);
}

static void multiply(const Tensor& a, const Tensor& b, const Tensor& c, const float* left,
                     const float* right, float* out) {
  const size_t rank = c.dims.size();
  const int64_t rows = c.dims[rank - 2], columns = c.dims[rank - 1], depth = a.dims.back();
  for (int64_t i = 0; i < c.count; ++i) {
    const int64_t column = i % columns, row = i / columns % rows, batch = i / columns / rows;
    const float* x = left + (positionIn(batchOf(a), batchOf(c), batch) * rows + row) * depth;
    const float* y = right + positionIn(batchOf(b), batchOf(c), batch) * depth * columns + column;
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum += double{x[k]} * y[k * columns];
    out[i] = static_cast<float>(sum);
  }
}

/// Copies each element of a part to or from its place in the whole, by coordinates.
static int64_t placeInWhole(int64_t index, const Tensor& part, const Tensor& whole,
                            std::span<const int64_t> starts, std::span<const int64_t> steps) {
  int64_t position = 0, stride = 1;
  for (size_t d = part.dims.size(); d-- > 0;) {
    position += (starts[d] + index % part.dims[d] * steps[d]) * stride;
    index /= part.dims[d];
    stride *= whole.dims[d];
  }
  return position;
}

/// Parts are blocks of as many elements as lie behind one position before the axis.
static void join(const Step& step, const std::vector<Tensor>& tensors,
                 const std::vector<const float*>& at, float* out) {
  const auto behind = [&](size_t tensor) {
    int64_t count = 1;
    const std::vector<int64_t>& dims = tensors[tensor].dims;
    for (auto d = static_cast<size_t>(step.axis); d < dims.size(); ++d) count *= dims[d];
    return count;
  };
  const int64_t row = behind(step.output);
  for (const size_t part : step.inputs) {
    const int64_t length = behind(part);
    for (int64_t i = 0; i < tensors[part].count; ++i)
      out[i / length * row + i % length] = at[part][i];
    out += length;
  }
}

static bool fitsProduct(const Tensor& a, const Tensor& b, const Tensor& c) {
  const size_t rank = c.dims.size();
  if (a.dims.size() < 2 || b.dims.size() < 2 || rank < 2) return false;
  const int64_t depth = a.dims.back();
  return a.dims[a.dims.size() - 2] == c.dims[rank - 2] && b.dims.back() == c.dims[rank - 1] &&
         b.dims[b.dims.size() - 2] == depth && broadcasts(batchOf(a), batchOf(c)) &&
         broadcasts(batchOf(b), batchOf(c));
}

static bool fitsSlice(const Step& step, const Tensor& whole, const Tensor& part) {
  const size_t rank = whole.dims.size();
  if (part.dims.size() != rank || step.starts.size() != rank || step.steps.size() != rank)
    return false;
  for (size_t d = 0; d < rank; ++d) {
    if (part.dims[d] == 0) continue;
    const int64_t last = step.starts[d] + (part.dims[d] - 1) * step.steps[d];
    if (std::min(step.starts[d], last) < 0 || std::max(step.starts[d], last) >= whole.dims[d])
      return false;
  }
  return true;
}

static bool fitsConcat(const Step& step, const std::vector<Tensor>& tensors) {
  const Tensor& whole = tensors[step.output];
  int64_t sum = 0;
  for (const size_t input : step.inputs) {
    std::vector<int64_t> dims = tensors[input].dims;
    if (dims.size() != whole.dims.size()) return false;
    sum += dims[static_cast<size_t>(step.axis)];
    dims[static_cast<size_t>(step.axis)] = whole.dims[static_cast<size_t>(step.axis)];
    if (dims != whole.dims) return false;
  }
  return sum == whole.dims[static_cast<size_t>(step.axis)];
}

static bool fits(const Step& step, const std::vector<Tensor>& tensors) {
  const Tensor& out = tensors[step.output];
  const auto in = [&](size_t i) -> const Tensor& { return tensors[step.inputs[i]]; };
  const auto reads = [&](size_t i) { return broadcasts(in(i).dims, out.dims); };
  if (step.op == "matmul") return step.inputs.size() == 2 && fitsProduct(in(0), in(1), out);
  if (step.op == "concat") return fitsConcat(step, tensors);
  if (step.op == "slice") return fitsSlice(step, in(0), out);
  if (isRename(step.op)) return in(0).count == out.count;
  if (unaries().contains(step.op)) return in(0).dims == out.dims;
  return binaries().contains(step.op) && step.inputs.size() == 2 && reads(0) && reads(1);
}

Status Program::addStep(const OperatorT& op) {
  const auto refuse = [&](const std::string& why) {
    return invalidInput("operator '" + op.name + "' of a region graph " + why);
  };
  const auto isThere = [](int32_t tensor) { return tensor != region_graph::kAbsent; };
  if (op.inputs.empty() || op.outputs.size() != 1 || !std::ranges::all_of(op.inputs, isThere) ||
      !isThere(op.outputs[0]))
    return refuse("has other operands than the device takes");
  Step step{.op = op.name,
            .inputs = {op.inputs.begin(), op.inputs.end()},
            .output = static_cast<size_t>(op.outputs[0])};
  if (const auto* axes = op.attributes.AsAxes()) {
    if (axes->axes.size() != 1) return refuse("has more or fewer axes than one");
    step.axis = axes->axes.front();
  }
  if (const auto* slice = op.attributes.AsSlice()) {
    step.starts = slice->starts;
    step.steps = slice->steps;
  }
  const auto isFloat = [&](size_t tensor) { return tensors_[tensor].isFloat; };
  if (!isFloat(step.output) || !std::ranges::all_of(step.inputs, isFloat))
    return refuse("is not on f32");
  if (!fits(step, tensors_)) return refuse("has shapes that do not fit, or is unknown");
  steps_.push_back(std::move(step));
  return {};
}

Result<Program> Program::of(const GraphT& graph) {
  Program program;
  for (const auto& tensor : graph.tensors) {
    Tensor made{.dims = tensor->dims};
    made.isFloat = static_cast<ElementType>(tensor->element_type) == ElementType::kF32;
    if (!tensor->data.empty()) made.data = reinterpret_cast<const float*>(tensor->data.data());
    made.count = region_graph::numElements(*tensor);
    if (made.count < 0 || !region_graph::isRowMajor(*tensor))
      return invalidInput("region graph '" + graph.name + "' has tensors of open sizes or layouts");
    program.tensors_.push_back(std::move(made));
  }
  program.arguments_.assign(graph.arguments.begin(), graph.arguments.end());
  program.results_.assign(graph.results.begin(), graph.results.end());
  for (const size_t result : program.results_) {
    if (!program.tensors_[result].isFloat)
      return invalidInput("region graph '" + graph.name + "' has a result that is not f32");
  }
  for (const auto& op : graph.operators) TESSERA_TRY_VOID(program.addStep(*op));
  return program;
}

std::vector<int64_t> Program::countsOf(const std::vector<size_t>& list) const {
  std::vector<int64_t> counts;
  counts.reserve(list.size());
  for (const size_t tensor : list) counts.push_back(tensors_[tensor].count);
  return counts;
}

std::vector<std::vector<float>> Program::makeValues() const {
  std::vector<std::vector<float>> values(tensors_.size());
  for (const Step& step : steps_)
    values[step.output].resize(static_cast<size_t>(tensors_[step.output].count));
  return values;
}

int64_t Program::flops() const {
  int64_t sum = 0;
  for (const Step& step : steps_) {
    const int64_t depth =
        step.op == "matmul" ? 2 * tensors_[step.inputs.front()].dims.back() : int64_t{1};
    sum += tensors_[step.output].count * depth;
  }
  return sum;
}

/// One step, over the addresses of all tensors.
static void runStep(const Step& step, const std::vector<Tensor>& tensors,
                    const std::vector<const float*>& at, float* out) {
  const Tensor& result = tensors[step.output];
  const auto in = [&](size_t i) -> const Tensor& { return tensors[step.inputs[i]]; };
  const auto data = [&](size_t i) { return at[step.inputs[i]]; };
  if (step.op == "matmul") return multiply(in(0), in(1), result, data(0), data(1), out);
  if (isRename(step.op)) {
    std::copy_n(data(0), result.count, out);
  } else if (step.op == "slice") {
    for (int64_t i = 0; i < result.count; ++i)
      out[i] = data(0)[placeInWhole(i, result, in(0), step.starts, step.steps)];
  } else if (step.op == "concat") {
    join(step, tensors, at, out);
  } else if (const auto unary = unaries().find(step.op); unary != unaries().end()) {
    for (int64_t i = 0; i < result.count; ++i) out[i] = unary->second(data(0)[i]);
  } else {
    const auto compute = binaries().at(step.op);
    for (int64_t i = 0; i < result.count; ++i)
      out[i] = compute(data(0)[positionIn(in(0).dims, result.dims, i)],
                       data(1)[positionIn(in(1).dims, result.dims, i)]);
  }
}

void Program::run(const std::vector<const float*>& inputs, const std::vector<float*>& outputs,
                  std::vector<std::vector<float>>& values) const {
  std::vector<const float*> at(tensors_.size());
  for (size_t i = 0; i < tensors_.size(); ++i)
    at[i] = tensors_[i].data != nullptr ? tensors_[i].data : values[i].data();
  for (size_t i = 0; i < arguments_.size(); ++i) at[arguments_[i]] = inputs[i];
  for (const Step& step : steps_) runStep(step, tensors_, at, values[step.output].data());
  for (size_t i = 0; i < results_.size(); ++i)
    std::copy_n(at[results_[i]], tensors_[results_[i]].count, outputs[i]);
}

}  // namespace tessera::backend_testdevice
