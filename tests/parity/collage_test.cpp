// The scenarios of TVM's tests of Collage.
#include "tests/parity/collage_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;

TEST_F(CollageTest, CO1_ASingleOperatorOfTheHost) {
  place(fastAndHost({"relu"}));
  EXPECT_EQ(find("%0 = relu %x\nreturn %0", kCallsCost), (Texts{"host: relu"}));
}

TEST_F(CollageTest, CO2_ASingleOperatorOfAnother) {
  place(fastAndHost({"relu"}));
  EXPECT_EQ(find("%0 = relu %x\nreturn %0",
                 R"([{"target": "fast", "operator": ".*", "seconds": 1},
                     {"operator": ".*", "seconds": 2}])"),
            (Texts{"fast: relu"}));
}

/// A branch that only the host takes: no region holds both ends of it without it.
TEST_F(CollageTest, CO3_ADiamondIsCutWhereItWouldBeACycle) {
  const char* graph = R"(
    %0 = relu %x
    %1 = abs %0
    %2 = relu %0
    %3 = add %1, %2
    return %3)";
  place(fastAndHost({"relu", "add"}));
  EXPECT_EQ(find(graph, R"([{"target": "fast", "call": 0.1},
                            {"target": "fast", "operator": ".*", "seconds": 1},
                            {"operator": ".*", "seconds": 2}])"),
            (Texts{"fast: relu relu", "host: abs", "fast: add"}));
}

class CollageDepthTest : public CollageTest, public testing::WithParamInterface<size_t> {
 protected:
  static Texts chains(const std::string& owner) {
    Texts texts;
    for (size_t left = 4; left > 0;) {
      const size_t length = std::min(left, GetParam());
      std::string text = owner + ":";
      for (size_t i = 0; i < length; ++i) text += " relu";
      texts.push_back(std::move(text));
      left -= length;
    }
    std::ranges::sort(texts);
    return texts;
  }
  Texts sorted(Texts texts) {
    std::ranges::sort(texts);
    return texts;
  }
};

TEST_P(CollageDepthTest, CO4_OfRegionsOfTheHost) {
  backend_api::RegionRules rules = merging();
  rules.maxDepth = GetParam();
  place({{.name = "host", .rules = rules}});
  EXPECT_EQ(sorted(find(kFourRelus, R"([{"call": 1}, {"operator": ".*", "seconds": 1}])")),
            chains("host"));
}

TEST_P(CollageDepthTest, CO5_OfRegionsOfAnother) {
  place(fastAndHost({"relu"}, GetParam()));
  EXPECT_EQ(sorted(find(kFourRelus, R"([{"target": "fast", "call": 1},
      {"target": "fast", "operator": ".*", "seconds": 1}, {"operator": ".*", "seconds": 9}])")),
            chains("fast"));
}

INSTANTIATE_TEST_SUITE_P(Depths, CollageDepthTest, testing::Values(1, 2, 3));

TEST_F(CollageTest, CO6_ARegionWithSeveralResults) {
  place(fastAndHost({"relu", "exp", "abs"}));
  EXPECT_EQ(find(R"(
    %0 = relu %x
    %1 = exp %0
    %2 = abs %0
    return %1, %2)",
                 kCallsCost),
            (Texts{"fast: relu exp abs"}));
}

TEST_F(CollageTest, CO7_AConcatenationOfWhatIsComputed) {
  place(fastAndHost({"relu", "abs", "concat", "exp"}));
  EXPECT_EQ(find(R"(func.func @main(%x: $, %y: $) -> tensor<8xf32> {
    %0 = relu %x
    %1 = abs %y
    %2 = tsr.concat %0, %1 {axis = 0 : i64} : ($, $) -> tensor<8xf32>
    %3 = tsr.exp %2 : (tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  })",
                 kCallsCost),
            (Texts{"fast: relu abs concat exp"}));
}

/// Each operator by itself is faster on the host, all of them together are not.
TEST_F(CollageTest, CO8_FusionPays) {
  place(fastAndHost({"relu", "exp", "abs"}));
  const char* graph = R"(
    %0 = relu %x
    %1 = exp %0
    %2 = abs %1
    return %2)";
  EXPECT_EQ(find(graph, R"([{"target": "fast", "region": "relu exp abs", "seconds": 5},
      {"target": "fast", "operator": ".*", "seconds": 3}, {"operator": ".*", "seconds": 2}])"),
            (Texts{"fast: relu exp abs"}));
}

TEST_F(CollageTest, CO9_ADoubleResidual) {
  place(fastAndHost({"relu", "add"}));
  const char* graph = R"(
    %0 = relu %x
    %1 = add %0, %x
    %2 = relu %1
    %3 = add %2, %1
    return %3)";
  EXPECT_EQ(find(graph, kCallsCost), (Texts{"fast: relu add relu add"}));
}

/// Of a long chain equal parts are asked about once, and what cannot be better not at all.
TEST_F(CollageTest, CO10_FewEstimatesSuffice) {
  place(fastAndHost({"relu"}));
  std::string graph = "%0 = relu %x\n";
  for (int i = 1; i < 64; ++i)
    graph += "%" + std::to_string(i) + " = relu %" + std::to_string(i - 1) + "\n";
  EXPECT_EQ(find(graph + "return %63", kCallsCost).size(), 1U);
  EXPECT_GT(plan_.numCandidates, 2 * 64U);
  EXPECT_LE(plan_.numMeasuredClasses, 32U);
}

}  // namespace
}  // namespace tessera::tests
