#include "reference/arguments.h"

#include <cstring>
#include <utility>

namespace tessera::reference {

Error opError(const OpCall& call, std::string message) {
  return invalidInput(std::string(call.op) + ": " + std::move(message));
}

Error unsupportedType(const OpCall& call, ElementType type) {
  return opError(call, std::string("element type ") + elementTypeName(type) + " is not supported");
}

std::string toText(std::span<const int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

bool hasInput(const OpCall& call, size_t index) {
  return index < call.inputs.size() && call.inputs[index].type != ElementType::kUndefined;
}

Result<TensorView> requiredInput(const OpCall& call, size_t index) {
  if (!hasInput(call, index))
    return opError(call, "input " + std::to_string(index) + " is missing");
  return call.inputs[index];
}

Result<TensorView> typedInput(const OpCall& call, size_t index, ElementType type) {
  TESSERA_TRY(const TensorView view, requiredInput(call, index));
  if (view.type != type) {
    return opError(call, "input " + std::to_string(index) + " has element type " +
                             elementTypeName(view.type) + ", expected " + elementTypeName(type));
  }
  return view;
}

Result<std::vector<int64_t>> integerInput(const OpCall& call, size_t index) {
  TESSERA_TRY(const TensorView view, requiredInput(call, index));
  if (view.rank() > 1) {
    return opError(call, "input " + std::to_string(index) + " has shape " + toText(view.shape) +
                             ", expected a list of integers");
  }
  std::vector<int64_t> values;
  if (view.type == ElementType::kI64) {
    values.assign(view.as<int64_t>().begin(), view.as<int64_t>().end());
  } else if (view.type == ElementType::kI32) {
    values.assign(view.as<int32_t>().begin(), view.as<int32_t>().end());
  } else {
    return opError(call, "input " + std::to_string(index) + " has element type " +
                             elementTypeName(view.type) + ", expected i64 or i32");
  }
  return values;
}

Result<int64_t> integerScalarInput(const OpCall& call, size_t index) {
  TESSERA_TRY(std::vector<int64_t> values, integerInput(call, index));
  if (values.size() != 1) {
    return opError(call, "input " + std::to_string(index) + " has " +
                             std::to_string(values.size()) + " elements, expected 1");
  }
  return values[0];
}

Result<std::vector<double>> realInput(const OpCall& call, size_t index) {
  TESSERA_TRY(const TensorView view, requiredInput(call, index));
  std::vector<double> values;
  if (view.type == ElementType::kF32) {
    values.assign(view.as<float>().begin(), view.as<float>().end());
  } else if (view.type == ElementType::kF64) {
    values.assign(view.as<double>().begin(), view.as<double>().end());
  } else {
    return opError(call, "input " + std::to_string(index) + " has element type " +
                             elementTypeName(view.type) + ", expected f32 or f64");
  }
  return values;
}

bool hasAttribute(const OpCall& call, std::string_view name) {
  return call.attributes.find(name) != call.attributes.end();
}

Result<bool> flagOr(const OpCall& call, std::string_view name, bool fallback) {
  TESSERA_TRY(const int64_t value, attributeOr<int64_t>(call, name, fallback ? 1 : 0));
  return value != 0;
}

Result<ElementType> elementTypeOr(const OpCall& call, std::string_view name, ElementType fallback) {
  TESSERA_TRY(const int64_t number,
              attributeOr<int64_t>(call, name, static_cast<int64_t>(fallback)));
  if (number == 0) return fallback;
  const auto type = static_cast<ElementType>(number);
  if (number < 0 || number > 255 || elementSizeBytes(type) == 0) {
    return opError(call, "attribute '" + std::string(name) + "' is " + std::to_string(number) +
                             ", which is not a supported element type");
  }
  return type;
}

Result<int64_t> normalizeAxis(const OpCall& call, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    return opError(
        call, "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

Result<std::vector<int64_t>> normalizeAxes(const OpCall& call, std::span<const int64_t> axes,
                                           int64_t rank) {
  std::vector<int64_t> normalized;
  for (const int64_t axis : axes) {
    TESSERA_TRY(const int64_t positive, normalizeAxis(call, axis, rank));
    if (std::ranges::count(normalized, positive) > 0) {
      return opError(call, "axis " + std::to_string(positive) + " occurs twice in " + toText(axes));
    }
    normalized.push_back(positive);
  }
  return normalized;
}

Result<Tensor> makeTensor(const OpCall& call, ElementType type, Shape shape) {
  if (elementSizeBytes(type) == 0) return unsupportedType(call, type);
  if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) {
    return opError(call, "output shape " + toText(shape) + " has a negative size");
  }
  Tensor tensor(type, std::move(shape));
  if (!tensor.data())
    return opError(call, "output shape " + toText(tensor.shape()) + " does not fit into memory");
  return tensor;
}

Result<Tensor> copyWithShape(const OpCall& call, const TensorView& source, Shape shape) {
  TESSERA_TRY(Tensor result, makeTensor(call, source.type, std::move(shape)));
  if (result.count() != source.count()) {
    return opError(call, "shape " + toText(source.shape) + " has another number of elements than " +
                             toText(result.shape()));
  }
  if (result.sizeBytes() > 0) std::memcpy(result.data(), source.data, result.sizeBytes());
  return result;
}

std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

int64_t countBetween(std::span<const int64_t> shape, int64_t begin, int64_t end) {
  return elementCount(shape.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

}  // namespace tessera::reference
