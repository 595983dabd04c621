// A context for tests: parses modules and keeps the diagnostics as text.
#pragma once

#include <string>

#include "compiler/ir/tsr.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace tessera::ir::test {

class TestContext {
 public:
  TestContext()
      : handler_(&context_, [this](mlir::Diagnostic& diagnostic) {
          diagnostics_ += diagnostic.str() + "\n";
        }) {
    context_.loadDialect<TsrDialect, mlir::func::FuncDialect>();
  }

  /// Text or bytecode; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string& text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
  }
  const std::string& diagnostics() const { return diagnostics_; }
  std::string takeDiagnostics() { return std::exchange(diagnostics_, {}); }
  mlir::MLIRContext* get() { return &context_; }
  ConstantStore& constants() { return context_.getLoadedDialect<TsrDialect>()->constants(); }

 private:
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::string diagnostics_;
  mlir::ScopedDiagnosticHandler handler_;
};

inline std::string toText(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

inline std::string toBytecode(mlir::ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (mlir::failed(mlir::writeBytecodeToFile(module, stream))) return "";
  return bytes;
}

}  // namespace tessera::ir::test
