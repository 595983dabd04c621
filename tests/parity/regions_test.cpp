// TVM's tests of annotated regions (R), of functions of compilers (O) and of calibration (G).
#include "compiler/interpreter/interpret.h"
#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;

class RegionsTest : public ParityTest {
 protected:
  /// "abs:0", or "exp:" outside of regions, of each operator of main.
  Texts regionNumbers() {
    Texts texts;
    for (Operation& op : ir::entryFunction(*module_).getBody().front().without_terminator()) {
      const auto number = op.getAttrOfType<IntegerAttr>("tessera.region");
      texts.push_back(op.getName().stripDialect().str() + ":" +
                      (number ? std::to_string(number.getInt()) : ""));
    }
    return texts;
  }
  void numbered() {
    runPasses([](OpPassManager& manager) {
      manager.addPass(partition::createConsumeMarksPass());
      manager.addPass(partition::createAnnotateTargetPass());
      manager.addPass(partition::createMergeCompilerRegionsPass());
    });
  }
};

TEST_F(RegionsTest, R1_DiamondOfMarks) {
  place(fastBesideHost(only({"abs", "relu", "add"})));
  graph(R"(%a = compiler_begin "fast" %x
           %0 = abs %a
           %1 = compiler_end "fast" %0
           %b = compiler_begin "fast" %1
           %2 = relu %b
           %3 = compiler_end "fast" %2
           %4 = tanh %1
           %c = compiler_begin "fast" %3
           %d = compiler_begin "fast" %4
           %5 = add %c, %d
           %6 = compiler_end "fast" %5
           return %6)");
  runPasses([](OpPassManager& manager) { manager.addPass(partition::createConsumeMarksPass()); });
  EXPECT_EQ(regionNumbers(), (Texts{"abs:0", "relu:1", "tanh:", "add:2"}));
}

TEST_F(RegionsTest, R2_MergedRegions) {
  place(fastBesideHost(only({"abs", "relu", "add"})));
  graph("%0 = abs %x \n %1 = relu %0 \n %2 = tanh %0 \n %3 = add %1, %2 \n return %3");
  numbered();
  EXPECT_EQ(regionNumbers(), (Texts{"abs:0", "relu:0", "tanh:", "add:1"}));
}

TEST_F(RegionsTest, O1_SymbolsThatExistStay) {
  place(fastBesideHost(only({"add"})));
  module(R"(
  func.func private @fast_0(%x: $) -> $ {
    %0 = exp %x
    return %0
  }
  func.func @main(%x: $, %y: $) -> $ {
    %0 = add %x, %y
    %1 = call @fast_0(%0) : ($) -> $
    return %1
  })");
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_1{add}(x, y)", "v1 = @fast_0(v0)", "return(v1)"}));
}

TEST_F(RegionsTest, O4_InlineTheRegionsOfOneTarget) {
  place({{.name = "first", .supports = only({"add", "mul"}), .rules = merging()},
         {.name = "second", .supports = only({"exp"}), .rules = merging()},
         {.name = "host"}});
  graph("%0 = add %x, %y \n %1 = exp %0 \n %2 = mul %1, %x \n return %2");
  partitioned();
  runPasses([](OpPassManager& manager) {
    manager.addPass(partition::createInlineRegionsPass({.targets = {"first"}}));
  });
  EXPECT_EQ(plan(),
            (Texts{"v0 = add(x, y)", "v1 = second_0{exp}(v0)", "v2 = mul(v1, x)", "return(v2)"}));
  EXPECT_FALSE(region("first_0"));
  EXPECT_FALSE(region("first_1"));
}

/// G: what each region reads and gives, on the user's inputs.
struct Calibration {
  std::string name;
  std::string body;
  Texts regions;  ///< Of each result that was added.
};
void PrintTo(const Calibration& value, std::ostream* out) { *out << value.name; }
class CalibrationTest : public RegionsTest, public testing::WithParamInterface<Calibration> {};

TEST_P(CalibrationTest, G1_G2_ValuesOfRegions) {
  place(fastBesideHost(only({"add", "sub", "neg"})));
  graph(GetParam().body);
  const size_t own = ir::entryFunction(*module_).getNumResults();
  partitioned();
  runPasses([](OpPassManager& manager) { manager.addPass(partition::createExposeRegionsPass()); });
  func::FuncOp main = ir::entryFunction(*module_);
  Texts exposed;
  for (unsigned i = own; i < main.getNumResults(); ++i) {
    exposed.push_back(main.getResultAttrOfType<FlatSymbolRefAttr>(i, partition::kExposedAttribute)
                          .getValue()
                          .str());
  }
  EXPECT_EQ(exposed, GetParam().regions);
  // The model's own result is the first region's value through what follows it.
  const auto results = values();
  ASSERT_EQ(results.size(), own + exposed.size());
  for (size_t i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ(results.front()[i], std::exp(results[own][i]) * (own == 1 ? -1.0F : 1.0F));
}

INSTANTIATE_TEST_SUITE_P(
    All, CalibrationTest,
    testing::Values(Calibration{"G1_TwoRegions",
                                "%0 = add %x, %y \n %1 = exp %0 \n %2 = neg %1 \n return %2",
                                {"fast_0", "fast_1"}},
                    Calibration{
                        "G2_SeveralResults",
                        "%0 = add %x, %y \n %1 = sub %0, %x \n %2 = exp %0 \n %3 = abs %1 \n"
                        "return %2, %3",
                        {"fast_0", "fast_0"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tessera::tests
