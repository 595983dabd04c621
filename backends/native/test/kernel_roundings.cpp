#include "backends/native/test/kernel_roundings.h"

#include <algorithm>
#include <map>

#include "compiler/ir/tsr.h"

namespace tessera::backend_native {

using namespace mlir;
using reference::TensorView;
using Views = std::span<const TensorView>;

namespace {

/// Elementwise operators that give one of their operands, a constant or a truth value; whatever is
/// in no list here is a function.
constexpr llvm::StringRef kExact[] = {"abs",
                                      "and",
                                      "bit_shift",
                                      "bitwise_and",
                                      "bitwise_not",
                                      "bitwise_or",
                                      "bitwise_xor",
                                      "cast",
                                      "ceil",
                                      "clip",
                                      "dropout",
                                      "equal",
                                      "floor",
                                      "greater",
                                      "greater_or_equal",
                                      "identity",
                                      "is_inf",
                                      "is_nan",
                                      "less",
                                      "less_or_equal",
                                      "max",
                                      "min",
                                      "mod",
                                      "neg",
                                      "not",
                                      "or",
                                      "quantize_linear",
                                      "relu",
                                      "round",
                                      "sign",
                                      "thresholded_relu",
                                      "where",
                                      "xor"};
/// Rounded once for each operand at most.
constexpr llvm::StringRef kArithmetic[] = {
    "add",   "dequantize_linear", "div",    "leaky_relu", "mean", "mul",
    "prelu", "reciprocal",        "shrink", "sqrt",       "sub",  "sum"};
/// Reductions and windows that select.
constexpr llvm::StringRef kSelecting[] = {"argmax",   "argmin",     "global_max_pool", "hardmax",
                                          "max_pool", "reduce_max", "reduce_min",      "top_k"};

bool isIn(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> names) {
  return llvm::is_contained(names, name);
}

int64_t product(std::span<const int64_t> sizes) { return reference::elementCount(sizes); }

int64_t intAttribute(Operation& op, llvm::StringRef name, int64_t otherwise) {
  const auto attribute = op.getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : otherwise;
}

/// Elements that `axis` and those behind it have.
int64_t countFrom(const TensorView& tensor, int64_t axis) {
  return product(tensor.shape.subspan(static_cast<size_t>(axis < 0 ? axis + tensor.rank() : axis)));
}

int64_t sizeAlong(const TensorView& tensor, int64_t axis) {
  return tensor.shape[static_cast<size_t>(axis < 0 ? axis + tensor.rank() : axis)];
}

/// Terms of each element of an einsum: the sizes of the labels that the result does not have.
int64_t einsumTerms(llvm::StringRef equation, Views operands) {
  const auto [inputs, output] = equation.split("->");
  std::map<char, int64_t> summed;
  llvm::SmallVector<llvm::StringRef> terms;
  inputs.split(terms, ',');
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string labels = llvm::join(llvm::split(terms[i], " "), "");
    const size_t dots = labels.find("...");
    const int64_t hidden = operands[i].rank() - static_cast<int64_t>(labels.size()) + 3;
    int64_t axis = 0;
    for (size_t at = 0; at < labels.size(); ++at) {
      if (at == dots) {
        axis += hidden;
        at += 2;
      } else if (const int64_t size = operands[i].shape[static_cast<size_t>(axis++)];
                 !output.contains(labels[at])) {
        summed[labels[at]] = size;
      }
    }
  }
  int64_t count = 1;
  for (const auto& [label, size] : summed) count *= size;
  return count;
}

/// Terms of the sums behind one element: products, reductions, windows, norms.
int64_t termsOf(Operation& op, llvm::StringRef name, Views operands, Views results) {
  const TensorView& x = operands[0];
  if (name == "matmul") return sizeAlong(x, -1);
  if (name == "gemm") return sizeAlong(x, intAttribute(op, "transA", 0) != 0 ? 0 : 1) + 2;
  if (name == "einsum")
    return einsumTerms(op.getAttrOfType<StringAttr>("equation").getValue(), operands);
  if (name == "conv") return countFrom(operands[1], 1) + 1;
  if (name == "conv_transpose")
    return product(operands[1].shape) / operands[1].shape[1] / intAttribute(op, "group", 1) + 1;
  if (name == "average_pool" || name == "lp_pool") {
    const auto kernel = op.getAttrOfType<DenseI64ArrayAttr>("kernel_shape").asArrayRef();
    return product({kernel.data(), kernel.size()});
  }
  if (name == "cumsum") return *std::ranges::max_element(x.shape);
  if (name == "lrn") return intAttribute(op, "size", 1);
  if (name == "batch_norm") return 4;
  if (name == "lp_norm" || name == "softmax" || name == "log_softmax")
    return sizeAlong(x, intAttribute(op, "axis", -1));
  if (name == "layer_norm" || name == "rms_norm") return countFrom(x, intAttribute(op, "axis", -1));
  if (name == "instance_norm") return countFrom(x, 2);
  if (name == "group_norm") return countFrom(x, 1) / intAttribute(op, "num_groups", 1);
  if (name == "mean_variance_norm") return x.count() / sizeAlong(x, 1);
  if (name == "lstm" || name == "gru" || name == "rnn") {
    const int64_t steps = x.shape[intAttribute(op, "layout", 0) == 0 ? 0 : 1];
    return steps * (sizeAlong(x, -1) + sizeAlong(operands[2], -1) + 2 * kFunctionRoundings);
  }
  if (name.starts_with("scatter")) {
    const auto reduction = op.getAttrOfType<StringAttr>("reduction");
    const bool isExact = !reduction || (reduction != "add" && reduction != "mul");
    return isExact ? 0 : operands[2].count();
  }
  // Reductions and global pools.
  return x.count() / std::max<int64_t>(results[0].count(), 1);
}

}  // namespace

