// Layouts, tensor types and other attributes of the dialect.
#include <gtest/gtest.h>

#include "compiler/ir/test/parse_for_test.h"
#include "compiler/ir/types.h"

namespace tessera::ir::test {
namespace {

std::string functionOf(const std::string& type) {
  return "func.func @f(%x: " + type + ") {\n  return\n}\n";
}

mlir::RankedTensorType parseType(TestContext& context, const std::string& type) {
  auto module = context.parse(functionOf(type));
  if (!module) return {};
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  return llvm::cast<mlir::RankedTensorType>(function.getArgumentTypes()[0]);
}

class Layout : public testing::TestWithParam<const char*> {};

TEST_P(Layout, SurvivesPrintingAndBytecode) {
  TestContext context;
  const auto module = context.parse(functionOf(GetParam()));
  ASSERT_TRUE(module) << context.diagnostics();
  const std::string text = toText(*module);
  EXPECT_NE(text.find(GetParam()), std::string::npos) << text;
  const auto again = context.parse(toBytecode(*module));
  ASSERT_TRUE(again) << context.diagnostics();
  EXPECT_EQ(toText(*again), text);
}

INSTANTIATE_TEST_SUITE_P(
    Attrs, Layout,
    testing::Values(
        "tensor<?x3xf32, #tsr.layout<dims = [\"n\", \"\"]>>",
        "tensor<2x3x4xf32, #tsr.layout<order = [0, 2, 1]>>",
        "tensor<1x64x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>",
        "tensor<2xf32, #tsr.layout<space = \"testdevice:1\">>",
        "tensor<1x30x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [16], padding = "
        "finite>>",
        "tensor<?x4xf32, #tsr.layout<dims = [\"n\", \"\"], order = [1, 0], blockDims = "
        "[1, 1], blockSizes = [2, 2], "
        "space = \"a b\">>"));

struct IllegalCase {
  const char* name;
  const char* type;
  const char* message;
};
class IllegalLayout : public testing::TestWithParam<IllegalCase> {};

TEST_P(IllegalLayout, IsRefused) {
  TestContext context;
  EXPECT_FALSE(context.parse(functionOf(GetParam().type)));
  EXPECT_NE(context.diagnostics().find(GetParam().message), std::string::npos)
      << context.diagnostics();
}

INSTANTIATE_TEST_SUITE_P(
    Attrs, IllegalLayout,
    testing::Values(
        IllegalCase{"layout_c1", "tensor<2x3xf32, #tsr.layout<dims = [\"n\"]>>", "(C1)"},
        IllegalCase{"layout_c1_order", "tensor<2x3xf32, #tsr.layout<order = [0]>>", "(C1)"},
        IllegalCase{"layout_c2", "tensor<2x3xf32, #tsr.layout<order = [0, 0]>>", "(C2)"},
        IllegalCase{"layout_c3", "tensor<2x3xf32, #tsr.layout<blockDims = [2], blockSizes = [4]>>",
                    "(C3)"},
        IllegalCase{"layout_c3_size",
                    "tensor<2x3xf32, #tsr.layout<blockDims = [1], blockSizes = [1]>>", "(C3)"},
        IllegalCase{"layout_c3_count", "tensor<2x3xf32, #tsr.layout<blockDims = [1]>>", "(C3)"},
        IllegalCase{"layout_space", "tensor<2x3xf32, #tsr.layout<space = 1>>", "expected string"},
        IllegalCase{"layout_c5",
                    "tensor<2x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16], padding = "
                    "finite>>",
                    "(C5)"},
        IllegalCase{"layout_padding",
                    "tensor<2x30xf32, #tsr.layout<blockDims = [1], blockSizes = [16], padding = "
                    "green>>",
                    "unknown padding"},
        IllegalCase{"layout_part", "tensor<2x3xf32, #tsr.layout<color = 1>>", "unknown part"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Layout, PhysicalShapeOrdersAndBlocks) {
  TestContext context;
  const auto blocked =
      parseType(context, "tensor<1x30x7x?xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>");
  EXPECT_EQ(layoutOf(blocked).physicalShape(blocked.getShape()),
            (llvm::SmallVector<int64_t>{1, 2, 7, mlir::ShapedType::kDynamic, 16}));
  const auto ordered = parseType(
      context,
      "tensor<2x3x4xf32, #tsr.layout<order = [0, 2, 1], blockDims = [1], blockSizes = [2]>>");
  EXPECT_EQ(physicalType(ordered).getShape(), (llvm::ArrayRef<int64_t>{2, 4, 2, 2}));
  EXPECT_FALSE(isPlain(ordered));
  EXPECT_EQ(withoutLayout(ordered).getEncoding(), mlir::Attribute());
}

TEST(Layout, BlocksKeepNamesAndSpace) {
  TestContext context;
  const auto named = parseType(
      context, R"(tensor<?x32xf32, #tsr.layout<dims = ["n", ""], space = "testdevice">>)");
  const auto blocked = withBlocks(named, {1}, {8});
  EXPECT_EQ(layoutOf(blocked).getDims(), layoutOf(named).getDims());
  EXPECT_EQ(spaceOf(blocked), "testdevice");
  EXPECT_EQ(withBlocks(blocked, {}, {}), named);
  EXPECT_TRUE(isPlain(parseType(context, "tensor<?x32xf32, #tsr.layout<dims = [\"n\", \"\"]>>")));
}

TEST(Layout, MemoryOfTheHostHasNoName) {
  TestContext context;
  const auto host = parseType(context, "tensor<2xf32, #tsr.layout<space = \"host\">>");
  EXPECT_TRUE(isPlain(host));
  EXPECT_EQ(spaceOf(host), "");
  const mlir::RankedTensorType elsewhere = inSpace(host, "testdevice:1");
  EXPECT_FALSE(isPlain(elsewhere));
  EXPECT_FALSE(isSameLayout(host, elsewhere));
  EXPECT_EQ(inSpace(elsewhere, ""), withoutLayout(host));
  EXPECT_EQ(plainType(withBlocks(elsewhere, {0}, {2})), withoutLayout(host));
}

TEST(Layout, PaddingIsSaidWhereThereIsSome) {
  TestContext context;
  const auto ragged =
      parseType(context, "tensor<2x30xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>");
  const auto full =
      parseType(context, "tensor<2x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>");
  const auto finite = withPadding(ragged, Padding::Finite);
  EXPECT_NE(finite, ragged);
  EXPECT_EQ(withPadding(finite, Padding::Zero), ragged);
  EXPECT_EQ(withPadding(full, Padding::Finite), full);
  EXPECT_EQ(physicalType(finite), physicalType(ragged));
  EXPECT_FALSE(layoutOf(finite).isSamePlacement(layoutOf(ragged)));
  EXPECT_EQ(withBlocks(finite, {}, {}), withoutLayout(ragged));
}

TEST(Types, ElementTypesRoundTrip) {
  TestContext context;
  for (int number = 0; number < 20; ++number) {
    const auto type = static_cast<ElementType>(number);
    const mlir::Type mlirType = toMlir(context.get(), type);
    if (mlirType) {
      EXPECT_EQ(toElementType(mlirType), type);
    }
  }
  EXPECT_EQ(toElementType(mlir::IndexType::get(context.get())), ElementType::kUndefined);
  EXPECT_EQ(toElementType(mlir::IntegerType::get(context.get(), 3)), ElementType::kUndefined);
}

TEST(Types, SourceNamesAreUniqueAndInOrder) {
  TestContext context;
  mlir::Builder builder(context.get());
  const auto named = [&](const char* name) -> mlir::Location {
    return mlir::NameLoc::get(builder.getStringAttr(name));
  };
  const auto inner = builder.getFusedLoc({named("b"), named("a")});
  EXPECT_EQ(sourceNames(builder.getFusedLoc({named("a"), inner, builder.getUnknownLoc()})),
            (llvm::SmallVector<std::string>{"a", "b"}));
}

TEST(Attrs, TargetAndBufferRoundTrip) {
  TestContext context;
  const std::string text =
      "module {\n  func.func private @g(!tsr.buffer<tensor<2xf32>>) attributes {tessera.target = "
      "#tsr.target<\"native\", {mcpu = "
      "\"x\"}>}\n}\n";
  const auto module = context.parse(text);
  ASSERT_TRUE(module) << context.diagnostics();
  EXPECT_EQ(toText(*context.parse(toText(*module))), toText(*module));
}

}  // namespace
}  // namespace tessera::ir::test
