// TVM's tests of MergeCompilerRegions, M1 to M3, and what they lack, M4 to M11.
#include <ctime>
#include <numeric>
#include <set>

#include "tests/parity/parity_test.h"

namespace tessera::tests {
namespace {

using namespace mlir;

class MergeRegionsTest : public ParityTest {
 protected:
  /// The regions' names and operators, the host's operators: what does not depend on how the plan's
  /// lines are ordered.
  Texts outcome() {
    Texts lines;
    for (const std::string& line : plan()) {
      const StringRef text = line;
      const size_t equals = text.find(" = ");
      lines.push_back(
          text.substr(equals == StringRef::npos ? 0 : equals + 3).split('(').first.str());
    }
    llvm::sort(lines);
    return lines;
  }
};

TEST_F(MergeRegionsTest, M1_DiamondFanouts) {
  place(fastBesideHost(only({"abs", "relu", "add"})));
  graph("%0 = abs %x \n %1 = relu %0 \n %2 = tanh %0 \n %3 = add %1, %2 \n return %3");
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0, v1 = fast_0{abs relu}(x)", "v2 = tanh(v0)",
                           "v3 = fast_1{add}(v1, v2)", "return(v3)"}));
}

/// The example of the RFC of this merging: sums are fast's, differences the host's.
const char* kExample = R"(
  func.func @main(%x: $, %y: $, %z: $, %w: $, %a4: $, %a5: $, %a6: $, %a7: $, %a8: $, %a9: $) -> $ {
    %0 = add %x, %y
    %1 = add %z, %w
    %2 = add %0, %1
    %3 = sub %a4, %a5
    %4 = sub %a6, %3
    %5 = add %2, %4
    %6 = sub %a7, %5
    %7 = add %a8, %5
    %8 = add %6, %7
    %9 = add %a9, %8
    return %9
  })";

TEST_F(MergeRegionsTest, M2_ExampleGraph) {
  place(fastBesideHost(only({"add"})));
  module(kExample);
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = sub(a4, a5)", "v1 = sub(a6, v0)",
                           "v2, v3 = fast_0{add add add add add}(x, y, z, w, v1, a8)",
                           "v4 = sub(a7, v2)", "v5 = fast_1{add add}(v4, v3, a9)", "return(v5)"}));
}

TEST_F(MergeRegionsTest, M2_TheHostsRegionsMergeToo) {
  place({{.name = "fast", .supports = only({"add"}), .rules = merging()},
         {.name = "host", .rules = merging()}});
  module(kExample);
  partitioned();
  EXPECT_EQ(outcome(), (Texts{"fast_0{add add add add add}", "fast_1{add add}", "host_0{sub sub}",
                              "host_1{sub}", "return"}));
}

/// A sum feeds the condition and both branches of a choice; what follows reads it again.
const char* kChosenRegion = R"(
  !t = tensor<1xf32>
  func.func @main(%x: !t, %y: !t) -> !t {
    %0 = tsr.add %x, %y : (!t, !t) -> !t
    %1 = tsr.sub %0, %x : (!t, !t) -> !t
    %c = tsr.greater %0, %1 : (!t, !t) -> tensor<1xi1>
    %2 = tsr.if %c : (tensor<1xi1>) -> !t {
      %3 = tsr.sigmoid %0 : (!t) -> !t
      tsr.yield %3 : !t
    } else {
      %4 = tsr.sigmoid %1 : (!t) -> !t
      tsr.yield %4 : !t
    }
    %5 = tsr.erf %2 : (!t) -> !t
    %6 = tsr.add %5, %0 : (!t, !t) -> !t
    return %6 : !t
  })";

TEST_F(MergeRegionsTest, M3_IfElse) {
  place(fastBesidePlainHost({"add", "sigmoid", "erf"}));
  module(kChosenRegion);
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{add}(x, y)", "v1 = sub(v0, x)", "v2 = greater(v0, v1)",
                           "v3 = if(v2)", "  v4 = fast_2{sigmoid}(v0)", "  yield(v4)",
                           "  v5 = fast_3{sigmoid}(v1)", "  yield(v5)",
                           "v6 = fast_1{erf add}(v3, v0)", "return(v6)"}));
}

