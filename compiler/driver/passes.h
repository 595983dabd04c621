// Passes that stand between the phases and the targets.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "compiler/backend_api/backend.h"
#include "frontends/onnx/import/import.h"
#include "mlir/Pass/Pass.h"

namespace tessera::driver {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION  // registerDriverPasses()
#include "compiler/driver/passes.h.inc"

/// What to import and where the reason goes when it fails. All that it names outlives the pass.
struct ImportRequest {
  std::string file;                  ///< Path; empty: `bytes`.
  std::span<const std::byte> bytes;  ///< A model in memory; copied.
  onnx::ImportOptions options = {};
  std::optional<Error>* failure = nullptr;  ///< The error with file, node and notes. May be null.
};
std::unique_ptr<mlir::Pass> createImportOnnxPass(ImportRequest request);

std::unique_ptr<mlir::Pass> createRunHooksPass(target::Phase phase, target::HookPoint point,
                                               const std::string& last = "");

/// The fastest known of a region's schedules; nothing: the target decides.
using FindSchedule =
    std::function<std::optional<std::string>(const target::Target&, const backend_api::Schedules&)>;
std::unique_ptr<mlir::Pass> createChooseSchedulesPass(FindSchedule find);

/// The passes that the owner adds at a point of the pipeline; empty when there are none.
mlir::OpPassManager hookPipeline(const backend_api::Owner& owner, target::Phase phase,
                                 target::HookPoint point);

/// Name of the pass that runs other passes: its time is theirs.
llvm::StringRef runHooksName();
/// On a module while passes of a target run on it: the target's text.
inline constexpr llvm::StringLiteral kHookAttribute = "tessera.hook";

/// On a module in the middle of a phase: {phase, targets}, whose passes ran behind the common ones.
inline constexpr llvm::StringLiteral kHookedAttribute = "tessera.hooked";

}  // namespace tessera::driver
