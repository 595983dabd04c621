// rnn, gru, lstm with one hidden unit, so that the steps can be followed by hand.
#include "reference/test/testing.h"

namespace tessera::reference::testing {

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Rnn, ForwardReverseAndLengths) {
  const Tensor x = tensor<double>({2, 1, 1}, {1, 2}), w = tensor<double>({1, 1, 1}, {1}),
               r = tensor<double>({1, 1, 1}, {10});
  const Attributes linear = {{"activations", std::vector<std::string>{"Affine"}}};
  auto forward = runAll("rnn", 2, linear, x, w, r);
  ASSERT_TRUE(forward);
  expectTensor<double>((*forward)[0], {2, 1, 1, 1}, {1, 12});
  expectTensor<double>((*forward)[1], {1, 1, 1}, {12});
  const Attributes reverse = {{"activations", std::vector<std::string>{"Affine"}},
                              {"direction", "reverse"}};
  expectTensor<double>(run("rnn", reverse, x, w, r), {2, 1, 1, 1}, {21, 2});
  const Tensor length = tensor<int32_t>({1}, {1});
  expectTensor<double>(run("rnn", linear, x, w, r, absent(), length), {2, 1, 1, 1}, {1, 0});
}

TEST(Rnn, LayoutBiasInitialStateAndClip) {
  const Tensor x = tensor<double>({1, 2, 1}, {1, 2}), w = tensor<double>({1, 1, 1}, {1}),
               r = tensor<double>({1, 1, 1}, {1});
  const Tensor bias = tensor<double>({1, 2}, {10, 100}),
               initial = tensor<double>({1, 1, 1}, {1000});
  const Attributes attributes = {{"activations", std::vector<std::string>{"Affine"}},
                                 {"layout", int64_t{1}}};
  expectTensor<double>(run("rnn", attributes, x, w, r, bias, absent(), initial), {1, 2, 1, 1},
                       {1111, 1223});
  Attributes clipped = attributes;
  clipped["clip"] = 5.0;
  expectTensor<double>(run("rnn", clipped, x, w, r, bias), {1, 2, 1, 1}, {5, 5});
}

TEST(Lstm, ASequenceWithoutStepsEndsInZeros) {
  const Tensor x = tensor<double>({1, 2, 1}, {1, 1}), w = Tensor(ElementType::kF64, {1, 4, 1}),
               r = Tensor(ElementType::kF64, {1, 4, 1});
  const Tensor lengths = tensor<int32_t>({2}, {0, 1}), initial = tensor<double>({1, 2, 1}, {3, 4});
  auto result = runAll("lstm", 3, {}, x, w, r, absent(), lengths, initial, initial);
  ASSERT_TRUE(result);
  // All gates are one half, and nothing is added to half of the cell.
  const double h = std::tanh(2.0) / 2;
  expectTensor<double>((*result)[0], {1, 1, 2, 1}, {0, h});
  expectTensor<double>((*result)[1], {1, 2, 1}, {0, h});
  expectTensor<double>((*result)[2], {1, 2, 1}, {0, 2});
}

// As in ONNX Runtime: rnn and lstm of no steps forget their initial states there (gru ends the
// process).
TEST(Recurrent, ALayerWithoutStepsEndsInZeros) {
  const auto weights = [](int64_t rows) { return Tensor(ElementType::kF64, {1, rows, 1}); };
  const Tensor x(ElementType::kF64, {0, 1, 1}), initial = tensor<double>({1, 1, 1}, {3});
  const auto expectZeros = [](const OpResult& result) {
    ASSERT_TRUE(result);
    expectTensor<double>((*result)[0], {0, 1, 1, 1}, {});
    for (size_t i = 1; i < result->size(); ++i) expectTensor<double>((*result)[i], {1, 1, 1}, {0});
  };
  expectZeros(runAll("rnn", 2, {}, x, weights(1), weights(1), absent(), absent(), initial));
  expectZeros(runAll("gru", 2, {}, x, weights(3), weights(3), absent(), absent(), initial));
  expectZeros(
      runAll("lstm", 3, {}, x, weights(4), weights(4), absent(), absent(), initial, initial));
}

TEST(Gru, ResetBeforeAndAfterTheLinearPart) {
  const Tensor x = tensor<double>({1, 1, 1}, {1}), w = tensor<double>({1, 3, 1}, {0.1, 0.2, 0.3});
  const Tensor r = tensor<double>({1, 3, 1}, {0.4, 0.5, 0.6}),
               bias = tensor<double>({1, 6}, {0, 0, 0, 0, 0, 0.7});
  const Tensor initial = tensor<double>({1, 1, 1}, {2});
  const double z = sigmoid(0.1 + 0.8), reset = sigmoid(0.2 + 1.0);
  const double before = std::tanh(0.3 + 0.6 * (reset * 2) + 0.7),
               after = std::tanh(0.3 + reset * (0.6 * 2 + 0.7));
  expectTensor<double>(run("gru", {}, x, w, r, bias, absent(), initial), {1, 1, 1, 1},
                       {(1 - z) * before + z * 2});
  expectTensor<double>(
      run("gru", {{"linear_before_reset", int64_t{1}}}, x, w, r, bias, absent(), initial),
      {1, 1, 1, 1}, {(1 - z) * after + z * 2});
}

TEST(Lstm, GatesPeepholesAndStates) {
  const Tensor x = tensor<double>({1, 1, 1}, {1}),
               w = tensor<double>({1, 4, 1}, {0.1, 0.2, 0.3, 0.4});
  const Tensor r = Tensor(ElementType::kF64, {1, 4, 1}), c0 = tensor<double>({1, 1, 1}, {2});
  const Tensor peepholes = tensor<double>({1, 3}, {0.5, 0.6, 0.7});
  auto result = runAll("lstm", 3, {}, x, w, r, absent(), absent(), absent(), c0, peepholes);
  ASSERT_TRUE(result);
  const double c = sigmoid(0.3 + 0.7 * 2) * 2 + sigmoid(0.1 + 0.5 * 2) * std::tanh(0.4);
  const double h = sigmoid(0.2 + 0.6 * c) * std::tanh(c);
  expectTensor<double>((*result)[0], {1, 1, 1, 1}, {h});
  expectTensor<double>((*result)[2], {1, 1, 1}, {c});
}

TEST(Lstm, BidirectionalShapes) {
  const Tensor x = iota<float>({3, 2, 4}), w = Tensor(ElementType::kF32, {2, 20, 4}),
               r = Tensor(ElementType::kF32, {2, 20, 5});
  auto result = runAll("lstm", 3, {{"direction", "bidirectional"}}, x, w, r);
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)[0].shape(), (Shape{3, 2, 2, 5}));
  EXPECT_EQ((*result)[1].shape(), (Shape{2, 2, 5}));
}

TEST(Recurrent, RefusesWhatDoesNotFit) {
  const Tensor x = iota<float>({1, 1, 1}), w = iota<float>({1, 4, 1}), r = iota<float>({1, 4, 1});
  EXPECT_NE(failure("gru", {}, x, w, r), "");
  EXPECT_NE(
      failure("lstm", {{"activations", std::vector<std::string>{"Cube", "Tanh", "Tanh"}}}, x, w, r),
      "");
  EXPECT_NE(failure("lstm", {{"direction", "sideways"}}, x, w, r), "");
  EXPECT_NE(failure("lstm", {}, x, w, r, absent(), tensor<int32_t>({1}, {2})), "");
}

}  // namespace tessera::reference::testing
