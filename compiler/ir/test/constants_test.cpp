// Constants: the store, inline and named values, reading them, refusing what is not legal.
#include "compiler/ir/io/constants.h"

#include <gtest/gtest.h>

#include "compiler/ir/test/parse_for_test.h"
#include "compiler/ir/types.h"

namespace tessera::ir::test {
namespace {

std::vector<std::byte> bytesOf(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(ConstantStore, KeepsEqualBytesOnce) {
  ConstantStore store;
  const std::string first = store.add(bytesOf({1, 2, 3}));
  EXPECT_EQ(store.add(bytesOf({1, 2, 3})), first);
  EXPECT_NE(store.add(bytesOf({3, 2, 1})), first);
  EXPECT_EQ(store.sizeBytes(), 6U);
  EXPECT_EQ(store.find(first).bytes.size(), 3U);
  EXPECT_EQ(store.find("unknown").owner, nullptr);
}

TEST(ConstantStore, RetainsOnlyLiveBlobs) {
  ConstantStore store;
  const std::string kept = store.add(bytesOf({1}));
  const std::string dropped = store.add(bytesOf({2}));
  const Blob used = store.find(dropped);
  store.retain([&](std::string_view hash) { return hash == kept; });
  EXPECT_TRUE(store.contains(kept));
  EXPECT_FALSE(store.contains(dropped));
  EXPECT_EQ(used.bytes[0], std::byte{2});  // Whoever holds a blob keeps its bytes alive.
}

/// The first constant of a function body.
ConstantOp firstConstant(mlir::ModuleOp module) {
  ConstantOp found;
  module.walk([&](ConstantOp op) { found = found ? found : op; });
  return found;
}

mlir::OwningOpRef<mlir::ModuleOp> withConstant(TestContext& context, const std::string& constant) {
  return context.parse("func.func @f() {\n  %c = tsr.constant " + constant + "\n  return\n}\n");
}

TEST(Constants, SmallOnesAreInlineAndLargeOnesNamed) {
  TestContext context;
  mlir::Builder builder(context.get());
  const auto small = mlir::RankedTensorType::get({64}, builder.getF32Type());
  const auto large = mlir::RankedTensorType::get({65}, builder.getF32Type());
  const std::vector<float> values(65, 1.5F);
  const auto blob = [&](size_t count) {
    return Blob{.bytes = std::as_bytes(std::span(values).first(count)), .owner = nullptr};
  };
  EXPECT_TRUE(llvm::isa<mlir::DenseElementsAttr>(constantValue(small, blob(64))));
  const auto named = llvm::dyn_cast<BlobAttr>(constantValue(large, blob(65)));
  ASSERT_TRUE(named);
  // The store shares the bytes.
  EXPECT_EQ(context.constants().find(std::string_view(named.getHash())).bytes.data(),
            blob(65).bytes.data());
}

TEST(Constants, BytesOfEachFormAreExpanded) {
  TestContext context;
  const auto splat = withConstant(context, "dense<2> : tensor<3xi16> -> tensor<3xi16>");
  EXPECT_EQ(constantBytes(firstConstant(*splat))->bytes.size(), 6U);
  EXPECT_EQ(constantBytes(firstConstant(*splat))->bytes[4], std::byte{2});
  const auto bools =
      withConstant(context, "dense<[true, false, true]> : tensor<3xi1> -> tensor<3xi1>");
  const std::optional<Blob> bytes = constantBytes(firstConstant(*bools));
  ASSERT_EQ(bytes->bytes.size(), 3U);
  EXPECT_EQ(bytes->bytes[0], std::byte{1});
  EXPECT_EQ(bytes->bytes[1], std::byte{0});
  const auto trues = withConstant(context, "dense<true> : tensor<2xi1> -> tensor<2xi1>");
  EXPECT_EQ(constantBytes(firstConstant(*trues))->bytes[1], std::byte{1});
  const auto empty = withConstant(context, "dense<> : tensor<0xf32> -> tensor<0xf32>");
  EXPECT_EQ(constantBytes(firstConstant(*empty))->bytes.size(), 0U);
}

TEST(Constants, NumbersAreRead) {
  TestContext context;
  const auto wide = withConstant(context, "dense<[1, -2]> : tensor<2xi64> -> tensor<2xi64>");
  EXPECT_EQ(constantInts(firstConstant(*wide)), (llvm::SmallVector<int64_t>{1, -2}));
  const auto narrow = withConstant(context, "dense<[3, -4]> : tensor<2xi32> -> tensor<2xi32>");
  EXPECT_EQ(constantInts(firstConstant(*narrow)), (llvm::SmallVector<int64_t>{3, -4}));
  EXPECT_EQ(constantScalar(firstConstant(*narrow)), std::nullopt);
  const auto floats = withConstant(context, "dense<[0.5, 2.0]> : tensor<2xf32> -> tensor<2xf32>");
  EXPECT_EQ(constantFloats(firstConstant(*floats)), (llvm::SmallVector<double>{0.5, 2.0}));
  EXPECT_EQ(constantInts(firstConstant(*floats)), std::nullopt);
  const auto scalar = withConstant(context, "dense<0.25> : tensor<1x4xf64> -> tensor<1x4xf64>");
  EXPECT_EQ(constantScalar(firstConstant(*scalar)), 0.25);
  EXPECT_EQ(constantInts(mlir::Value()), std::nullopt);
}

TEST(Constants, IntsConstantIsNamedWhenLarge) {
  TestContext context;
  auto module = context.parse("func.func @f() {\n  return\n}\n");
  mlir::OpBuilder builder(context.get());
  builder.setInsertionPointToStart(
      &(*module->getOps<mlir::func::FuncOp>().begin()).getBody().front());
  llvm::SmallVector<int64_t> values;
  for (int64_t i = 0; i < 40; ++i) values.push_back(i * i);
  ConstantOp op = createIntsConstant(builder, builder.getUnknownLoc(), values);
  EXPECT_TRUE(llvm::isa<BlobAttr>(op.getValue()));
  EXPECT_EQ(constantInts(op), values);
}

struct IllegalCase {
  const char* name;
  const char* constant;
  const char* message;
};
class IllegalConstant : public testing::TestWithParam<IllegalCase> {};

TEST_P(IllegalConstant, IsRefused) {
  TestContext context;
  context.constants().addNamed("00000000000000000000000000000001",
                               {.bytes = {}, .owner = std::make_shared<int>(0)});
  EXPECT_FALSE(withConstant(context, GetParam().constant));
  EXPECT_NE(context.diagnostics().find(GetParam().message), std::string::npos)
      << context.diagnostics();
}

INSTANTIATE_TEST_SUITE_P(
    Constants, IllegalConstant,
    testing::Values(
        IllegalCase{"constant_c1_shape", "dense<1.0> : tensor<2xf32> -> tensor<3xf32>", "(C1)"},
        IllegalCase{"constant_c1_element", "dense<1> : tensor<2xi32> -> tensor<2xf32>", "(C1)"},
        IllegalCase{"constant_c1_kind", "42 : i64 -> tensor<i64>", "(C1)"},
        IllegalCase{"constant_c1_dynamic", "dense<1.0> : tensor<2xf32> -> tensor<?xf32>", "(C1)"},
        IllegalCase{"constant_c1_huge",
                    "dense<1.0> : tensor<1073741824x16xf32> -> tensor<1073741824x16xf32>", "(C1)"},
        IllegalCase{"constant_c1_blocked",
                    "dense<1.0> : tensor<4xf32> -> tensor<4xf32, #tsr.layout<blockDims = [0], "
                    "blockSizes = [2]>>",
                    "(C1)"},
        IllegalCase{"constant_c2_unknown",
                    "#tsr.blob<\"00000000000000000000000000000002\"> -> tensor<0xf32>", "(C2)"},
        IllegalCase{"constant_c2_size",
                    "#tsr.blob<\"00000000000000000000000000000001\"> -> tensor<3xf32>", "(C2)"},
        IllegalCase{"constant_c2_dynamic",
                    "#tsr.blob<\"00000000000000000000000000000001\"> -> tensor<?xf32>", "(C2)"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera::ir::test
