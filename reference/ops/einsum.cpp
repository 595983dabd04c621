// Einstein summation in general: every label of the equation is one loop.
//
// Each input is a strided walk over all labels (stride 0 for those it lacks, the sum of strides for
// a repeated one). The output's labels are the outer loops, the others the inner, summed in double.
// An equation that is a plain product of two matrices costs as much as any other; use matmul for
// speed.
#include <cctype>
#include <map>

#include "reference/loops/dispatch.h"
#include "reference/loops/strided.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// The dimensions of one operand: letters, and '0' + i for the i-th dimension, from the right, of
/// an ellipsis.
using Labels = std::vector<int>;

static constexpr int kEllipsis = -1;
static constexpr int kFirstEllipsisLabel = 1 << 10;

/// Splits "ab...c" into labels, with kEllipsis for "...".
static Result<Labels> parseTerm(const OpCall& call, std::string_view term) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i, 3) == "...") {
      if (std::ranges::count(labels, kEllipsis) > 0)
        return opError(call, "a term has two ellipses");
      labels.push_back(kEllipsis);
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
      labels.push_back(term[i]);
    } else {
      return opError(call, "unexpected character in term '" + std::string(term) + "'");
    }
  }
  return labels;
}

/// Replaces the ellipsis by `rank` labels of its own, the same from the right in every operand.
static Labels expandEllipsis(const Labels& labels, int64_t rank) {
  Labels expanded;
  for (const int label : labels) {
    if (label != kEllipsis) expanded.push_back(label);
    for (int64_t i = rank; label == kEllipsis && i-- > 0;)
      expanded.push_back(kFirstEllipsisLabel + static_cast<int>(i));
  }
  return expanded;
}

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
  std::map<int, int64_t> sizes;  ///< Of each label.
};

/// The output of an equation without "->": the ellipsis, then the letters that occur once, in
/// order.
static Labels implicitOutput(const std::vector<Labels>& inputs) {
  std::map<int, int> counts;
  for (const Labels& labels : inputs) {
    for (const int label : labels) ++counts[label];
  }
  Labels output;
  if (counts.contains(kEllipsis)) output.push_back(kEllipsis);
  for (auto [label, count] : counts) {
    if (label != kEllipsis && count == 1) output.push_back(label);
  }
  return output;
}

/// Expands the ellipses, and gives each label its size: equal ones, but in an ellipsis 1
/// broadcasts.
static Status bindSizes(const OpCall& call, Equation& equation) {
  int64_t ellipsisRank = 0;
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    Labels& labels = equation.inputs[i];
    TESSERA_TRY(const TensorView x, requiredInput(call, i));
    const int64_t named =
        static_cast<int64_t>(labels.size()) - std::ranges::count(labels, kEllipsis);
    const bool hasEllipsis = named != static_cast<int64_t>(labels.size());
    if (x.rank() < named || (x.rank() > named && !hasEllipsis)) {
      return opError(call, "input " + std::to_string(i) + " of shape " + toText(x.shape) +
                               " does not fit its term");
    }
    if (hasEllipsis) ellipsisRank = std::max(ellipsisRank, x.rank() - named);
    labels = expandEllipsis(labels, x.rank() - named);
    for (size_t d = 0; d < labels.size(); ++d) {
      int64_t& size = equation.sizes.try_emplace(labels[d], x.shape[d]).first->second;
      const bool canBroadcast = labels[d] >= kFirstEllipsisLabel && (size == 1 || x.shape[d] == 1);
      if (size != x.shape[d] && !canBroadcast) {
        return opError(call, "sizes " + std::to_string(size) + " and " +
                                 std::to_string(x.shape[d]) + " of one label differ");
      }
      if (size == 1) size = x.shape[d];
    }
  }
  equation.output = expandEllipsis(equation.output, ellipsisRank);
  for (const int label : equation.output) {
    if (!equation.sizes.contains(label) || std::ranges::count(equation.output, label) > 1) {
      return opError(call, "an output label occurs twice, or in no input");
    }
  }
  return {};
}

