// Costs that a user wrote.
#include "compiler/placement/costing/cost_table.h"

#include "compiler/partition/test/placement_for_test.h"

namespace tessera::placement {
namespace {

using namespace mlir;

class CostTableTest : public partition::PlacementTest {
 protected:
  CostTableTest() {
    place({{.name = "a", .supports = partition::only({"relu"})},
           {.name = "host", .rules = partition::merging()}});
  }

  /// Of a chain of three operators, of which "a" has the first and the host the rest.
  Result<double> secondsOf(const char* table) {
    auto module = parse(R"(
      func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
        %0 = tsr.relu %x : (tensor<8xf32>) -> tensor<8xf32>
        %1 = tsr.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
        %2 = tsr.abs %1 : (tensor<8xf32>) -> tensor<8xf32>
        return %2 : tensor<8xf32>
      })");
    EXPECT_TRUE(run(*module)) << diagnostics();
    TESSERA_TRY(const CostTable parsed, CostTable::parse(table));
    return parsed.secondsOf(*module);
  }

  void expectSeconds(const char* table, double seconds) {
    const Result<double> found = secondsOf(table);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_DOUBLE_EQ(*found, seconds);
  }

  void expectError(const char* table, const std::string& part) {
    const Result<double> found = secondsOf(table);
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message.find(part), std::string::npos) << found.error().message;
  }
};

TEST_F(CostTableTest, OperatorsAndCallsAddUp) {
  expectSeconds(R"([{"operator": ".*", "seconds": 1}, {"target": "host", "call": 10}])", 13);
}

TEST_F(CostTableTest, TheFirstRowThatFitsCounts) {
  expectSeconds(R"([{"target": "a", "operator": "relu", "seconds": 5},
                    {"target": "host", "operator": "exp|abs", "seconds": 2},
                    {"operator": ".*", "seconds": 100}])",
                9);
}

TEST_F(CostTableTest, ARegionHasACostOfItsOwn) {
  expectSeconds(R"([{"region": "exp abs", "seconds": 3}, {"operator": ".*", "seconds": 10},
                    {"call": 100}])",
                3 + 110);
}

TEST_F(CostTableTest, FlopsAndBytesCount) {
  expectSeconds(R"([{"target": "a", "operator": "relu", "per_byte": 1},
                    {"target": "a", "region": "exp abs", "per_byte": 1000},
                    {"operator": ".*"}])",
                2 * 8 * 4);
  expectSeconds(R"([{"operator": "relu", "per_flop": 1}, {"operator": ".*"}])", 8);
}

TEST_F(CostTableTest, WhatNoRowFitsHasNoCost) {
  expectError(R"([{"operator": "relu|exp"}])", "no row says what abs costs on target 'host'");
}

TEST_F(CostTableTest, BadRowsAreNamed) {
  expectError("{}", "it is no list of costs");
  expectError("[", "it is no list of costs");
  expectError("[1]", "row 1: found no object");
  expectError(R"([{"call": 1}, {"call": -1}])", "row 2: field 'call', expected a number from 0");
  expectError(R"([{"seconds": 1}])", "row 1: expected one of region, operator and call");
  expectError(R"([{"operator": "("}])", "row 1: field 'operator', expected a regular expression");
  expectError(R"([{"operator": "x", "second": 1}])", "row 1: expected target, seconds");
}

}  // namespace
}  // namespace tessera::placement