TEST_F(MergeRegionsTest, M3_AnOwnerThatTakesTheWholeIf) {
  place(fastBesideHost(only({"add", "sigmoid", "erf", "if"})));
  module(kChosenRegion);
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{add}(x, y)", "v1 = sub(v0, x)", "v2 = greater(v0, v1)",
                           "v3 = fast_1{if erf add}(v2, v0, v1)", "return(v3)"}));
}

/// Lines of a body and the lines that they need, to be put in every order that is one of execution.
struct Dag {
  Texts lines;
  std::vector<std::vector<size_t>> needs;
  std::string returned;
};

/// {A, V} -> X -> {R, W} -> Z -> {A, V} if both pairs merge.
Dag crossing() {
  return {.lines = {"%a = abs %x", "%r = relu %y", "%p = exp %a", "%q = tanh %r", "%v = add %a, %q",
                    "%m = mul %r, %p"},
          .needs = {{}, {}, {0}, {1}, {0, 3}, {1, 2}},
          .returned = "return %v, %m"};
}

void forEachOrder(const Dag& dag, llvm::function_ref<void(const std::string&)> visit) {
  std::vector<size_t> order(dag.lines.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    std::set<size_t> done;
    std::string body;
    const bool isOne = llvm::all_of(order, [&](size_t line) {
      body += dag.lines[line] + "\n";
      done.insert(line);
      return llvm::all_of(dag.needs[line], [&](size_t need) { return done.contains(need); });
    });
    if (isOne) visit(body + dag.returned);
  } while (std::next_permutation(order.begin(), order.end()));
}

std::string asItStands(const Dag& dag) {
  std::string body;
  for (const std::string& line : dag.lines) body += line + "\n";
  return body + dag.returned;
}

const std::vector<std::string> kOfCrossing = {"abs", "relu", "add", "mul", "sub"};

TEST_F(MergeRegionsTest, M4_CrossingChains) {
  place(fastBesideHost(only(kOfCrossing)));
  graph(asItStands(crossing()));
  partitioned();
  EXPECT_EQ(outcome(),
            (Texts{"exp", "fast_0{abs add}", "fast_1{relu}", "fast_2{mul}", "return", "tanh"}));
}

TEST_F(MergeRegionsTest, M5_ALateMergeCountsForWhatWasDecidedBefore) {
  // Behind both: it may join one of the crossing sides, not both.
  Dag dag = crossing();
  dag.lines.emplace_back("%u = sub %v, %m");
  dag.needs.push_back({4, 5});
  dag.returned = "return %u";
  place(fastBesideHost(only(kOfCrossing)));
  graph(asItStands(dag));
  partitioned();
  EXPECT_EQ(outcome(),
            (Texts{"exp", "fast_0{abs add}", "fast_1{relu}", "fast_2{mul sub}", "return", "tanh"}));
}

TEST_F(MergeRegionsTest, M6_ViewsBetweenAForeignAndAnOwnRegion) {
  // Nobody has the views; the way through them is a way all the same.
  place(fastBesideHost(only({"abs", "add"})));
  module(R"(
  !x = tensor<4x2xf32>
  !h = tensor<2x2xf32>
  func.func @main(%x: !x) -> !x {
    %0 = tsr.abs %x : (!x) -> !x
    %1 = tsr.exp %0 : (!x) -> !x
    %2:2 = tsr.split %1 {axis = 0 : i64} : (!x) -> (!h, !h)
    %3 = tsr.concat %2#1, %2#0 {axis = 0 : i64} : (!h, !h) -> !x
    %4 = tsr.add %0, %3 : (!x, !x) -> !x
    return %4 : !x
  })");
  partitioned();
  EXPECT_EQ(plan(), (Texts{"v0 = fast_0{abs}(x)", "v1 = exp(v0)", "v2, v3 = split(v1)",
                           "v4 = concat(v3, v2)", "v5 = fast_1{add}(v0, v4)", "return(v5)"}));
}

