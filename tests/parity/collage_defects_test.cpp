// What Collage as it landed in TVM got wrong: that it is not so here.
#include <cmath>

#include "tests/parity/collage_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;

/// Producers that were built by themselves and meet: all three are one candidate.
TEST_F(CollageTest, CD1_ProducersThatMeetAreFused) {
  place(fastAndHost({"relu", "exp", "abs", "neg", "add"}));
  EXPECT_EQ(find(R"(
    %0 = relu %x
    %1 = exp %0
    %2 = abs %y
    %3 = neg %2
    %4 = add %1, %3
    return %4)",
                 R"([{"target": "fast", "region": "relu exp abs neg add", "seconds": 1},
                     {"operator": ".*", "seconds": 2}])"),
            (Texts{"fast: relu exp abs neg add"}));
}

/// A region of a library, and in its midst an operator that another one does better.
TEST_F(CollageTest, CD3_ARegionIsMixedWhereThatIsCheaper) {
  place(fastAndHost({"relu", "exp", "abs"}));
  EXPECT_EQ(find(R"(
    %0 = relu %x
    %1 = exp %0
    %2 = abs %1
    return %2)",
                 R"([{"target": "fast", "operator": "exp", "seconds": 50},
                     {"target": "fast", "operator": ".*", "seconds": 1},
                     {"operator": ".*", "seconds": 3}])"),
            (Texts{"fast: relu", "host: exp", "fast: abs"}));
}

/// Each operand of a wide concatenation has several candidates; there is no product of them.
TEST_F(CollageTest, CD4_WideConcatenationsHaveFewCandidates) {
  constexpr size_t kWidth = 24;
  place({{.name = "fast", .supports = only({"relu", "abs", "concat"}), .rules = merging()},
         {.name = "other", .supports = only({"relu", "abs", "concat"}), .rules = merging()},
         {.name = "host", .rules = merging()}});
  std::string body, operands, types;
  for (size_t i = 0; i < kWidth; ++i) {
    const std::string number = std::to_string(i);
    body += "%r" + number + " = relu %x\n%a" + number + " = abs %r" + number + "\n";
    operands += (i == 0 ? "%a" : ", %a") + number;
    types += i == 0 ? "$" : ", $";
  }
  const std::string type = "tensor<" + std::to_string(4 * kWidth) + "xf32>";
  find("func.func @main(%x: $) -> " + type + " {\n" + body + "%c = tsr.concat " + operands +
           " {axis = 0 : i64} : (" + types + ") -> " + type + "\nreturn %c : " + type + "\n}",
       kCallsCost);
  EXPECT_GE(plan_.numCandidates, 2 * kWidth);
  EXPECT_LE(plan_.numProposals, 20 * kWidth);
}

/// A choice is one operator with all that its branches hold.
TEST_F(CollageTest, CD5_NoCandidateHasPartsOfBothBranches) {
  place({{.name = "fast", .supports = only({"relu", "sigmoid", "if"}), .rules = merging()},
         {.name = "host"}});
  const Texts found = find(R"(func.func @main(%c: tensor<i1>, %x: $) -> $ {
    %0 = relu %x
    %1 = tsr.if %c : (tensor<i1>) -> $ {
      %2 = sigmoid %0
      tsr.yield %2 : $
    } else {
      %3 = exp %0
      tsr.yield %3 : $
    }
    %4 = abs %1
    return %4
  })",
                           kCallsCost);
  EXPECT_EQ(found, (Texts{"fast: relu if", "host: abs"}));
  for (const placement::CandidateTile& tile : candidates().tiles) {
    for (const uint32_t node : tile.tile.nodes) EXPECT_LT(node, 3U);
  }
}

/// What stands together is measured together: a whole that costs more than its parts is not taken.
TEST_F(CollageTest, CD6_UnionsAreMeasuredNotSummed) {
  const char* graph = R"(
    %0 = relu %x
    %1 = exp %0
    return %1)";
  place(fastAndHost({"relu", "exp"}));
  EXPECT_EQ(find(graph, R"([{"target": "fast", "region": "relu exp", "seconds": 7},
                            {"target": "fast", "operator": ".*", "seconds": 1},
                            {"operator": ".*", "seconds": 9}])"),
            (Texts{"fast: relu", "fast: exp"}));
  EXPECT_EQ(plan_.contestants.front().predicted, 2);
}

/// Going over costs a call each time: twice for an operator that is slow here is too much.
TEST_F(CollageTest, CD7_SwitchesCost) {
  const char* graph = R"(
    %0 = relu %x
    %1 = exp %0
    %2 = relu %1
    return %2)";
  const auto costs = [](const std::string& call) {
    return R"([{"target": "fast", "operator": "exp", "seconds": 4},
               {"target": "fast", "operator": "relu", "seconds": 1},
               {"operator": ".*", "seconds": 3}, {"target": "fast", "call": )" +
           call + "}]";
  };
  place(fastAndHost({"relu", "exp"}));
  EXPECT_EQ(find(graph, costs("0.5")), (Texts{"fast: relu", "host: exp", "fast: relu"}));
  EXPECT_EQ(find(graph, costs("1.5")), (Texts{"fast: relu exp relu"}));
  EXPECT_EQ(find(graph, costs("4")), (Texts{"host: relu", "host: exp", "host: relu"}));
}

