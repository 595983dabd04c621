// Running sums along one axis.
#include "reference/loops/dispatch.h"
#include "reference/reference_ops.h"

namespace tessera::reference::ops {

/// exclusive: element i sums those before it; reverse: from the end. Floats are summed in double.
OpResult cumsum(const OpCall& call) {
  TESSERA_TRY(const TensorView x, requiredInput(call, 0));
  TESSERA_TRY(int64_t axis, integerScalarInput(call, 1));
  TESSERA_TRY(axis, normalizeAxis(call, axis, x.rank()));
  TESSERA_TRY(const bool exclusive, flagOr(call, "exclusive", false));
  TESSERA_TRY(const bool reverse, flagOr(call, "reverse", false));
  const int64_t outer = countBetween(x.shape, 0, axis),
                inner = countBetween(x.shape, axis + 1, x.rank());
  const int64_t length = x.shape[axis];
  TESSERA_TRY(Tensor y, makeTensor(call, x.type, toShape(x.shape)));
  return dispatch(call, x.type, NumberTypes{}, [&]<typename T>() -> OpResult {
    const T* in = x.as<T>().data();
    T* out = y.as<T>().data();
    for (int64_t line = 0; line < outer * inner; ++line) {
      const int64_t base = line / inner * length * inner + line % inner;
      Accumulator<T> sum{0};
      for (int64_t k = 0; k < length; ++k) {
        const int64_t i = base + (reverse ? length - 1 - k : k) * inner;
        const auto before = sum;
        sum += static_cast<Accumulator<T>>(in[i]);
        out[i] = static_cast<T>(exclusive ? before : sum);
      }
    }
    return outputs(std::move(y));
  });
}

}  // namespace tessera::reference::ops
