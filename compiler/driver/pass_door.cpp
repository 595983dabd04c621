#include "compiler/driver/pass_door.h"

#include <algorithm>
#include <chrono>

#include "compiler/driver/added_passes.h"
#include "compiler/driver/passes.h"
#include "compiler/ir/diagnostic_capture.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"

namespace tessera::driver {

std::string printOperation(mlir::Operation* op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, mlir::OpPrintingFlags().enableDebugInfo().useLocalScope());
  stream << "\n";
  return text;
}

PassDoor::PassDoor(mlir::MLIRContext& context, PassDoorOptions options)
    : context_(context), options_(std::move(options)) {
  context_.registerActionHandler(
      [this](llvm::function_ref<void()> transform, const mlir::tracing::Action& action) {
        runAction(transform, action);
      });
}

PassDoor::~PassDoor() { context_.registerActionHandler(nullptr); }

/// The target whose pass works on `op`; empty when it is a common one.
static std::string targetAt(mlir::Operation* op) {
  for (; op; op = op->getParentOp()) {
    if (const auto target = op->getAttrOfType<mlir::StringAttr>(kHookAttribute))
      return target.str();
  }
  return "";
}

void PassDoor::runAction(llvm::function_ref<void()> transform,
                         const mlir::tracing::Action& action) {
  const auto* execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
  if (!execution) return transform();  // Rewrites.
  const std::string name = execution->getPass().getArgument().str();
  if (name.empty()) return transform();  // Adaptors that run nested pipelines.
  if (options_.disabledPasses.contains(name)) return;
  const std::string target = targetAt(execution->getOp());
  const auto start = std::chrono::steady_clock::now();
  transform();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // What the targets' passes take stands in lines of their own.
  if (name != runHooksName()) addTiming(name, target, seconds);
  if (options_.printAfter.contains(name) && options_.print) {
    const std::string text = printOperation(execution->getOp());
    const std::scoped_lock lock(mutex_);
    options_.print(name, text);
  }
}

void PassDoor::addTiming(const std::string& pass, std::string target, double seconds) {
  const std::scoped_lock lock(mutex_);
  const std::string_view phase = target::phaseName(phase_);
  const auto it = std::ranges::find_if(timings_, [&](const PassTiming& t) {
    return t.phase == phase && t.pass == pass && t.target == target;
  });
  if (it != timings_.end())
    it->seconds += seconds;
  else
    timings_.push_back({.phase = std::string(phase),
                        .pass = pass,
                        .target = std::move(target),
                        .seconds = seconds});
}

std::vector<PassTiming> PassDoor::timings() const {
  const std::scoped_lock lock(mutex_);
  return timings_;
}

Status PassDoor::run(mlir::ModuleOp module, target::Phase phase,
                     const std::function<void(mlir::OpPassManager&)>& build) {
  phase_ = phase;
  mlir::PassManager manager(&context_);
  // Behind each pass it takes a third of the time that lowering and optimizing kernels do; behind
  // the last one it finds what would end the process in a later phase.
  const bool isVerifiedBetween = phase < target::Phase::kLower || !options_.addedPasses.empty();
  manager.enableVerifier(isVerifiedBetween);
  build(manager);
  for (const auto& [at, pipeline] : options_.addedPasses) {
    if (at == phase) TESSERA_TRY_VOID(addPipeline(pipeline, manager));
  }
  const std::string name(target::phaseName(phase));
  if (!manager.empty()) {
    ir::DiagnosticCapture diagnostics(&context_);
    if (mlir::failed(manager.run(module)) ||
        (!isVerifiedBetween && mlir::failed(mlir::verify(module))))
      return diagnostics.take(targetFailed("a pass of phase " + name + " failed"));
  }
  if (options_.printAfter.contains(name) && options_.print)
    options_.print(name, printOperation(module));
  return {};
}

}  // namespace tessera::driver
