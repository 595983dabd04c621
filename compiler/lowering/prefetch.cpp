#include "compiler/lowering/prefetch.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::lowering {

void prefetch(mlir::OpBuilder& b, mlir::Location loc, mlir::Value memory, mlir::ValueRange indices,
              bool isWrite) {
  constexpr uint32_t kAllLevels = 3;
  b.create<mlir::memref::PrefetchOp>(loc, memory, indices, isWrite, kAllLevels,
                                     /*isDataCache=*/true);
}

}  // namespace tessera::lowering