static Result<Equation> parseEquation(const OpCall& call) {
  TESSERA_TRY(std::string text, attributeOr<std::string>(call, "equation", ""));
  std::erase(text, ' ');
  Equation equation;
  const size_t arrow = text.find("->");
  std::string_view left = std::string_view(text).substr(0, arrow);
  for (size_t comma = 0; comma != std::string_view::npos;
       left.remove_prefix(comma == std::string_view::npos ? 0 : comma + 1)) {
    comma = left.find(',');
    TESSERA_TRY(Labels labels, parseTerm(call, left.substr(0, comma)));
    equation.inputs.push_back(std::move(labels));
  }
  if (equation.inputs.size() != call.inputs.size()) {
    return opError(call, "equation '" + text + "' has " + std::to_string(equation.inputs.size()) +
                             " terms for " + std::to_string(call.inputs.size()) + " inputs");
  }
  if (arrow == std::string::npos) {
    equation.output = implicitOutput(equation.inputs);
  } else {
    TESSERA_TRY(equation.output, parseTerm(call, std::string_view(text).substr(arrow + 2)));
  }
  TESSERA_TRY_VOID(bindSizes(call, equation));
  return equation;
}

/// The stride of an operand of shape `shape` along each of `labels`.
static std::vector<int64_t> stridesAlong(const Labels& labels, const Labels& own,
                                         std::span<const int64_t> shape) {
  const std::vector<int64_t> rowMajor = rowMajorStrides(shape);
  std::vector<int64_t> strides;
  for (const int label : labels) {
    int64_t stride = 0;
    for (size_t d = 0; d < own.size(); ++d) {
      if (own[d] == label && shape[d] != 1) stride += rowMajor[d];
    }
    strides.push_back(stride);
  }
  return strides;
}

/// The sum, over the indices of `shape`, of the product of all operands, read from base[i] with
/// strides[i].
template <typename T>
static Accumulator<T> sumOfProducts(const Shape& shape, const std::vector<const T*>& base,
                                    const std::vector<std::vector<int64_t>>& strides) {
  const size_t outerRank = shape.empty() ? 0 : shape.size() - 1;
  const int64_t length = shape.empty() ? 1 : shape.back();
  std::vector<const T*> line(base.size());
  std::vector<int64_t> steps;
  steps.reserve(strides.size());
  for (const auto& operand : strides) steps.push_back(operand.empty() ? 0 : operand.back());
  Accumulator<T> sum{0};
  forEachIndex(std::span(shape).first(outerRank), [&](std::span<const int64_t> index) {
    for (size_t i = 0; i < base.size(); ++i) line[i] = base[i] + offsetOf(index, strides[i]);
    for (int64_t j = 0; j < length; ++j) {
      Accumulator<T> product{1};
      for (size_t i = 0; i < base.size(); ++i) {
        product *= static_cast<Accumulator<T>>(line[i][j * steps[i]]);
      }
      sum += product;
    }
  });
  return sum;
}

OpResult einsum(const OpCall& call) {
  TESSERA_TRY(const Equation equation, parseEquation(call));
  TESSERA_TRY(const TensorView first, requiredInput(call, 0));
  Labels summed;
  Shape shape, summedShape;
  for (const int label : equation.output) shape.push_back(equation.sizes.at(label));
  for (auto [label, size] : equation.sizes) {
    if (std::ranges::count(equation.output, label) > 0) continue;
    summed.push_back(label);
    summedShape.push_back(size);
  }
  TESSERA_TRY(Tensor y, makeTensor(call, first.type, shape));
  const size_t numInputs = equation.inputs.size();
  std::vector<std::vector<int64_t>> outer, inner;
  for (size_t i = 0; i < numInputs; ++i) {
    TESSERA_TRY(const TensorView x, typedInput(call, i, first.type));
    outer.push_back(stridesAlong(equation.output, equation.inputs[i], x.shape));
    inner.push_back(stridesAlong(summed, equation.inputs[i], x.shape));
  }
  return dispatch(call, first.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    T* out = y.as<T>().data();
    std::vector<const T*> base(numInputs);
    forEachIndex(shape, [&](std::span<const int64_t> index) {
      for (size_t i = 0; i < numInputs; ++i) {
        base[i] = call.inputs[i].as<T>().data() + offsetOf(index, outer[i]);
      }
      *out++ = static_cast<T>(sumOfProducts<T>(summedShape, base, inner));
    });
    return outputs(std::move(y));
  });
}

}  // namespace tessera::reference::ops
