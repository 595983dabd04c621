#include "tests/partition/random_graph.h"

#include <algorithm>

namespace tessera::tests {

namespace {

struct Value {
  std::string name;
  std::vector<int64_t> shape;
  size_t line = kNoLine;
  bool isRead = false;

  static constexpr size_t kNoLine = static_cast<size_t>(-1);
};

std::string typeOf(const std::vector<int64_t>& shape, const char* element = "f32") {
  std::string text = "tensor<";
  for (const int64_t size : shape) text += std::to_string(size) + "x";
  return text + element + ">";
}

class Builder {
 public:
  Builder(Random& random, size_t maxOperators, Vocabulary vocabulary)
      : random_(random),
        isFull_(vocabulary == Vocabulary::kFull),
        count_(1 + random.below(maxOperators)) {}

  RandomGraph build() {
    values_.push_back({.name = "%x", .shape = {1, 4, 2, 3}});
    while (made_ < count_) addOperator();
    std::string types;
    for (const Value& value : values_) {
      if (value.isRead || value.line == Value::kNoLine) continue;
      graph_.returned += (graph_.returned.empty() ? "" : ", ") + value.name;
      types += (types.empty() ? "" : ", ") + typeOf(value.shape);
    }
    graph_.returned += " : " + types;
    graph_.resultTypes = "(" + types + ")";
    return std::move(graph_);
  }

 private:
  void addOperator() {
    // Recent values more often, or all graphs would be wide and flat.
    const size_t span = random_.chance(70) ? std::min<size_t>(4, values_.size()) : values_.size();
    const size_t from = values_.size() - 1 - random_.below(span);
    switch (random_.below(isFull_ ? 15 : 10)) {
      case 10:
        return addSlice(from);
      case 11:
        return addLoop(from);
      case 12:
        return addScan(from);
      case 13:
        return addProduct(from);
      case 14:
        return addSum(from);
      case 0:
      case 1:
      case 2:
        return addBinary(from);
      case 3:
        return addReshape(from);
      case 4:
        return addSplit(from);
      case 5:
        return addConcat(from);
      case 6:
        return random_.chance(50) ? addIf(from) : addComposite(from);
      default:
        return addUnary(from);
    }
  }

  std::string nextName() { return "%" + std::to_string(nextValue_++); }
  std::string location() { return " loc(\"n" + std::to_string(made_++) + "\")"; }

  std::string read(size_t value, Line& line) {
    values_[value].isRead = true;
    if (values_[value].line != Value::kNoLine) line.needs.push_back(values_[value].line);
    return values_[value].name;
  }

  void finish(Line line, const std::vector<std::pair<std::string, std::vector<int64_t>>>& results) {
    graph_.lines.push_back(std::move(line));
    for (const auto& [name, shape] : results)
      values_.push_back({.name = name, .shape = shape, .line = graph_.lines.size() - 1});
  }

  /// A line of one constant, which another line needs.
  std::string constant(const std::string& numbers, size_t count, Line& line) {
    const std::string name = nextName(), type = typeOf({static_cast<int64_t>(count)}, "i64");
    graph_.lines.push_back(
        {.text = name + " = tsr.constant dense<[" + numbers + "]> : " + type + " -> " + type,
         .needs = {}});
    line.needs.push_back(graph_.lines.size() - 1);
    return name;
  }

  void addUnary(size_t from) {
    static const std::vector<std::string> kNames = {"relu", "abs", "neg", "ceil", "softmax", "exp"};
    const std::vector<int64_t> shape = values_[from].shape;
    const std::string type = typeOf(shape), name = nextName(), mnemonic = random_.pick(kNames);
    Line line;
    line.text = name + " = tsr." + mnemonic + " " + read(from, line) + " : (" + type + ") -> " +
                type + location();
    finish(std::move(line), {{name, shape}});
  }

