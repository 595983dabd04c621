// Who is asked about what, and answers that cannot be used.
#include "compiler/partition/test/placement_for_test.h"

namespace tessera::partition {
namespace {

using namespace mlir;

class AnswersTest : public PlacementTest {};

TEST_F(AnswersTest, AnOwnerThatAnswersForOthersThanItWasAskedAboutDeclines) {
  const auto forget = [](std::vector<backend_api::Support>& answers) { answers.pop_back(); };
  place({{.name = "forgetful", .changeAnswers = forget},
         {.name = "host", .supports = only({"relu"})}});
  const auto moduleOf = [&](const std::string& op) {
    return parse("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { %0 = " + op +
                 " %x : (tensor<8xf32>) -> tensor<8xf32> return %0 : tensor<8xf32> }");
  };
  auto module = moduleOf("tsr.relu");
  ASSERT_TRUE(run(*module)) << diagnostics();
  EXPECT_EQ(regions(*module), (Texts{"host: relu"}));
  EXPECT_FALSE(run(*moduleOf("tsr.abs")));
  EXPECT_NE(diagnostics().find("it answered for 0 of 1 operators"), std::string::npos)
      << diagnostics();
}

TEST_F(AnswersTest, CompositesInControlFlowInACompositeAreExpanded) {
  place({{.name = "host", .supports = only({"relu"})}});
  auto module = parse(R"(
    func.func @main(%c: tensor<i1>, %x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tsr.composite "choice"(%c, %x) : (tensor<i1>, tensor<8xf32>) -> tensor<8xf32> {
      ^bb0(%condition: tensor<i1>, %a: tensor<8xf32>):
        %1 = tsr.if %condition : (tensor<i1>) -> tensor<8xf32> {
          %2 = tsr.composite "same"(%a) : (tensor<8xf32>) -> tensor<8xf32> {
          ^bb0(%b: tensor<8xf32>):
            %3 = tsr.relu %b : (tensor<8xf32>) -> tensor<8xf32>
            tsr.yield %3 : tensor<8xf32>
          }
          tsr.yield %2 : tensor<8xf32>
        } else {
          tsr.yield %a : tensor<8xf32>
        }
        tsr.yield %1 : tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    })");
  ASSERT_TRUE(module);
  ASSERT_TRUE(run(*module)) << diagnostics();
  auto branch = *ir::entryFunction(*module).getOps<ir::IfOp>().begin();
  EXPECT_EQ(regions(*module, branch.getThenBranch().front()), (Texts{"host: relu"}));
}

}  // namespace
}  // namespace tessera::partition
