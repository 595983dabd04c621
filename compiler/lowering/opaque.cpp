#include "compiler/lowering/opaque.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tessera::lowering {

Value opaque(ImplicitLocOpBuilder& b, Value value) {
  return b
      .create<LLVM::InlineAsmOp>(value.getType(), value, /*asm_string=*/"",
                                 /*constraints=*/"=r,0", /*has_side_effects=*/false,
                                 /*is_align_stack=*/false, /*asm_dialect=*/LLVM::AsmDialectAttr(),
                                 /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

}  // namespace tessera::lowering
