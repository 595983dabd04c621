#include "compiler/lowering/object/emit_object.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
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

// LLVM writes out loops of up to 300 instructions by its own count, which leaves out a good part of
// what is there in front of the last simplifications.
static constexpr uint64_t kMayBeWrittenOut = 1200;
static constexpr uint64_t kMostWrittenOut = 6000;

// Instructions of one iteration, with those of inner loops as often as `timesOf` says.
static uint64_t bodySize(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                         llvm::function_ref<uint64_t(const llvm::Loop&, uint64_t)> timesOf) {
  uint64_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    if (loops.getLoopFor(block) == &loop) size += block->size();
  for (const llvm::Loop* inner : loop) {
    const uint64_t innerSize = bodySize(*inner, loops, timesOf);
    size += innerSize * timesOf(*inner, innerSize);
  }
  return size;
}

namespace {

/// LLVM looks at one loop at a time: where an inner loop is too large to be written out, the loop
/// around it may be small enough, and once its copies are simplified, so are the inner loops of
/// each. Scheduling takes the square of what is in a block, seconds for 6000 instructions. So a
/// loop is not written out where it is too large with what its inner loops may become.
struct LimitUnrolling : llvm::PassInfoMixin<LimitUnrolling> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& /*analyses*/,
                                     llvm::LoopStandardAnalysisResults& known,
                                     llvm::LPMUpdater& /*updater*/) {
    const auto tripsOf = [&](const llvm::Loop& inner) -> uint64_t {
      return known.SE.getSmallConstantTripCount(&inner);
    };
    const auto once = [](const llvm::Loop& /*inner*/, uint64_t /*size*/) -> uint64_t { return 1; };
    const auto writtenOut = [&](const llvm::Loop& inner, uint64_t size) -> uint64_t {
      const uint64_t trips = tripsOf(inner);
      return trips > 0 && trips * size <= kMayBeWrittenOut ? trips : 1;
    };
    const uint64_t trips = tripsOf(loop);
    if (trips * bodySize(loop, known.LI, once) <= kMayBeWrittenOut &&
        trips * bodySize(loop, known.LI, writtenOut) > kMostWrittenOut)
      loop.setLoopAlreadyUnrolled();
    return llvm::PreservedAnalyses::all();
  }
};

}  // namespace

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
  builder.registerLateLoopOptimizationsEPCallback(
      [](llvm::LoopPassManager& passes, llvm::OptimizationLevel /*level*/) {
        passes.addPass(LimitUnrolling());
      });
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