  void addBinary(size_t from) {
    static const std::vector<std::string> kNames = {"add", "mul", "sub"};
    std::vector<size_t> fitting;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].shape == values_[from].shape) fitting.push_back(i);
    }
    const std::vector<int64_t> shape = values_[from].shape;
    const std::string type = typeOf(shape), name = nextName(), mnemonic = random_.pick(kNames);
    Line line;
    line.text = name + " = tsr." + mnemonic + " " + read(from, line) + ", ";
    line.text += read(random_.pick(fitting), line) + " : (" + type + ", " + type + ") -> " + type +
                 location();
    finish(std::move(line), {{name, shape}});
  }

  /// By a square of weights.
  void addProduct(size_t from) {
    const std::vector<int64_t> shape = values_[from].shape;
    if (shape.size() < 2) return addUnary(from);
    const std::string type = typeOf(shape), weights = typeOf({shape.back(), shape.back()});
    const std::string factor = nextName(), name = nextName();
    graph_.lines.push_back(
        {.text = factor + " = tsr.constant dense<0.5> : " + weights + " -> " + weights,
         .needs = {}});
    Line line{.text = {}, .needs = {graph_.lines.size() - 1}};
    line.text = name + " = tsr.matmul " + read(from, line) + ", " + factor + " : (" + type + ", " +
                weights + ") -> " + type + location();
    finish(std::move(line), {{name, shape}});
  }

  /// Over the last dimension, which stays as one of size 1.
  void addSum(size_t from) {
    std::vector<int64_t> shape = values_[from].shape;
    const std::string type = typeOf(shape);
    Line line;
    const std::string axis = constant("-1", 1, line), name = nextName();
    shape.back() = 1;
    line.text = name + " = tsr.reduce_sum " + read(from, line) + ", " + axis + " : (" + type +
                ", tensor<1xi64>) -> " + typeOf(shape) + location();
    finish(std::move(line), {{name, shape}});
  }

  void addReshape(size_t from) {
    int64_t count = 1;
    for (const int64_t size : values_[from].shape) count *= size;
    std::vector<std::vector<int64_t>> shapes = {{count}, {1, count}};
    if (count % 4 == 0) shapes.push_back({4, count / 4});
    if (count == 24) shapes.push_back({1, 4, 2, 3});
    const std::vector<int64_t> shape = random_.pick(shapes);
    std::string numbers;
    for (const int64_t size : shape)
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(size);
    Line line;
    const std::string sizes = constant(numbers, shape.size(), line), name = nextName();
    line.text = name + " = tsr.reshape " + read(from, line) + ", " + sizes + " : (" +
                typeOf(values_[from].shape) + ", " +
                typeOf({static_cast<int64_t>(shape.size())}, "i64") + ") -> " + typeOf(shape) +
                location();
    finish(std::move(line), {{name, shape}});
  }

  void addSplit(size_t from) {
    std::vector<int64_t> shape = values_[from].shape;
    const size_t axis = random_.below(shape.size());
    if (shape[axis] % 2 != 0) return addUnary(from);
    const std::string whole = typeOf(shape);
    shape[axis] /= 2;
    const std::string part = typeOf(shape), name = nextName();
    Line line;
    line.text = name + ":2 = tsr.split " + read(from, line) + " {axis = " + std::to_string(axis) +
                " : i64, num_outputs = 2 : i64} : (" + whole + ") -> (" + part + ", " + part + ")" +
                location();
    finish(std::move(line), {{name + "#0", shape}, {name + "#1", shape}});
  }

  void addConcat(size_t from) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].shape == values_[from].shape) fitting.push_back(i);
    }
    const size_t other = random_.pick(fitting);
    std::vector<int64_t> shape = values_[from].shape;
    const std::string part = typeOf(shape), name = nextName();
    shape[0] *= 2;
    if (shape[0] > 16) return addUnary(from);
    Line line;
    line.text = name + " = tsr.concat " + read(from, line) + ", ";
    line.text += read(other, line) + " {axis = 0 : i64} : (" + part + ", " + part + ") -> " +
                 typeOf(shape) + location();
    finish(std::move(line), {{name, shape}});
  }

  /// A part of one dimension: contiguous where all in front of it have one element.
  void addSlice(size_t from) {
    std::vector<int64_t> shape = values_[from].shape;
    const std::string whole = typeOf(shape);
    const size_t axis = random_.below(shape.size());
    if (shape[axis] < 2) return addUnary(from);
    const size_t begin = random_.below(static_cast<size_t>(shape[axis]));
    const size_t size = 1 + random_.below(static_cast<size_t>(shape[axis]) - begin);
    shape[axis] = static_cast<int64_t>(size);
    Line line;
    const std::string starts = constant(std::to_string(begin), 1, line);
    const std::string ends = constant(std::to_string(begin + size), 1, line);
    const std::string axes = constant(std::to_string(axis), 1, line), name = nextName();
    line.text = name + " = tsr.slice " + read(from, line) + ", " + starts + ", " + ends + ", " +
                axes + " {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (" + whole +
                ", tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> " + typeOf(shape) + location();
    finish(std::move(line), {{name, shape}});
  }

  /// Twice: the carried value, plus what is around the body.
  void addLoop(size_t from) {
    const std::vector<int64_t> shape = values_[from].shape;
    const std::string type = typeOf(shape), count = nextName(), name = nextName();
    graph_.lines.push_back(
        {.text = count + " = tsr.constant dense<2> : tensor<i64> -> tensor<i64>", .needs = {}});
    Line line{.text = {}, .needs = {graph_.lines.size() - 1}};
    const std::string value = read(from, line);
    line.text = name + " = tsr.loop " + count + ", " + value +
                " {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<i64>, " + type + ") -> " +
                type + " {\n  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: " + type +
                "):\n    %a = tsr.abs %s : (" + type + ") -> " + type + location() +
                "\n    %b = tsr.add %a, " + value + " : (" + type + ", " + type + ") -> " + type +
                location() + "\n    tsr.yield %go, %b : tensor<i1>, " + type + "\n  }";
    finish(std::move(line), {{name, shape}});
  }

  /// For each slice of the first dimension.
  void addScan(size_t from) {
    const std::vector<int64_t> shape = values_[from].shape;
    const std::string type = typeOf(shape), name = nextName();
    const std::string part = typeOf({shape.begin() + 1, shape.end()});
    Line line;
    line.text = name + " = tsr.scan " + read(from, line) + " {num_scan_inputs = 1 : i64} : (" +
                type + ") -> " + type + " {\n  ^bb0(%s: " + part + "):\n    %a = tsr.neg %s : (" +
                part + ") -> " + part + location() + "\n    %b = tsr.ceil %a : (" + part + ") -> " +
                part + location() + "\n    tsr.yield %b : " + part + "\n  }";
    finish(std::move(line), {{name, shape}});
  }

  void addComposite(size_t from) {
    const std::vector<int64_t> shape = values_[from].shape;
    const std::string type = typeOf(shape), name = nextName();
    Line line;
    line.text = name + " = tsr.composite \"neg_relu\"(" + read(from, line) + ") : (" + type +
                ") -> " + type + " {\n  ^bb0(%a: " + type + "):\n    %b = tsr.neg %a : (" + type +
                ") -> " + type + location() + "\n    %c = tsr.relu %b : (" + type + ") -> " + type +
                location() + "\n    tsr.yield %c : " + type + "\n  }";
    finish(std::move(line), {{name, shape}});
  }

  /// Both branches read what is around them.
  void addIf(size_t from) {
    const std::vector<int64_t> shape = values_[from].shape;
    const std::string type = typeOf(shape), name = nextName();
    Line line;
    const std::string value = read(from, line);
    const auto branch = [&](const std::string& first, const std::string& second) {
      return "{\n    %a = tsr." + first + " " + value + " : (" + type + ") -> " + type +
             location() + "\n    %b = tsr." + second + " %a : (" + type + ") -> " + type +
             location() + "\n    tsr.yield %b : " + type + "\n  }";
    };
    line.text =
        name + " = tsr.if %condition : (tensor<i1>) -> " + type + " " + branch("relu", "exp");
    line.text += " else " + branch("neg", "abs");
    finish(std::move(line), {{name, shape}});
  }

  Random& random_;
  bool isFull_;
  size_t count_;
  size_t made_ = 0;
  size_t nextValue_ = 0;
  std::vector<Value> values_;
  RandomGraph graph_;
};

}  // namespace

std::string RandomGraph::toText(Random* order) const {
  std::string text =
      "func.func @main(%condition: tensor<i1>, %x: tensor<1x4x2x3xf32>) -> " + resultTypes + " {\n";
  std::vector<bool> isDone(lines.size());
  for (size_t done = 0; done < lines.size(); ++done) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < lines.size(); ++i) {
      const bool isReady = std::ranges::all_of(lines[i].needs, [&](size_t n) { return isDone[n]; });
      if (!isDone[i] && isReady) ready.push_back(i);
    }
    const size_t next = order ? order->pick(ready) : ready.front();
    isDone[next] = true;
    text += "  " + lines[next].text + "\n";
  }
  return text + "  return " + returned + "\n}\n";
}

RandomGraph makeRandomGraph(Random& random, size_t maxOperators, Vocabulary vocabulary) {
  return Builder(random, maxOperators, vocabulary).build();
}

}  // namespace tessera::tests
