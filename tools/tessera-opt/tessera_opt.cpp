// mlir-opt with the tsr dialect and Tessera's passes, for tests and experiments.
#include "compiler/codegen/passes.h"
#include "compiler/driver/passes.h"
#include "compiler/ir/tsr.h"
#include "compiler/lowering/dialects.h"
#include "compiler/lowering/pipeline.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/simplify.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/tessera-opt/owner_passes.h"

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::arith::ArithDialect,
                  mlir::bufferization::BufferizationDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect, mlir::vector::VectorDialect,
                  tessera::ir::TsrDialect>();
  tessera::lowering::registerLoweringDialects(registry);
  tessera::lowering::registerPassesOfPipelines();
  tessera::lowering::registerPipelines();
  tessera::transforms::registerTransformsPasses();
  tessera::transforms::registerSimplifyPipeline();
  tessera::codegen::registerCodegenPasses();
  tessera::driver::registerDriverPasses();
  tessera::tools::registerOwnerPasses(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tessera's optimiser driver\n", registry));
}
