#include "compiler/lowering/prefetch.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::lowering {

void prefetch(mlir::OpBuilder& b, mlir::Location loc, mlir::Value memory, mlir::ValueRange indices,
              PrefetchUse use) {
  constexpr uint32_t kAllLevels = 3, kFromSecondLevel = 2;
  b.create<mlir::memref::PrefetchOp>(loc, memory, indices, use == PrefetchUse::kWrite,
                                     use == PrefetchUse::kReadLater ? kFromSecondLevel : kAllLevels,
                                     /*isDataCache=*/true);
}

}  // namespace tessera::lowering