TEST_F(MergeRegionsTest, M7_OrderIndependence) {
  place(fastBesideHost(only(kOfCrossing)));
  std::set<Texts> outcomes;
  size_t orders = 0;
  forEachOrder(crossing(), [&](const std::string& body) {
    graph(body);
    partitioned();
    outcomes.insert(outcome());
    ++orders;
  });
  EXPECT_EQ(outcomes.size(), 1U) << testing::PrintToString(outcomes);
  EXPECT_EQ(orders, 18U);
}

TEST_F(MergeRegionsTest, M8_SeveralCompilersThatCross) {
  place({{.name = "first", .supports = only({"abs", "add"}), .rules = merging()},
         {.name = "second", .supports = only({"exp", "mul"}), .rules = merging()},
         {.name = "host"}});
  graph("%0 = abs %x \n %1 = exp %y \n %2 = add %0, %1 \n %3 = mul %1, %0 \n return %2, %3");
  partitioned();
  EXPECT_EQ(outcome(), (Texts{"first_0{abs add}", "return", "second_0{exp}", "second_1{mul}"}));
}

/// `count` operators one behind the other, the one at `i` named by `nameAt(i)`.
std::string chain(int count, llvm::function_ref<const char*(int)> nameAt) {
  std::string body, last = "%x";
  for (int i = 0; i < count; ++i) {
    const std::string next = "%" + std::to_string(i);
    body += next + " = " + nameAt(i) + " " + last + "\n";
    last = next;
  }
  return body + "return " + last;
}

/// Seconds of this process, not of the clock on the wall: other tests run beside this one.
double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST_F(MergeRegionsTest, M9_AChainOfTenThousandOperators) {
  place(fastBesideHost(only({"abs", "neg"})));
  graph(chain(10000, [](int i) { return i % 2 ? "neg" : "abs"; }));
  const double start = cpuSeconds();
  partitioned();
  EXPECT_LT(cpuSeconds() - start, 5);
  EXPECT_EQ(plan().size(), 2U);
  EXPECT_EQ(range_size(region("fast_0").getBody().front().without_terminator()), 10000);
}

TEST_F(MergeRegionsTest, M10_AThousandRegions) {
  place(fastBesideHost(only({"abs", "neg"})));
  graph(chain(4000, [](int i) { return i % 4 < 2 ? "abs" : "ceil"; }));
  const double start = cpuSeconds();
  partitioned();
  EXPECT_LT(cpuSeconds() - start, 5);
  EXPECT_EQ(regions(*module_), Texts(1000, "fast: abs abs"));
}

struct Limit {
  std::string name;
  backend_api::RegionRules rules;
  Texts expected;
};
void PrintTo(const Limit& value, std::ostream* out) { *out << value.name; }
class LimitsTest : public MergeRegionsTest, public testing::WithParamInterface<Limit> {};

TEST_P(LimitsTest, M11_OfRegions) {
  backend_api::RegionRules rules = GetParam().rules;
  rules.mergesOperators = true;
  place({{.name = "fast", .rules = rules}, {.name = "host"}});
  graph(
      "%0 = abs %x \n %1 = exp %0 \n %2 = neg %0 \n %3 = add %1, %2 \n %4 = ceil %3 \n return %4, "
      "%0");
  partitioned();
  EXPECT_EQ(regions(*module_), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, LimitsTest,
    testing::Values(
        Limit{"None", {}, {"fast: abs exp neg add ceil"}},
        Limit{"Operations", {.maxOperations = 4}, {"fast: abs exp neg add", "fast: ceil"}},
        Limit{"Depth", {.maxDepth = 3}, {"fast: abs exp neg add", "fast: ceil"}},
        Limit{"Exits", {.maxExits = 1}, {"fast: abs", "fast: exp neg add ceil"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tessera::tests
