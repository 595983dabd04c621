// Targets as attributes of the module, and code in the cache.
#include <gtest/gtest.h>

#include "compiler/backend_api/backend.h"
#include "mlir/AsmParser/AsmParser.h"

namespace tessera::backend_api {
namespace {

TEST(TargetAttributeTest, TypedValuesAndTheDeviceGoThereAndBack) {
  mlir::MLIRContext context;
  context.loadDialect<ir::TsrDialect>();
  const target::Target target{.kind = "gpu",
                              .device = 2,
                              .attributes = {{"fast", true},
                                             {"streams", int64_t{3}},
                                             {"share", 0.25},
                                             {"flags", std::string("a, \"b\" c")}}};
  const ir::TargetAttr attribute = toAttribute(&context, target);
  EXPECT_EQ(fromAttribute(attribute), target);
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  const auto parsed = llvm::dyn_cast_or_null<ir::TargetAttr>(mlir::parseAttribute(text, &context));
  ASSERT_TRUE(parsed) << text;
  EXPECT_EQ(fromAttribute(parsed), target) << text;
}

TEST(TargetAttributeTest, AnIntegerAttributeIsNoDevice) {
  mlir::MLIRContext context;
  context.loadDialect<ir::TsrDialect>();
  const auto attribute = llvm::cast<ir::TargetAttr>(
      mlir::parseAttribute(R"(#tsr.target<"gpu", {streams = 3 : i64}>)", &context));
  EXPECT_EQ(fromAttribute(attribute).device, 0);
  EXPECT_EQ(fromAttribute(attribute).attributes.at("streams"), target::AttributeValue(int64_t{3}));
}

}  // namespace
}  // namespace tessera::backend_api
