#include "tests/simplify/special_values.h"

#include <bit>
#include <cstdio>
#include <limits>
#include <random>

namespace tessera {

const std::vector<float>& specialValues() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  static const std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(),
                                            kInf,
                                            -kInf,
                                            0.0f,
                                            -0.0f,
                                            1e-40f,
                                            -1e-40f,
                                            1.0f,
                                            -1.0f,
                                            0.5f,
                                            3.0f,
                                            -2.5f};
  return values;
}

namespace {

/// Writes functions of one argument each; every value is a tensor of f32.
class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  std::string take() { return std::move(text_); }

  void open(const std::string& type) {
    text_ += "func.func @f" + std::to_string(numFunctions_++) + "(%v0: " + tensor(type) + ") -> ";
    resultAt_ = text_.size();
    text_ += " {\n";
    numValues_ = 1;
    last_ = {.name = "%v0", .type = type};
  }
  void close() {
    text_ += "  return " + last_.name + " : " + tensor(last_.type) + "\n}\n";
    text_.insert(resultAt_, tensor(last_.type));
  }

  /// A constant of one value each for `count` channels.
  std::string constant(const std::string& type, int count) {
    std::string elements;
    for (int i = 0; i < count; ++i) elements += (i != 0 ? ", " : "") + hex(pick());
    return define("tsr.constant dense<" + nested(type, elements, count) + "> : " + tensor(type) +
                  " -> " + tensor(type));
  }
  std::string ints(const std::vector<int64_t>& values) {
    std::string list;
    for (const int64_t value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
    const std::string type = tensor(std::to_string(values.size()) + "xi64");
    return define("tsr.constant dense<[" + list + "]> : " + type + " -> " + type);
  }

  /// Applies an operator to the last value and others; the result has type `type`.
  void apply(const std::string& op, const std::vector<std::string>& others,
             const std::vector<std::string>& otherTypes, const std::string& attributes,
             const std::string& type, bool isReversed = false) {
    std::vector<std::string> names = {last_.name}, types = {tensor(last_.type)};
    names.insert(names.end(), others.begin(), others.end());
    for (const std::string& other : otherTypes) types.push_back(tensor(other));
    if (isReversed) std::swap(names[0], names[1]), std::swap(types[0], types[1]);
    last_ = {.name = define("tsr." + op + " " + join(names) + " " + attributes + " : (" +
                            join(types) + ") -> " + tensor(type)),
             .type = type};
  }

  std::string lastType() const { return last_.type; }
  std::string lastName() const { return last_.name; }
  size_t below(size_t count) { return random_() % count; }

 private:
  struct Value {
    std::string name, type;
  };

  static std::string tensor(const std::string& inside) { return "tensor<" + inside + ">"; }
  static std::string join(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
  }
  static std::string hex(float value) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08X", std::bit_cast<uint32_t>(value));
    return text;
  }
  /// A splat for one element, else a list; only the channel of [C, 1, 1] and [1, C] is nested.
  static std::string nested(const std::string& type, const std::string& elements, int count) {
    if (count == 1) return elements;
    if (type.ends_with("x1x1xf32")) {
      std::string rows = "[[[" + elements + "]]]";
      for (size_t at = 0; (at = rows.find(", ", at)) != std::string::npos; at += 8)
        rows.replace(at, 2, "]], [[");
      return rows;
    }
    return "[" + elements + "]";
  }
  float pick() { return specialValues()[below(specialValues().size())]; }
  std::string define(const std::string& expression) {
    const std::string name = "%v" + std::to_string(numValues_++);
    text_ += "  " + name + " = " + expression + "\n";
    return name;
  }

  std::mt19937 random_;
  std::string text_;
  Value last_;
  size_t resultAt_ = 0;
  int numFunctions_ = 0, numValues_ = 0;
};

}  // namespace

/// One operator with a constant, or alone.
static void step(Writer& w) {
  static const std::vector<std::string> kBinary = {"add", "sub", "mul", "div", "pow", "min", "max"};
  static const std::vector<std::string> kUnary = {"relu", "neg", "reciprocal", "abs", "sqrt"};
  const std::string type = w.lastType();
  const size_t kind = w.below(10);
  if (kind < 6) {
    const std::string constant = w.constant("f32", 1);
    const std::string& op = kBinary[w.below(kBinary.size())];
    // Which of two zeros is the greater one depends on their order: that is open.
    const bool isReversed = op != "min" && op != "max" && w.below(4) == 0;
    w.apply(op, {constant}, {"f32"}, "", type, isReversed);
  } else if (kind < 8) {
    const size_t bounds = w.below(4);
    std::vector<std::string> names;
    for (size_t i = 0; i < bounds % 2 + bounds / 2; ++i) names.push_back(w.constant("f32", 1));
    w.apply("clip", names, std::vector<std::string>(names.size(), "f32"),
            "{operandSegmentSizes = array<i32: 1, " + std::to_string(bounds % 2) + ", " +
                std::to_string(bounds / 2) + ">}",
            type);
  } else {
    w.apply(kUnary[w.below(kUnary.size())], {}, {}, "", type);
  }
}

