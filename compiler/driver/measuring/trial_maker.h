// From bytecode to a trial.
#pragma once

#include <map>

#include "compiler/backend_api/registry.h"
#include "compiler/driver/measuring/kept_code.h"
#include "compiler/driver/measuring/shared_code.h"
#include "compiler/driver/measuring/shared_memory.h"
#include "compiler/driver/measuring/trial.h"
#include "compiler/worker/channel.h"

namespace tessera::driver {

/// The backends of a worker, its context, and the constants that it was given.
class TrialMaker {
 public:
  /// Errors (kInvalidInput): a file is no plugin.
  static Result<std::unique_ptr<TrialMaker>> create(const std::vector<std::string>& plugins);

  /// Places the question's module over its target, to see that the target answers. Errors: it is no
  /// module.
  Status rehearse(const worker::Message& question);

  /// What the question trial_make asks for.
  std::variant<std::unique_ptr<Trial>, TrialFailure> make(worker::Message question);

  /// Code that was compiled here since this was called last.
  SharedCode takeCode() { return shareCode(cache_, numShared_); }

 private:
  TrialMaker();
  Result<mlir::OwningOpRef<mlir::ModuleOp>> readModule(const worker::Message& question);
  /// What a trial runs, and of what (TrialData).
  struct Program {
    std::vector<std::byte> artifact;
    std::vector<InstructionKind> instructions;
  };
  Result<Program> compile(mlir::OwningOpRef<mlir::ModuleOp> module);
  Result<std::vector<HostTensor>> tensorsOf(const nlohmann::json& header, const char* key);
  Result<std::span<const std::byte>> bytesAt(const nlohmann::json& header,
                                             const nlohmann::json& extent);

  backend_api::BackendRegistry registry_;
  backend_api::CodeCache cache_{keptCode()};
  size_t numShared_ = 0;  ///< Of its entries, those that whoever asks has.
  SharedView memory_;
  Surroundings surroundings_;
  std::unique_ptr<mlir::MLIRContext> context_;
};

}  // namespace tessera::driver
