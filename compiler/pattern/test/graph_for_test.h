// Graphs written as text, whose values are found by the names of their locations.
#pragma once

#include <gtest/gtest.h>

#include "compiler/ir/types.h"
#include "compiler/pattern/pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

namespace tessera::pattern {

/// One function whose values are vectors of four numbers unless the text says otherwise: `$` stands
/// for the type tensor<4xf32>.
class GraphTest : public testing::Test {
 protected:
  GraphTest() { context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>(); }

  /// The body of a function with arguments %x, %y and %z of type $.
  void graph(const std::string& body) {
    module("func.func @main(%x: $, %y: $, %z: $) -> $ {\n" + body + "\n}");
  }
  void module(std::string text) {
    for (size_t at = 0; (at = text.find('$', at)) != std::string::npos;)
      text.replace(at, 1, "tensor<4xf32>");
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    ASSERT_TRUE(module_) << text;
  }

  mlir::func::FuncOp main() { return module_->lookupSymbol<mlir::func::FuncOp>("main"); }
  mlir::Value argument(unsigned index) { return main().getArgument(index); }
  /// What the function returns.
  mlir::Value root() { return main().getBody().front().getTerminator()->getOperand(0); }
  /// The operation whose location has this name.
  mlir::Operation* named(llvm::StringRef name) {
    mlir::Operation* found = nullptr;
    module_->walk([&](mlir::Operation* op) {
      if (llvm::is_contained(ir::sourceNames(op->getLoc()), name.str())) found = op;
    });
    EXPECT_NE(found, nullptr) << name.str();
    return found;
  }
  mlir::Value value(llvm::StringRef name) { return named(name)->getResult(0); }
  bool matches(const Pattern& pattern) { return match(pattern, root()).has_value(); }
  bool matches(const Pattern& pattern, llvm::StringRef name) {
    return match(pattern, value(name)).has_value();
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

}  // namespace tessera::pattern