/// Changes what a table says.
class ChangedMeasurer final : public placement::Measurer {
 public:
  using Change = std::function<void(const placement::Subject&, placement::Measurement&)>;

  ChangedMeasurer(const char* costs, Change part, Change whole = {})
      : table_(*placement::CostTable::parse(costs)),
        part_(std::move(part)),
        whole_(std::move(whole)) {}

  bool isExact() const override { return true; }
  std::vector<placement::Measurement> measure(ArrayRef<placement::Subject> subjects,
                                              placement::Effort /*effort*/) override {
    numMeasured += subjects.size();
    return changed(subjects, part_);
  }
  std::vector<placement::Measurement> measureWhole(ArrayRef<placement::Subject> subjects,
                                                   bool /*areRivals*/) override {
    return changed(subjects, whole_);
  }

  size_t numMeasured = 0;

 private:
  std::vector<placement::Measurement> changed(ArrayRef<placement::Subject> subjects,
                                              const Change& change) {
    std::vector<placement::Measurement> found = table_.measureWhole(subjects, /*areRivals=*/true);
    for (auto [subject, measurement] : llvm::zip_equal(subjects, found)) {
      if (change) change(subject, measurement);
    }
    return found;
  }

  placement::CostTableMeasurer table_;
  Change part_, whole_;
};

static bool isOfFast(const placement::Subject& subject) {
  return subject.target && subject.target.getKind() == "fast";
}

constexpr const char* kFastIsFaster = R"([{"target": "fast", "operator": ".*", "seconds": 1},
                                          {"operator": ".*", "seconds": 2}])";

TEST_F(CollageTest, CD8_WhatHasNoNumberIsNotChosen) {
  for (const double number : {std::nan(""), -1.0, -HUGE_VAL, HUGE_VAL}) {
    const auto spoil = [&](const placement::Subject& subject, placement::Measurement& measurement) {
      if (isOfFast(subject)) measurement.seconds = number;
    };
    const auto spoilWhole = [&](const placement::Subject& subject,
                                placement::Measurement& measurement) {
      if (subject.name != "only host" && subject.name != "search") measurement.seconds = number;
    };
    ChangedMeasurer measurer(kFastIsFaster, spoil, spoilWhole);
    if (registry_.find("fast") == nullptr) place(fastAndHost({"relu"}));
    EXPECT_EQ(find(kFourRelus, measurer),
              (Texts{"host: relu", "host: relu", "host: relu", "host: relu"}))
        << number;
  }
}

/// Of some rivals the bounds alone say that they cannot win: nobody asks what they cost.
TEST_F(CollageTest, CD9_WhatCannotWinIsNotMeasured) {
  place(fastAndHost({"relu", "abs", "exp"}));
  ChangedMeasurer measurer(R"([{"target": "fast", "operator": ".*", "seconds": 0},
                               {"operator": ".*", "seconds": 2}])",
                           {});
  find(R"(
    %0 = relu %x
    %1 = exp %0
    %2 = abs %1
    %3 = exp %2
    %4 = relu %3
    return %4)",
       measurer);
  EXPECT_GT(measurer.numMeasured, 0U);
  EXPECT_LT(2 * measurer.numMeasured, plan_.numClasses);
}

TEST_F(CollageTest, CD11_WrongIsNotChosenHoweverFast) {
  place(fastAndHost({"relu"}));
  const auto isWrong = [](const placement::Subject& subject, placement::Measurement& measurement) {
    if (isOfFast(subject) || subject.name == "only fast" || subject.name == "greedy")
      measurement = {.outcome = costs::Outcome::kWrong, .reason = "output 0 differs by up to 1"};
  };
  ChangedMeasurer measurer(kFastIsFaster, isWrong, isWrong);
  EXPECT_EQ(find(kFourRelus, measurer),
            (Texts{"host: relu", "host: relu", "host: relu", "host: relu"}));
}

/// The sum says that the search is right; end to end it is slower than the host alone.
TEST_F(CollageTest, CD12_WholePlansHaveTheLastWord) {
  place(fastAndHost({"relu"}));
  ChangedMeasurer measurer(
      kFastIsFaster, {},
      [](const placement::Subject& subject, placement::Measurement& measurement) {
        if (subject.name == "only host") return;
        measurement.seconds *= 10;
        for (placement::Turn& turn : measurement.turns) turn.seconds *= 10;
      });
  EXPECT_EQ(find(kFourRelus, measurer),
            (Texts{"host: relu", "host: relu", "host: relu", "host: relu"}));
  EXPECT_EQ(plan_.contestants.front().name, "only host");
}

}  // namespace
}  // namespace tessera::tests
