#include "backends/native/compiler/attributes.h"

namespace tessera::backend_native {

using namespace mlir;

SmallVector<int64_t> intsOr(Operation* op, StringRef name, size_t count, int64_t fallback) {
  const auto attribute = op->getAttrOfType<DenseI64ArrayAttr>(name);
  if (!attribute || attribute.empty()) return SmallVector<int64_t>(count, fallback);
  return SmallVector<int64_t>(attribute.asArrayRef());
}

int64_t intOr(Operation* op, StringRef name, int64_t fallback) {
  const auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : fallback;
}

}  // namespace tessera::backend_native
