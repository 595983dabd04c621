#include "compiler/transforms/join_constants.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/op_call.h"

using namespace mlir;

namespace tessera::transforms {

bool areFinite(std::span<const float> values) {
  return llvm::all_of(values, [](float value) { return std::isfinite(value); });
}

/// `op` of two tensors; nothing when their shapes or types do not fit.
static std::optional<reference::Tensor> evaluate(std::string_view op, reference::TensorView a,
                                                 reference::TensorView b) {
  const reference::TensorView inputs[] = {a, b};
  const reference::Attributes attributes;
  Result<std::vector<reference::Tensor>> results =
      reference::evaluate({.op = op, .inputs = inputs, .attributes = attributes});
  if (!results) return std::nullopt;
  return std::move(results->front());
}

/// All elements of `joined` are finite and none is smaller than the same one of `floor`.
template <typename T>
static bool areAtLeast(const reference::Tensor& joined, const reference::Tensor& floor) {
  return llvm::all_of(llvm::zip_equal(joined.as<T>(), floor.as<T>()), [](const auto& pair) {
    const auto [value, least] = pair;
    return std::isfinite(value) && std::abs(value) >= least;
  });
}

/// The greatest power of two by which |a| + |b| may exceed |a + b|.
static constexpr double kMaxCancelled = 4;

/// What the joined elements must not fall below: for a product the least normal number where no
/// factor is zero, for a sum a part of the magnitudes that it is made of.
template <typename T>
static std::optional<reference::Tensor> floorOf(std::string_view op, const evaluate::TensorValue& a,
                                                const evaluate::TensorValue& b) {
  const bool isProduct = op == "mul";
  const auto magnitudes = [&](const evaluate::TensorValue& value) {
    reference::Tensor tensor = evaluate::copyTensor(value);
    for (T& element : tensor.as<T>()) {
      element = isProduct ? static_cast<T>(element == 0 ? 0 : 1) : std::abs(element);
    }
    return tensor;
  };
  const reference::Tensor first = magnitudes(a);
  const reference::Tensor second = magnitudes(b);
  auto floor = evaluate(op, first.view(), second.view());
  if (!floor) return std::nullopt;
  const T factor = isProduct ? std::numeric_limits<T>::min() : static_cast<T>(1 / kMaxCancelled);
  for (T& element : floor->as<T>()) element *= factor;
  return floor;
}

static std::optional<reference::Tensor> join(std::string_view op, Value a, Value b) {
  const auto first = evaluate::constantTensor(a);
  const auto second = evaluate::constantTensor(b);
  if (!first || !second || first->type != second->type) return std::nullopt;
  const bool isF64 = first->type == ElementType::kF64;
  if (!isF64 && first->type != ElementType::kF32) return std::nullopt;
  auto joined = evaluate(op, first->view(), second->view());
  const auto floor =
      isF64 ? floorOf<double>(op, *first, *second) : floorOf<float>(op, *first, *second);
  if (!joined || !floor) return std::nullopt;
  const bool isSafe =
      isF64 ? areAtLeast<double>(*joined, *floor) : areAtLeast<float>(*joined, *floor);
  return isSafe ? std::move(joined) : std::nullopt;
}

std::optional<reference::Tensor> productOf(Value a, Value b) { return join("mul", a, b); }

std::optional<reference::Tensor> sumOf(Value a, Value b) { return join("add", a, b); }

}  // namespace tessera::transforms
