#include "compiler/lowering/passes.h"

#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/passes/expand_extremes.h"
#include "compiler/lowering/passes/split_masked_stores.h"
#include "compiler/lowering/requirement.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_CONVERTTOLLVMPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct ConvertToLlvm : impl::ConvertToLlvmPassBase<ConvertToLlvm> {
  void runOnOperation() override;
};

}  // namespace

// Vectors of as many f32 have masks of their own.
static constexpr int64_t kLanesOfAvx512 = 16;

// Strided views and rounded divisions become arithmetic; vector operators become those LLVM has.
static LogicalResult expand(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  memref::populateExpandStridedMetadataPatterns(patterns);
  memref::populateExpandOpsPatterns(patterns);
  populateExpandExtremesPatterns(patterns);
  arith::populateArithExpandOpsPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  // Numbers of lanes, which 32 bits hold.
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/true);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransformsOptions());
  vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  const auto lanes = module->getAttrOfType<IntegerAttr>(kVectorLanesAttr);
  if (lanes && lanes.getInt() < kLanesOfAvx512) populateSplitMaskedStoresPatterns(patterns);
  return applyPatternsAndFoldGreedily(module, std::move(patterns));
}

static LogicalResult structureToControlFlow(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateAffineToStdConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addIllegalDialect<affine::AffineDialect, scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation*) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

// After each marked call: if it failed, return; 1 where a number is returned.
static void testServiceResults(ModuleOp module) {
  SmallVector<LLVM::CallOp> calls;
  module.walk([&](LLVM::CallOp call) {
    if (call->hasAttr(kMayFailAttr)) calls.push_back(call);
  });
  for (LLVM::CallOp call : calls) {
    call->removeAttr(kMayFailAttr);
    const Location loc = call.getLoc();
    Block* before = call->getBlock();
    Block* after = before->splitBlock(std::next(call->getIterator()));
    OpBuilder b(module.getContext());
    Block* failed = b.createBlock(before->getParent(), before->getParent()->end());
    SmallVector<Value> code;
    if (call->getParentOfType<func::FuncOp>().getNumResults() > 0)
      code.push_back(b.create<LLVM::ConstantOp>(loc, b.getI32Type(), b.getI32IntegerAttr(1)));
    b.create<func::ReturnOp>(loc, code);
    b.setInsertionPointToEnd(before);
    const Type type = call.getResult().getType();
    const Value zero = b.create<LLVM::ZeroOp>(loc, type);
    auto failure =
        isa<LLVM::LLVMPointerType>(type) ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne;
    const Value hasFailed = b.create<LLVM::ICmpOp>(loc, failure, call.getResult(), zero);
    b.create<cf::CondBranchOp>(loc, hasFailed, failed, after);
  }
}

static LogicalResult convertAll(ModuleOp module) {
  MLIRContext* context = module.getContext();
  const LowerToLLVMOptions options(context);
  LLVMTypeConverter types(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns, /*reassociateFPReductions=*/true);
  populateAffineToStdConversionPatterns(patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target.addLegalOp<UnrealizedConversionCastOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

// What is written past the caches is whole vectors where vectors begin (vectorize/streams.h), and
// other cores see it in the order of other writes only behind a fence.
static void finishStreams(ModuleOp module) {
  DenseSet<Operation*> streaming;
  module.walk([&](LLVM::StoreOp store) {
    const auto vector = dyn_cast<VectorType>(store.getValue().getType());
    if (!store.getNontemporal() || !vector) return;
    store.setAlignment(vector.getNumElements() * vector.getElementTypeBitWidth() / 8);
    streaming.insert(store->getParentOfType<LLVM::LLVMFuncOp>());
  });
  for (Operation* function : streaming) {
    function->walk([](LLVM::ReturnOp done) {
      OpBuilder b(done);
      b.create<LLVM::FenceOp>(done.getLoc(), LLVM::AtomicOrdering::seq_cst, StringRef());
    });
  }
}

void ConvertToLlvm::runOnOperation() {
  const ModuleOp module = getOperation();
  if (failed(expand(module)) || failed(structureToControlFlow(module))) return signalPassFailure();
  testServiceResults(module);
  expandRequirements(module);
  if (failed(convertAll(module))) return signalPassFailure();
  finishStreams(module);
}

}  // namespace tessera::lowering
