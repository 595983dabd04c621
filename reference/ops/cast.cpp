// Cast between all numeric types and bool, f16 and bf16 included.
#include "base/half.h"
#include "reference/loops/convert.h"
#include "reference/loops/map.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

template <typename To, typename From>
static UnaryLoop castLoop() {
  const auto run = [](const void*, const void* x, void* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const From value = static_cast<const From*>(x)[i];
      if constexpr (std::is_same_v<From, Boolean>)
        static_cast<To*>(y)[i] = convertTo<To>(static_cast<int>(value));
      else
        static_cast<To*>(y)[i] = convertTo<To>(value);
    }
  };
  return {run, elementTypeOf<To>()};
}

static OpResult convert(const OpCall& call, const TensorView& x, ElementType to) {
  const auto loop = selectByType<UnaryLoop>(to, AllTypes{}, [&]<typename To>() {
    return selectByType<UnaryLoop>(x.type, AllTypes{},
                                   []<typename From>() { return castLoop<To, From>(); });
  });
  if (!loop.run) return unsupportedType(call, elementSizeBytes(to) == 0 ? to : x.type);
  return mapElements(call, x, loop, nullptr);
}

static bool isSmallFloat(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBF16;
}

/// The input's 16-bit floats in double, which holds every one exactly.
static Result<Tensor> decode(const OpCall& call, const TensorView& x) {
  TESSERA_TRY(Tensor y, makeTensor(call, ElementType::kF64, toShape(x.shape)));
  std::ranges::transform(x.as<uint16_t>(), y.as<double>().begin(),
                         x.type == ElementType::kF16 ? base::decodeF16 : base::decodeBF16);
  return y;
}

static OpResult encode(const OpCall& call, const TensorView& x, ElementType to) {
  TESSERA_TRY(Tensor y, makeTensor(call, to, toShape(x.shape)));
  std::ranges::transform(x.as<double>(), y.as<uint16_t>().begin(),
                         to == ElementType::kF16 ? base::encodeF16 : base::encodeBF16);
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
  Tensor decoded;
  if (isSmallFloat(x.type)) {
    TESSERA_TRY(decoded, decode(call, x));
    x = decoded.view();
  }
  if (!isSmallFloat(to)) return convert(call, x, to);
  TESSERA_TRY(const std::vector<Tensor> wide, convert(call, x, ElementType::kF64));
  return encode(call, wide[0].view(), to);
}

}  // namespace tessera::reference::ops
