// Helpers for tests that call operators on small tensors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reference/loops/dispatch.h"
#include "reference/op_call.h"

namespace tessera::reference::testing {

template <typename T>
Tensor tensor(Shape shape, const std::vector<T>& values) {
  Tensor result(elementTypeOf<T>(), std::move(shape));
  std::ranges::copy(values, result.as<T>().begin());
  return result;
}

/// 0, 1, 2, ... under a shape.
template <typename T>
Tensor iota(Shape shape) {
  Tensor result(elementTypeOf<T>(), std::move(shape));
  int64_t i = 0;
  for (T& value : result.as<T>()) value = static_cast<T>(i++);
  return result;
}

inline Tensor ints(const std::vector<int64_t>& values) {
  return tensor<int64_t>({static_cast<int64_t>(values.size())}, values);
}

/// An input that is left out.
inline Tensor absent() { return {}; }

template <typename... Inputs>
Result<std::vector<Tensor>> runAll(std::string_view op, size_t numOutputs,
                                   const Attributes& attributes, const Inputs&... inputs) {
  const std::vector<TensorView> views = {inputs.view()...};
  return evaluate({.op = op, .inputs = views, .attributes = attributes, .numOutputs = numOutputs});
}

/// The first output of a call that must succeed; an empty tensor when it does not.
template <typename... Inputs>
Tensor run(std::string_view op, const Attributes& attributes, const Inputs&... inputs) {
  auto result = runAll(op, 1, attributes, inputs...);
  EXPECT_TRUE(result) << (result ? "" : result.error().toString());
  return result ? std::move((*result)[0]) : Tensor{};
}

/// The message of a call that must fail.
template <typename... Inputs>
std::string failure(std::string_view op, const Attributes& attributes, const Inputs&... inputs) {
  auto result = runAll(op, 1, attributes, inputs...);
  EXPECT_FALSE(result) << op << " should have failed";
  return result ? "" : result.error().message;
}

template <typename T>
void expectTensor(const Tensor& actual, const Shape& shape, const std::vector<T>& values,
                  double tolerance = 1e-6) {
  ASSERT_EQ(actual.type(), elementTypeOf<T>());
  ASSERT_EQ(actual.shape(), shape);
  ASSERT_EQ(static_cast<size_t>(actual.count()), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const T found = actual.as<T>()[i];
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(values[i]))
        EXPECT_TRUE(std::isnan(found)) << "element " << i << " is " << found;
      else if (std::isinf(values[i]))
        EXPECT_EQ(found, values[i]) << "element " << i;
      else
        EXPECT_NEAR(found, values[i], tolerance) << "element " << i;
    } else {
      EXPECT_EQ(static_cast<int64_t>(found), static_cast<int64_t>(values[i])) << "element " << i;
    }
  }
}

}  // namespace tessera::reference::testing
