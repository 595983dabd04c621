#include "compiler/lowering/object/emit_object.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace tessera::lowering {

// Function attributes that the code generator reads; MLIR's translation does not set them.
static void setTargetAttributes(llvm::Module& module, const CpuTarget& target) {
  const std::string width = std::to_string(target.vectorLanes * 32);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("tune-cpu", target.tuneCpu);
    // Intel CPUs default to 256 bits; kernels are long enough for the full width to pay.
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr("no-trapping-math", "true");
    // Without one the stack cannot be aligned any more when registers turn out to be too few, and
    // three of four vectors that are put there cross a cache line.
    function.addFnAttr("frame-pointer", "all");
    // Divisions that may be products with a reciprocal: an estimate, made better once.
    function.addFnAttr("reciprocal-estimates", "vec-divf:1");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

static void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  // LLVM 19 makes wrong code of sums over few columns here: softmax of [8, 1, 3] along axis 0.
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

Result<ObjectFile> emitObject(mlir::ModuleOp module, const CpuTarget& target,
                              const EmitOptions& options) {
  TESSERA_TRY(std::unique_ptr<llvm::TargetMachine> machine, makeTargetMachine(target));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      mlir::translateModuleToLLVMIR(module, context, "kernel");
  if (!llvmModule) return targetFailed("the kernel module does not translate to LLVM IR");
  llvmModule->setTargetTriple(target.triple);
  llvmModule->setDataLayout(machine->createDataLayout());
  setTargetAttributes(*llvmModule, target);
  std::string problem;
  llvm::raw_string_ostream problemStream(problem);
  if (llvm::verifyModule(*llvmModule, &problemStream))
    return targetFailed("the kernel's LLVM IR is invalid: " + problem);
  optimise(*llvmModule, *machine);

  ObjectFile object;
  if (options.keepLlvmIr) {
    llvm::raw_string_ostream stream(object.llvmIr);
    llvmModule->print(stream, nullptr);
  }
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager codegen;
  codegen.add(llvm::createTargetTransformInfoWrapperPass(machine->getTargetIRAnalysis()));
  if (machine->addPassesToEmitFile(codegen, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return targetFailed("the code generator for " + target.cpu + " cannot write object files");
  }
  codegen.run(*llvmModule);
  object.bytes.assign(buffer.begin(), buffer.end());
  return object;
}

}  // namespace tessera::lowering
