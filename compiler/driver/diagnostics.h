// MLIR diagnostics as errors.
#pragma once

#include <mutex>
#include <string>

#include "mlir/IR/Diagnostics.h"
#include "tessera/status.h"

namespace tessera::driver {

/// Collects errors emitted on the context while it lives; the first one becomes the Error. Warnings
/// go to stderr.
class DiagnosticCollector {
 public:
  explicit DiagnosticCollector(mlir::MLIRContext* context);

  /// The first error with the ONNX node it is about, or `fallback` when none was emitted.
  Error takeError(const std::string& fallback);

 private:
  mlir::LogicalResult handle(mlir::Diagnostic& diagnostic);

  std::mutex mutex_;
  bool hasError_ = false;
  Error first_;
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace tessera::driver
