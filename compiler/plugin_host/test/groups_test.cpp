// What stays known of operators that are taken together when parts of them are asked about again.
#include "compiler/plugin_host/groups.h"

#include <gtest/gtest.h>

#include "compiler/ir/tsr.h"
#include "mlir/Parser/Parser.h"

namespace tessera::plugin_host {
namespace {

using mlir::Operation;

constexpr const char* kModule = R"(
  func.func @whole(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    %b = tsr.relu %a : (tensor<4xf32>) -> tensor<4xf32> loc("b")
    %c = tsr.relu %b : (tensor<4xf32>) -> tensor<4xf32> loc("c")
    return %c : tensor<4xf32>
  }
  func.func @part(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = tsr.relu %x : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    return %a : tensor<4xf32>
  })";

class GroupsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(kModule, &context_);
    ASSERT_TRUE(module_);
    for (Operation& op : function("whole").getBody().front().without_terminator())
      ops_.push_back(&op);
    ASSERT_EQ(ops_.size(), 3U);
  }
  mlir::func::FuncOp function(llvm::StringRef name) {
    return module_->lookupSymbol<mlir::func::FuncOp>(name);
  }
  std::string whyPart() { return groups_.whyTorn("t", function("part")); }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<Operation*> ops_;
  Groups groups_;
};

TEST_F(GroupsTest, APartOfAGroupIsTorn) {
  groups_.learn("t", ops_, {{ops_[0], ops_[2]}});
  EXPECT_EQ(whyPart(), "it takes it only together with 'c', which is not in the region");
  EXPECT_EQ(groups_.whyTorn("t", function("whole")), "");
  EXPECT_EQ(groups_.whyTorn("another", function("part")), "");
}

TEST_F(GroupsTest, WhatIsSaidOfAPartOfAGroupAloneChangesNothing) {
  groups_.learn("t", ops_, {{ops_[0], ops_[2]}});
  groups_.learn("t", {ops_[0]}, {{ops_[0]}});
  groups_.learn("t", {ops_[0], ops_[1]}, {});
  EXPECT_NE(whyPart(), "");
}

TEST_F(GroupsTest, WhatIsSaidOfAWholeGroupAgainReplacesIt) {
  groups_.learn("t", ops_, {{ops_[0], ops_[2]}});
  groups_.learn("t", ops_, {});
  EXPECT_EQ(whyPart(), "") << "now each is taken alone";
  groups_.learn("t", ops_, {{ops_[0], ops_[1]}});
  EXPECT_EQ(whyPart(), "it takes it only together with 'b', which is not in the region");
}

TEST_F(GroupsTest, AGroupOfAnEarlierModuleIsNoneOfThisOne) {
  groups_.learn("t", ops_, {{ops_[0], ops_[2]}});
  ops_[2]->setLoc(mlir::NameLoc::get(mlir::StringAttr::get(&context_, "other")));
  EXPECT_EQ(whyPart(), "");
}

}  // namespace
}  // namespace tessera::plugin_host
