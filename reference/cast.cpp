// Cast between all numeric types and bool, f16 and bf16 included.
#include "reference/convert.h"
#include "reference/half.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// The input's elements as `To`. Every 16-bit float and every f32 is exact in double.
template <typename To>
static OpResult castTo(const OpCall& call, const TensorView& x) {
  TESSERA_TRY(Tensor y, makeTensor(call, elementTypeOf<To>(), toShape(x.shape)));
  const std::span<To> out = y.as<To>();
  if (x.type == ElementType::kF16 || x.type == ElementType::kBF16) {
    const auto decode = x.type == ElementType::kF16 ? decodeF16 : decodeBF16;
    std::ranges::transform(x.as<uint16_t>(), out.begin(),
                           [&](uint16_t v) { return convertTo<To>(decode(v)); });
    return outputs(std::move(y));
  }
  return dispatch(call, x.type, AllTypes{}, [&]<typename From>() -> OpResult {
    std::ranges::transform(x.as<From>(), out.begin(), [](From v) {
      if constexpr (std::is_same_v<From, Boolean>)
        return convertTo<To>(static_cast<int>(v));
      else
        return convertTo<To>(v);
    });
    return outputs(std::move(y));
  });
}

static OpResult castToSmallFloat(const OpCall& call, const TensorView& x, ElementType to) {
  TESSERA_TRY(std::vector<Tensor> wide, castTo<double>(call, x));
  TESSERA_TRY(Tensor y, makeTensor(call, to, toShape(x.shape)));
  std::ranges::transform(wide[0].as<double>(), y.as<uint16_t>().begin(),
                         to == ElementType::kF16 ? encodeF16 : encodeBF16);
  return outputs(std::move(y));
}

/// `saturate` concerns 8-bit floats alone, which are not supported.
OpResult cast(const OpCall& call) {
  TESSERA_TRY(TensorView x, requiredInput(call, 0));
  if (!hasAttribute(call, "to")) return opError(call, "attribute 'to' is missing");
  TESSERA_TRY(const ElementType to, elementTypeOr(call, "to", ElementType::kF32));
  if (to == x.type) {
    TESSERA_TRY(Tensor y, copyWithShape(call, x, toShape(x.shape)));
    return outputs(std::move(y));
  }
  if (to == ElementType::kF16 || to == ElementType::kBF16) return castToSmallFloat(call, x, to);
  return dispatch(call, to, AllTypes{},
                  [&]<typename To>() -> OpResult { return castTo<To>(call, x); });
}

}  // namespace tessera::reference::ops
