#include "compiler/driver/diagnostics.h"

#include "compiler/ir/types.h"

namespace tessera::driver {

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext* context)
    : handler_(context, [this](mlir::Diagnostic& diagnostic) { return handle(diagnostic); }) {}

mlir::LogicalResult DiagnosticCollector::handle(mlir::Diagnostic& diagnostic) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::failure();
  const std::scoped_lock lock(mutex_);
  if (hasError_) return mlir::success();
  hasError_ = true;
  first_.message = diagnostic.str();
  const auto names = ir::sourceNames(diagnostic.getLocation());
  if (!names.empty()) first_.node = names.front();
  for (mlir::Diagnostic& note : diagnostic.getNotes()) first_.notes.push_back(note.str());
  return mlir::success();
}

Error DiagnosticCollector::takeError(const std::string& fallback) {
  const std::scoped_lock lock(mutex_);
  if (!hasError_) return targetFailed(fallback);
  return std::move(first_);
}

}  // namespace tessera::driver
