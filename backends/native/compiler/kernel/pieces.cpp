#include "backends/native/compiler/kernel/pieces.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

Index Pieces::sizeOf(KernelBuilder& b, Value piece) const {
  const auto known = getConstantIntValue(Value(extent));
  if (known && *known % size == 0) return b.term(size);
  return smaller(extent - first(b, piece), size);
}

Values forVectors(KernelBuilder& b, Index count, int64_t lanes, ValueRange state,
                  function_ref<Values(Index, bool, ValueRange)> body) {
  const Index whole = floorDiv(count, lanes);
  const Values last = b.forEach(Value(whole), state, [&](ValueRange i, ValueRange now) {
    return body(b.term(i[0]) * lanes, /*isWhole=*/true, now);
  });
  const Index rest = ceilDiv(count, lanes) - whole;
  if (getConstantIntValue(Value(rest)) == 0) return last;
  return b.forEach(Value(rest), last, [&](ValueRange, ValueRange now) {
    return body(whole * lanes, /*isWhole=*/false, now);
  });
}

}  // namespace tessera::backend_native