static void arithmetic(Writer& w) {
  w.open("12xf32");
  for (size_t i = 0, count = 1 + w.below(4); i < count; ++i) step(w);
  w.close();
}

/// x * a + b, times c.
static void affine(Writer& w) {
  w.open("12xf32");
  const std::string wide = w.below(2) != 0 ? "12xf32" : "2x12xf32";
  w.apply("mul", {w.constant("f32", 1)}, {"f32"}, "", "12xf32");
  w.apply("add", {w.constant(wide, 1)}, {wide}, "", wide);
  w.apply("mul", {w.constant("f32", 1)}, {"f32"}, "", wide);
  w.close();
}

/// Convolution, then arithmetic by one constant for each channel, or BatchNormalization.
static void convolution(Writer& w) {
  w.open("1x1x3x4xf32");
  const std::string type = "1x2x3x4xf32";
  w.apply("conv", {w.constant("2x1x1x1xf32", 1)}, {"2x1x1x1xf32"}, "", type);
  for (const char* op : {"mul", "add", "div", "sub"}) {
    if (w.below(2) != 0) w.apply(op, {w.constant("2x1x1xf32", 2)}, {"2x1x1xf32"}, "", type);
  }
  if (w.below(2) != 0) {
    std::vector<std::string> parameters;
    for (int i = 0; i < 4; ++i) parameters.push_back(w.constant("2xf32", 2));
    w.apply("batch_norm", parameters, std::vector<std::string>(4, "2xf32"), "", type);
  }
  w.close();
}

static void product(Writer& w) {
  w.open("12x1xf32");
  w.apply("matmul", {w.constant("1x2xf32", 1)}, {"1x2xf32"}, "", "12x2xf32");
  w.apply("add", {w.constant("2xf32", 2)}, {"2xf32"}, "", "12x2xf32");
  if (w.below(2) != 0) w.apply("mul", {w.constant("f32", 1)}, {"f32"}, "", "12x2xf32");
  w.close();
}

static void normalisation(Writer& w) {
  const bool isOneChannel = w.below(2) != 0;
  const std::string channels = isOneChannel ? "1xf32" : "2xf32";
  w.open(isOneChannel ? "2x1x12xf32" : "1x2x12xf32");
  std::vector<std::string> parameters;
  for (int i = 0; i < 4; ++i) parameters.push_back(w.constant(channels, isOneChannel ? 1 : 2));
  w.apply("batch_norm", parameters, std::vector<std::string>(4, channels), "", w.lastType());
  w.close();
}

/// A Pad before a window that may take it over.
static void window(Writer& w) {
  w.open("1x1x12xf32");
  const std::string pads = w.ints({0, 0, 1, 0, 0, 1}), value = w.constant("f32", 1);
  w.apply("pad", {pads, value}, {"6xi64", "f32"}, "{operandSegmentSizes = array<i32: 1, 1, 1, 0>}",
          "1x1x14xf32");
  if (w.below(3) == 0) {
    w.apply("conv", {w.constant("1x1x3xf32", 1)}, {"1x1x3xf32"}, "", "1x1x12xf32");
  } else {
    w.apply(w.below(2) != 0 ? "max_pool" : "average_pool", {}, {}, "{kernel_shape = array<i64: 3>}",
            "1x1x12xf32");
  }
  w.close();
}

/// x * sigmoid(x), as it is or with the factor of another activation.
static void activation(Writer& w) {
  w.open("12xf32");
  const std::string x = w.lastName();
  step(w);
  w.apply("sigmoid", {}, {}, "", "12xf32");
  w.apply("mul", {x}, {"12xf32"}, "", "12xf32");
  w.close();
}

std::string makeSpecialModule(uint32_t seed) {
  Writer w(seed);
  for (int i = 0; i < 60; ++i) arithmetic(w);
  for (int i = 0; i < 10; ++i) {
    for (const auto make : {affine, convolution, product, normalisation, window, activation})
      make(w);
  }
  return w.take();
}

}  // namespace tessera
