// Formulas on elements and indices: what they build, and, of constants, what they fold to.
#include "compiler/lowering/element.h"

#include <gtest/gtest.h>

#include <limits>

#include "compiler/lowering/index_builder.h"
#include "compiler/lowering/test/kernel_harness.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

namespace tessera::lowering {
namespace {

using mlir::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Formula : public testing::Test {
 protected:
  mlir::Type integerType(unsigned width) { return b.getIntegerType(width); }
  Element argument(mlir::Type type, Signedness signedness = Signedness::kSigned) {
    return {b, block.addArgument(type, b.getLoc()), signedness};
  }
  Element real(double number) { return Element::constant(b, b.getF32Type(), number); }
  Element byte(int64_t number, Signedness signedness) {
    return Element::integer(b, integerType(8), number).as(signedness);
  }

  /// What a value has folded to; integers as signed numbers.
  static int64_t folded(Value value) {
    llvm::APInt number;
    EXPECT_TRUE(matchPattern(value, mlir::m_ConstantInt(&number))) << "not a constant";
    return number.getBitWidth() == 0 ? INT64_MIN : number.getSExtValue();
  }
  static bool holds(const Condition& condition) { return folded(condition) != 0; }
  static double foldedReal(Value value) {
    llvm::APFloat number(0.0f);
    EXPECT_TRUE(matchPattern(value, mlir::m_ConstantFloat(&number))) << "not a constant";
    return number.convertToDouble();
  }
  /// The operations built so far, constants left out, in order.
  std::string built() {
    std::string names;
    for (mlir::Operation& op : block) {
      if (isa<mlir::arith::ConstantOp>(op)) continue;
      names += (names.empty() ? "" : " ") + op.getName().stripDialect().str();
    }
    return names;
  }

  std::unique_ptr<mlir::MLIRContext> context = makeKernelContext();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
  mlir::Block& block = *module->getBody();
  IndexBuilder b{mlir::UnknownLoc::get(context.get()), &block, block.end()};
};

TEST_F(Formula, OfFloats) {
  const Element x = argument(b.getF32Type()), y = argument(b.getF32Type());
  const Element z = (2 * x - y) / (1 + sqrt(y));
  EXPECT_TRUE(z.type().isF32());
  const std::string text = built();
  for (const char* name : {"mulf", "subf", "sqrt", "addf", "divf"})
    EXPECT_NE(text.find(name), std::string::npos) << text;
}

TEST_F(Formula, NamedOperandsFixTheOrder) {
  const Element x = argument(b.getF32Type());
  const Element first = exp(x), second = -x;
  EXPECT_EQ(select(first < second, first, 0).type(), x.type());
  EXPECT_EQ(built(), "exp negf cmpf select");
}

TEST_F(Formula, OfVectors) {
  const auto vector = mlir::VectorType::get({4}, b.getF32Type());
  const Element x = argument(vector);
  EXPECT_EQ((1 - x).type(), vector);
  EXPECT_TRUE(x.isFloat());
  const Condition isNegative = x < 0;
  EXPECT_EQ(Value(!isNegative).getType(), mlir::VectorType::get({4}, b.getI1Type()));
  EXPECT_EQ(
      convert(x, mlir::IntegerType::get(context.get(), 8, mlir::IntegerType::Unsigned)).type(),
      mlir::VectorType::get({4}, integerType(8)));
}

TEST_F(Formula, FloatsFold) {
  EXPECT_EQ(foldedReal(3 * real(2) - 1), 5);
  EXPECT_EQ(foldedReal(larger(real(2), 3)), 3);
  EXPECT_EQ(foldedReal(smaller(2, real(3))), 2);
  EXPECT_TRUE(std::isnan(foldedReal(larger(real(kNan), 3))));
  EXPECT_EQ(foldedReal(narrowed(widened(real(0.5)))), 0.5);
}

TEST_F(Formula, NanIsUnequalToAll) {
  const Element nan = real(kNan);
  EXPECT_TRUE(holds(isNan(nan)));
  EXPECT_TRUE(holds(nan != 1));
  EXPECT_FALSE(holds(nan == nan));
  EXPECT_FALSE(holds(nan < 1));
  EXPECT_FALSE(holds(nan >= 1));
  EXPECT_FALSE(holds(isNan(real(kInfinity))));
}

TEST_F(Formula, ComparisonGoesBySignedness) {
  EXPECT_TRUE(holds(byte(-1, Signedness::kSigned) < 1));
  EXPECT_FALSE(holds(byte(-1, Signedness::kUnsigned) < 1));
  EXPECT_TRUE(holds(byte(-1, Signedness::kUnsigned) >= 1));
  EXPECT_TRUE(holds(1 <= byte(-1, Signedness::kUnsigned)));
  EXPECT_FALSE(holds(1 > byte(-1, Signedness::kUnsigned)));
  EXPECT_EQ(folded(larger(byte(-1, Signedness::kSigned), 1)), 1);
  EXPECT_EQ(folded(larger(byte(-1, Signedness::kUnsigned), 1)), -1);
  EXPECT_EQ(folded(smaller(byte(-1, Signedness::kUnsigned), 1)), 1);
}

TEST_F(Formula, DivisionOfIntegersIsDefinedForAll) {
  const auto quotient = [&](int64_t x, int64_t y, Signedness signedness) {
    return folded(byte(x, signedness) / byte(y, signedness));
  };
  EXPECT_EQ(quotient(-7, 2, Signedness::kSigned), -3);
  EXPECT_EQ(quotient(-7, 0, Signedness::kSigned), 0);
  EXPECT_EQ(quotient(-128, -1, Signedness::kSigned), -128);
  EXPECT_EQ(quotient(5, -1, Signedness::kSigned), -5);
  EXPECT_EQ(quotient(-56, 2, Signedness::kUnsigned), 100);  // 200 / 2.
  EXPECT_EQ(quotient(-56, 0, Signedness::kUnsigned), 0);
}

TEST_F(Formula, ConversionSaturates) {
  const auto u8 = mlir::IntegerType::get(context.get(), 8, mlir::IntegerType::Unsigned);
  EXPECT_EQ(folded(convert(real(300), u8)), -1);  // 255.
  EXPECT_EQ(folded(convert(real(-3), u8)), 0);
  EXPECT_EQ(folded(convert(real(kNan), integerType(8))), 0);
  EXPECT_EQ(folded(convert(real(-1000), integerType(8))), -128);
  EXPECT_EQ(folded(convert(real(-2.75), integerType(8))), -2);
  EXPECT_EQ(convert(real(1), u8).signedness(), Signedness::kUnsigned);
}

TEST_F(Formula, ConversionReadsTheBitsBySignedness) {
  EXPECT_EQ(foldedReal(convert(byte(-1, Signedness::kUnsigned), b.getF32Type())), 255);
  EXPECT_EQ(foldedReal(convert(byte(-1, Signedness::kSigned), b.getF32Type())), -1);
  EXPECT_EQ(folded(convert(byte(-1, Signedness::kUnsigned), integerType(32))), 255);
  EXPECT_EQ(folded(convert(byte(-1, Signedness::kSigned), integerType(32))), -1);
  EXPECT_NE(folded(convert(real(0.5), b.getI1Type())), 0);
  EXPECT_EQ(folded(convert(real(0), b.getI1Type())), 0);
}

TEST_F(Formula, ExtremesOfTypes) {
  EXPECT_EQ(folded(Element::lowest(b, integerType(8), Signedness::kSigned)), -128);
  EXPECT_EQ(folded(Element::lowest(b, integerType(8), Signedness::kUnsigned)), 0);
  EXPECT_EQ(folded(Element::highest(b, integerType(8), Signedness::kSigned)), 127);
  EXPECT_EQ(folded(Element::highest(b, integerType(8), Signedness::kUnsigned)), -1);
  EXPECT_EQ(foldedReal(Element::highest(b, b.getF32Type(), Signedness::kSigned)), kInfinity);
}

TEST_F(Formula, SignednessOfTypes) {
  EXPECT_EQ(signednessOf(b.getI1Type()), Signedness::kUnsigned);
  EXPECT_EQ(signednessOf(integerType(8)), Signedness::kSigned);
  EXPECT_EQ(signednessOf(b.getF32Type()), Signedness::kSigned);
}

TEST_F(Formula, OfIndices) {
  const Index n = b.term(7);
  EXPECT_EQ(folded((n * 2 - 1) % 5), 3);
  EXPECT_EQ(folded(floorDiv(b.term(-7), 2)), -4);
  EXPECT_EQ(folded(ceilDiv(b.term(-7), 2)), -3);
  EXPECT_EQ(folded(larger(smaller(n, 5), 6)), 6);
  EXPECT_EQ(folded(select(n < 8, n, literal(n, 0))), 7);
  EXPECT_TRUE(holds((n <= 7) & !(n < 7)));
  EXPECT_TRUE(holds((n == 8) | (n == n)));
  EXPECT_EQ(built(), "");
}

}  // namespace
}  // namespace tessera::lowering
