#include "compiler/ir/diagnostic_capture.h"

#include "compiler/ir/types.h"

namespace tessera::ir {

static Error toError(mlir::Diagnostic& diagnostic) {
  Error error = invalidInput(diagnostic.str());
  const auto names = sourceNames(diagnostic.getLocation());
  if (!names.empty()) error.node = names.front();
  if (const auto place = llvm::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()))
    error.file = place.getFilename().str() + ":" + std::to_string(place.getLine()) + ":" +
                 std::to_string(place.getColumn());
  for (const mlir::Diagnostic& note : diagnostic.getNotes()) {
    std::string text = note.str();  // The operation's text is for whoever debugs a pass.
    if (!text.starts_with("see current operation")) error.notes.push_back(std::move(text));
  }
  return error;
}

DiagnosticCapture::DiagnosticCapture(mlir::MLIRContext* context)
    : handler_(context, [this](mlir::Diagnostic& diagnostic) { return handle(diagnostic); }) {}

mlir::LogicalResult DiagnosticCapture::handle(mlir::Diagnostic& diagnostic) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::failure();
  const std::scoped_lock lock(mutex_);
  if (!first_) first_ = toError(diagnostic);
  return mlir::success();
}

Error DiagnosticCapture::take(Error fallback) {
  const std::scoped_lock lock(mutex_);
  if (!first_) return fallback;
  Error error = *std::exchange(first_, std::nullopt);
  if (error.file.empty()) error.file = std::move(fallback.file);
  return error;
}

}  // namespace tessera::ir
