// MLIR diagnostics as errors.
#pragma once

#include <mutex>
#include <optional>

#include "mlir/IR/Diagnostics.h"
#include "tessera/status.h"

namespace tessera::ir {

/// Keeps back the errors emitted on a context while it lives; warnings and remarks pass. Any thread
/// may emit.
class DiagnosticCapture {
 public:
  explicit DiagnosticCapture(mlir::MLIRContext* context);

  /// The first error since construction or the last call (kInvalidInput): its message and notes,
  /// the ONNX node or the place in a file where its location says one. Without one `fallback`.
  Error take(Error fallback);

 private:
  mlir::LogicalResult handle(mlir::Diagnostic& diagnostic);

  std::mutex mutex_;
  std::optional<Error> first_;
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace tessera::ir
