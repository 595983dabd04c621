// Operators that make a tensor from a shape or a few numbers.
#include <cmath>

#include "base/half.h"
#include "reference/loops/arithmetic.h"
#include "reference/loops/convert.h"
#include "reference/loops/indices.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// `value` arrives as its number, its element type as attribute `dtype`; see op_call.h.
OpResult constantOfShape(const OpCall& call) {
  TESSERA_TRY(Shape shape, integerInput(call, 0));
  TESSERA_TRY(const ElementType type, elementTypeOr(call, "dtype", ElementType::kF32));
  const auto it = call.attributes.find("value");
  const AttributeValue value =
      it == call.attributes.end() ? AttributeValue(int64_t{0}) : it->second;
  const int64_t* integer = std::get_if<int64_t>(&value);
  const double* real = std::get_if<double>(&value);
  if (!integer && !real) return opError(call, "attribute 'value' is not a number");
  TESSERA_TRY(Tensor y, makeTensor(call, type, std::move(shape)));
  if (type == ElementType::kF16 || type == ElementType::kBF16) {
    const double number = integer ? static_cast<double>(*integer) : *real;
    std::ranges::fill(y.as<uint16_t>(), type == ElementType::kF16 ? base::encodeF16(number)
                                                                  : base::encodeBF16(number));
    return outputs(std::move(y));
  }
  return dispatch(call, type, AllTypes{}, [&]<typename T>() -> OpResult {
    std::ranges::fill(y.as<T>(), integer ? convertTo<T>(*integer) : convertTo<T>(*real));
    return outputs(std::move(y));
  });
}

/// Scalar input `index`.
template <typename T>
static Result<T> scalar(const OpCall& call, size_t index) {
  TESSERA_TRY(const TensorView view, typedInput(call, index, elementTypeOf<T>()));
  if (view.count() != 1) {
    return opError(call, "input " + std::to_string(index) + " has shape " + toText(view.shape) +
                             ", expected a scalar");
  }
  return view.as<T>()[0];
}

/// start, start + delta, ... below limit: ceil((limit - start) / delta) elements.
OpResult range(const OpCall& call) {
  TESSERA_TRY(const TensorView first, requiredInput(call, 0));
  return dispatch(
      call, first.type, TypeList<float, double, int16_t, int32_t, int64_t>{},
      [&]<typename T>() -> OpResult {
        TESSERA_TRY(const T start, scalar<T>(call, 0));
        TESSERA_TRY(const T limit, scalar<T>(call, 1));
        TESSERA_TRY(const T delta, scalar<T>(call, 2));
        if (delta == T{0}) return opError(call, "delta is 0");
        // Exact in long double, whose mantissa has 64 bits, for every type of the list.
        const long double distance =
            static_cast<long double>(limit) - static_cast<long double>(start);
        const long double count = std::ceil(distance / static_cast<long double>(delta));
        if (!(count < 9e18L)) return opError(call, "the range has too many elements");
        TESSERA_TRY(Tensor y,
                    makeTensor(call, first.type, {count > 0 ? static_cast<int64_t>(count) : 0}));
        int64_t i = 0;
        for (T& value : y.as<T>()) {
          value = arithmetic::add(start, arithmetic::mul(static_cast<T>(i++), delta));
        }
        return outputs(std::move(y));
      });
}

/// The indices of one_hot, of any number type; fractions are truncated.
static Result<std::vector<int64_t>> classIndices(const OpCall& call) {
  TESSERA_TRY(const TensorView view, requiredInput(call, 0));
  std::vector<int64_t> indices;
  TESSERA_TRY_VOID(dispatch(call, view.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    for (T value : view.as<T>()) indices.push_back(convertTo<int64_t>(value));
    return outputs();
  }));
  return indices;
}

static Result<int64_t> classCount(const OpCall& call) {
  TESSERA_TRY(const TensorView view, requiredInput(call, 1));
  if (view.count() != 1)
    return opError(call, "depth has shape " + toText(view.shape) + ", expected a scalar");
  int64_t depth = 0;
  TESSERA_TRY_VOID(dispatch(call, view.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    depth = convertTo<int64_t>(view.as<T>()[0]);
    return outputs();
  }));
  return depth;
}

/// An index outside [-depth, depth) gives a line of "off" values. Input 2 is [off, on].
OpResult oneHot(const OpCall& call) {
  TESSERA_TRY(const TensorView indexView, requiredInput(call, 0));
  TESSERA_TRY(const std::vector<int64_t> indices, classIndices(call));
  TESSERA_TRY(const int64_t depth, classCount(call));
  TESSERA_TRY(const TensorView values, requiredInput(call, 2));
  if (values.count() != 2)
    return opError(call, "values have shape " + toText(values.shape) + ", expected [2]");
  TESSERA_TRY(int64_t axis, attributeOr<int64_t>(call, "axis", -1));
  TESSERA_TRY(axis, normalizeAxis(call, axis, indexView.rank() + 1));
  Shape shape = toShape(indexView.shape);
  shape.insert(shape.begin() + axis, depth);
  TESSERA_TRY(Tensor y, makeTensor(call, values.type, std::move(shape)));
  const int64_t inner = countBetween(indexView.shape, axis, indexView.rank());
  return dispatchBySize(call, values.type, [&]<typename T>() -> OpResult {
    T* out = y.as<T>().data();
    std::ranges::fill(y.as<T>(), values.as<T>()[0]);
    for (int64_t i = 0; i < static_cast<int64_t>(indices.size()); ++i) {
      if (indices[i] < -depth || indices[i] >= depth) continue;
      const int64_t hot = indices[i] < 0 ? indices[i] + depth : indices[i];
      out[(i / inner * depth + hot) * inner + i % inner] = values.as<T>()[1];
    }
    return outputs(std::move(y));
  });
}

OpResult eyeLike(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  if (x.rank() != 2)
    return opError(call, "input has shape " + toText(x.shape) + ", expected a matrix");
  TESSERA_TRY(const ElementType type, elementTypeOr(call, "dtype", x.type));
  TESSERA_TRY(const int64_t k, attributeOr<int64_t>(call, "k", 0));
  TESSERA_TRY(Tensor y, makeTensor(call, type, toShape(x.shape)));
  const int64_t rows = x.shape[0], columns = x.shape[1];
  return dispatch(call, type, AllTypes{}, [&]<typename T>() -> OpResult {
    for (int64_t row = 0; row < rows; ++row) {
      int64_t column;
      if (__builtin_add_overflow(row, k, &column) || column < 0 || column >= columns) continue;
      y.as<T>()[row * columns + column] = T{1};
    }
    return outputs(std::move(y));
  });
}

}  // namespace tessera::reference::ops
