// What a kit works with, made for a target: whoever draws cases has one, and the process that runs
// them.
#pragma once

#include "compiler/backend_api/registry.h"
#include "compiler/conformance/batch.h"

namespace tessera::conformance {

class Setting {
 public:
  /// In `folder`, which stays, or in a temporary one, which goes when this goes. Errors (kUsage):
  /// there is no such backend; kInvalidInput: no folder for temporary files.
  static Result<std::unique_ptr<Setting>> make(ConformanceOptions options,
                                               const std::filesystem::path& folder = {});
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting();

  const Kit& kit() const { return *kit_; }
  const BackendInfo& backend() const { return backend_; }

 private:
  Setting(ConformanceOptions options, BackendInfo backend);
  Status openFolder();
  Status findOwner();

  ConformanceOptions options_;
  BackendInfo backend_;
  std::filesystem::path folder_;
  bool isTemporary_ = false;  ///< The folder goes when this goes.
  mlir::MLIRContext context_;
  backend_api::BackendRegistry registry_;  ///< Beside the session's: to be asked about operators.
  std::optional<Kit> kit_;
};

}  // namespace tessera::conformance
