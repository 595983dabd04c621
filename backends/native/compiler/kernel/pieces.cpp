#include "backends/native/compiler/kernel/pieces.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tessera::backend_native {

using namespace mlir;

Index Pieces::sizeOf(KernelBuilder& b, Value piece) const {
  const auto known = getConstantIntValue(Value(extent));
  if (known && *known % size == 0) return b.term(size);
  return smaller(extent - first(b, piece), size);
}

}  // namespace tessera::backend_native
