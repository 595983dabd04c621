// Activations of recurrent layers: names in any case, defaults, how many there must be.
#include "compiler/ir/spec/recurrent.h"

#include <gtest/gtest.h>

#include "compiler/ir/test/parse_for_test.h"

namespace tessera::ir::spec {
namespace {

/// A layer with these attributes: "lstm" and `, direction = "reverse"`.
class Layer {
 public:
  Layer(const std::string& name, int gates, int directions, const std::string& attributes) {
    const std::string d = std::to_string(directions), rows = std::to_string(4 * gates),
                      w = "tensor<" + d + "x" + rows + "x3xf32>",
                      r = "tensor<" + d + "x" + rows + "x4xf32>";
    const bool hasCell = name == "lstm";
    module_ = context_.parse(
        "func.func @f(%x: tensor<5x2x3xf32>, %w: " + w + ", %r: " + r + ") {\n  %y = tsr." + name +
        " %x, %w, %r {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0" +
        (hasCell ? ", 0, 0" : "") + ">, resultSegmentSizes = array<i32: 1, 0" +
        (hasCell ? ", 0" : "") + ">" + attributes + "} : (tensor<5x2x3xf32>, " + w + ", " + r +
        ") -> tensor<5x" + d + "x2x4xf32>\n  return\n}");
    EXPECT_TRUE(module_) << context_.diagnostics();
  }
  RecurrentOpInterface op() {
    RecurrentOpInterface found;
    module_->walk([&](RecurrentOpInterface op) { found = op; });
    return found;
  }

 private:
  ir::test::TestContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST(Recurrent, EachNameIsKnownInAnyCase) {
  for (int i = 0; i <= static_cast<int>(Activation::kThresholdedRelu); ++i) {
    const auto activation = static_cast<Activation>(i);
    const ActivationInfo& info = activationInfo(activation);
    EXPECT_EQ(info.activation, activation);
    EXPECT_EQ(activationOf(info.name), activation);
    EXPECT_EQ(activationOf(llvm::StringRef(info.name).lower()), activation);
  }
  EXPECT_EQ(activationOf("Gelu"), std::nullopt);
}

TEST(Recurrent, DefaultsAreThoseOfTheOperator) {
  using A = Activation;
  const auto kinds = [](Layer layer) {
    const Result<RecurrentAttributes> attributes = recurrentAttributes(layer.op());
    llvm::SmallVector<A> result;
    for (const ActivationCall& call : attributes->activations) result.push_back(call.activation);
    return result;
  };
  EXPECT_EQ(kinds({"lstm", 4, 1, ""}), (llvm::SmallVector<A>{A::kSigmoid, A::kTanh, A::kTanh}));
  EXPECT_EQ(kinds({"gru", 3, 1, ""}), (llvm::SmallVector<A>{A::kSigmoid, A::kTanh}));
  EXPECT_EQ(kinds({"rnn", 1, 2, ", direction = \"bidirectional\""}),
            (llvm::SmallVector<A>{A::kTanh, A::kTanh}));
}

TEST(Recurrent, AttributesAreRead) {
  Layer layer("gru", 3, 2,
              ", direction = \"bidirectional\", clip = 2.0 : f32, activations = [\"hardsigmoid\", "
              "\"Tanh\", \"LeakyRelu\", \"Affine\"], activation_alpha = [0.3 : f32, 0.5 : f32], "
              "activation_beta = [0.25 : f32]");
  const Result<RecurrentAttributes> read = recurrentAttributes(layer.op());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->numDirections, 2);
  EXPECT_EQ(read->numActivations(), 2u);
  EXPECT_FALSE(read->isReversed);
  EXPECT_FALSE(read->isBatchFirst);
  EXPECT_EQ(read->clip, 2);
  EXPECT_EQ(layer.op().getNumGates(), 3);
  // Parameters go, in order, to those that take them; what the lists lack is the default.
  const llvm::ArrayRef<ActivationCall> second = read->activationsOf(1);
  EXPECT_FLOAT_EQ(static_cast<float>(read->activations[0].alpha), 0.3f);
  EXPECT_EQ(read->activations[0].beta, 0.25);
  EXPECT_EQ(second[0].activation, Activation::kLeakyRelu);
  EXPECT_EQ(second[0].alpha, 0.5);
  EXPECT_EQ(second[1].alpha, 1);
  EXPECT_EQ(second[1].beta, 0);
}

TEST(Recurrent, ReverseReadsFromTheEnd) {
  Layer layer("rnn", 1, 1, ", direction = \"reverse\"");
  EXPECT_TRUE(recurrentAttributes(layer.op())->isReversed);
}

TEST(Recurrent, NamesAndTheirNumberAreChecked) {
  Layer few("lstm", 4, 1, ", activations = [\"Sigmoid\"]");
  const Result<RecurrentAttributes> tooFew = recurrentAttributes(few.op());
  ASSERT_FALSE(tooFew);
  EXPECT_EQ(tooFew.error().message, "there are 1 activations, expected 3");
  Layer unknown("rnn", 1, 1, ", activations = [\"Gelu\"]");
  const Result<RecurrentAttributes> strange = recurrentAttributes(unknown.op());
  ASSERT_FALSE(strange);
  EXPECT_EQ(strange.error().message, "activation 'Gelu' is not known");
}

}  // namespace
}  // namespace tessera::ir::spec