static int64_t resizeRoundings(Operation& op, Views operands) {
  const auto mode = op.getAttrOfType<StringAttr>("mode");
  if (!mode || mode.getValue() == "nearest") return 0;
  const int64_t perAxis = mode.getValue() == "cubic" ? 4 : 2;
  return operands[0].rank() * perAxis * 2;  // Weights are rounded as well as products.
}

int64_t roundingsOf(Operation& op, Views operands, Views results) {
  const llvm::StringRef name = op.getName().stripDialect();
  if (auto composite = dyn_cast<ir::CompositeOp>(op)) {
    int64_t sum = 0;
    composite.getBody().walk([&](Operation*) { sum += kFunctionRoundings; });
    return sum;
  }
  auto interface = dyn_cast<ir::TsrOpInterface>(op);
  if (!interface || isIn(name, kSelecting)) return 0;
  switch (interface.getFusionKind()) {
    case ir::FusionKind::Elementwise:
    case ir::FusionKind::Broadcast:
      if (isIn(name, kExact)) return 0;
      if (isIn(name, kArithmetic)) return static_cast<int64_t>(operands.size());
      return kFunctionRoundings;
    case ir::FusionKind::Injective:
      if (name == "resize") return resizeRoundings(op, operands);
      return name == "range" ? 2 : 0;
    case ir::FusionKind::Reduction:
    case ir::FusionKind::OutFusable:
      return termsOf(op, name, operands, results) +
             (name.contains("l2") || name.contains("lp") || name.contains("log")
                  ? kFunctionRoundings
                  : 0);
    case ir::FusionKind::Opaque:
      if (name == "constant" || name == "reverse_sequence") return 0;
      return termsOf(op, name, operands, results) +
             (name == "einsum" || name == "cumsum" || name.starts_with("scatter")
                  ? 0
                  : 2 * kFunctionRoundings);
  }
  return 0;
}

}  // namespace tessera::backend_native
