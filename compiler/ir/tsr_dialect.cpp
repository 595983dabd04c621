#include "compiler/ir/tsr.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

#include "compiler/ir/tsr_dialect.cpp.inc"

namespace tessera::ir {

void TsrDialect::initialize() {
  constants_ = std::make_shared<ConstantStore>();
  registerAttributes();
  registerTypes();
  registerOps();
}

void TsrDialect::registerOps() { registerTsrDialectOperations(this); }

mlir::Operation* TsrDialect::materializeConstant(mlir::OpBuilder& builder, mlir::Attribute value,
                                                 mlir::Type type, mlir::Location loc) {
  return builder.create<ConstantOp>(loc, type, value);
}

}  // namespace tessera::ir
