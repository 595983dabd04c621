// What a report says of a case is the case.
#include "compiler/conformance/text.h"

#include <gtest/gtest.h>

#include "compiler/ir/io/constants.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::conformance {
namespace {

class CaseText : public ::testing::Test {
 protected:
  CaseText() {
    for (mlir::MLIRContext* context : {&here_, &elsewhere_})
      context->loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
  }

  /// A function that returns `count` numbers of that type, which are not all equal.
  Function constantOf(const std::string& type, int64_t count) {
    const mlir::Type element = mlir::parseType(type, &here_);
    const auto tensor = mlir::RankedTensorType::get({count}, element);
    std::vector<std::byte> bytes(static_cast<size_t>(ir::physicalSizeBytes(tensor)));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(element.isInteger(1) ? i % 3 == 0 : i % 100);
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    mlir::OpBuilder builder(&here_);
    const mlir::Location loc = builder.getUnknownLoc();
    Function function = builder.create<mlir::func::FuncOp>(
        loc, "numbers", builder.getFunctionType({tensor}, {tensor}));
    builder.setInsertionPointToEnd(function->addEntryBlock());
    const mlir::Value constant =
        ir::createConstant(builder, loc, tensor, {.bytes = *owner, .owner = owner});
    builder.create<mlir::func::ReturnOp>(loc, constant);
    return function;
  }

  mlir::MLIRContext here_, elsewhere_;
};

TEST_F(CaseText, HoldsLargeConstants) {
  for (const char* type : {"f32", "i1", "i64", "ui8", "bf16"}) {
    for (const int64_t count : {0, 3, 1000}) {
      const Function function = constantOf(type, count);
      const auto again = candidateIn(elsewhere_, wholeTextOf(*function));
      ASSERT_TRUE(again) << again.error().toString();
      // The names of constants are hashes of their bytes.
      EXPECT_EQ(shortTextOf(*again->function), shortTextOf(*function));
    }
  }
}

TEST_F(CaseText, NamesOfLargeConstantsAreNotEnough) {
  const Function function = constantOf("f32", 1000);
  EXPECT_FALSE(candidateIn(elsewhere_, shortTextOf(*function)));
}

}  // namespace
}  // namespace tessera::conformance
