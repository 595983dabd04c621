#include "compiler/lowering/preparation.h"

#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tessera::lowering {

void createPreparation(ModuleOp module, StringRef name, unsigned index, MemRefType source,
                       MemRefType prepared, function_ref<void(OpBuilder&, Value, Value)> emit) {
  KernelFunction kernel = createKernelFunction(module, (name + "_prepare_" + Twine(index)).str(),
                                               {.inputs = {source}, .outputs = {prepared}});
  OpBuilder b = kernel.bodyBuilder();
  emit(b, kernel.inputs[0], kernel.outputs[0]);
  const int64_t bytes =
      prepared.getNumElements() * static_cast<int64_t>(prepared.getElementTypeBitWidth() / 8);
  OpBuilder end = OpBuilder::atBlockEnd(module.getBody());
  end.create<LLVM::GlobalOp>(module.getLoc(), b.getI64Type(), /*isConstant=*/true,
                             LLVM::Linkage::External, (name + "_prepared_" + Twine(index)).str(),
                             b.getI64IntegerAttr(bytes));
}

}  // namespace tessera::lowering
