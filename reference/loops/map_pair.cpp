#include "reference/loops/map_pair.h"

#include "reference/loops/strided.h"

namespace tessera::reference {

Result<Tensor> mapPairs(const OpCall& call, const TensorView& a, const TensorView& b,
                        const BinaryLoop& loop, const void* f) {
  const std::array<Shape, 2> shapes = {toShape(a.shape), toShape(b.shape)};
  TESSERA_TRY(const Shape shape, broadcastShapes(call, shapes));
  TESSERA_TRY(Tensor y, makeTensor(call, loop.result, shape));
  int64_t done = 0;
  forEachRow<2>(shape, {broadcastStrides(a.shape, shape), broadcastStrides(b.shape, shape)},
                [&](auto offsets, auto steps, int64_t length) {
                  loop.run(f, {a.data, offsets[0], steps[0]}, {b.data, offsets[1], steps[1]},
                           {y.data(), done}, length);
                  done += length;
                });
  return y;
}

/// Inputs 0 and 1, which must have the same element type.
static Result<std::array<TensorView, 2>> sameTypedPair(const OpCall& call) {
  TESSERA_TRY(const TensorView a, requiredInput(call, 0));
  TESSERA_TRY(const TensorView b, typedInput(call, 1, a.type));
  return std::array<TensorView, 2>{a, b};
}

OpResult mapSameTyped(const OpCall& call, const BinaryLoop& loop, const void* f) {
  TESSERA_TRY(const auto pair, sameTypedPair(call));
  if (!loop.run) return unsupportedType(call, pair[0].type);
  TESSERA_TRY(Tensor y, mapPairs(call, pair[0], pair[1], loop, f));
  return outputs(std::move(y));
}

OpResult foldInputs(const OpCall& call, const BinaryLoop& loop, const void* f) {
  TESSERA_TRY(const TensorView first, requiredInput(call, 0));
  if (!loop.run) return unsupportedType(call, first.type);
  TESSERA_TRY(Tensor y, copyWithShape(call, first, toShape(first.shape)));
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    TESSERA_TRY(const TensorView next, typedInput(call, i, first.type));
    TESSERA_TRY(y, mapPairs(call, y.view(), next, loop, f));
  }
  return outputs(std::move(y));
}

}  // namespace tessera::reference
