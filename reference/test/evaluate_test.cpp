// The table of operators, and that no call whatsoever crashes.
#include <cstdlib>
#include <random>

#include "reference/test/testing.h"

namespace tessera::reference::testing {

TEST(Evaluate, KnowsItsOperators) {
  EXPECT_TRUE(isImplemented("conv"));
  EXPECT_FALSE(isImplemented("convolution"));
  const auto names = implementedOps();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(failure("convolution", {}), "operator 'convolution' has no reference implementation");
}

TEST(Evaluate, EveryOperatorRefusesACallWithoutInputs) {
  for (const std::string_view op : implementedOps()) EXPECT_NE(failure(op, {}), "") << op;
}

TEST(Evaluate, CountsOutputs) {
  auto result = runAll("relu", 2, {}, iota<float>({1}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "relu: produces 1 outputs, but 2 are wanted");
}

TEST(Evaluate, ChecksAttributeTypes) {
  EXPECT_EQ(failure("softmax", {{"axis", "last"}}, iota<float>({1})),
            "softmax: attribute 'axis' has the wrong type");
}

/// Random calls: small shapes with zeros and ones, any element type, plausible and absurd
/// attributes.
class RandomCalls {
 public:
  explicit RandomCalls(uint32_t seed) : random_(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  int64_t number() {
    static constexpr int64_t kNumbers[] = {
        0, 1, 2, 3, -1, -2, 4, 5, 7, -9, INT64_MAX, INT64_MIN, int64_t{1} << 40};
    return kNumbers[pick(0, 3) == 0 ? pick(0, 12) : pick(0, 4)];
  }

  std::vector<int64_t> numbers() {
    std::vector<int64_t> list(static_cast<size_t>(pick(0, 5)));
    for (int64_t& value : list) value = number();
    return list;
  }

  Tensor input(const Shape* like) {
    static constexpr ElementType kTypes[] = {
        ElementType::kF32, ElementType::kI64, ElementType::kF64,  ElementType::kI32,
        ElementType::kU8,  ElementType::kI8,  ElementType::kBool, ElementType::kF16};
    if (pick(0, 7) == 0) return {};
    const ElementType type = kTypes[pick(0, 2) == 0 ? pick(0, 7) : pick(0, 1)];
    Shape shape;
    for (int64_t d = pick(0, 5); d > 0; --d) shape.push_back(pick(0, 5) == 0 ? 0 : pick(1, 3));
    if (like && pick(0, 1) == 0) shape = *like;
    Tensor result(type, shape);
    for (int64_t i = 0; i < result.count(); ++i) {
      const int64_t value = number();
      if (type == ElementType::kF32)
        result.as<float>()[i] = static_cast<float>(value);
      else if (type == ElementType::kF64)
        result.as<double>()[i] = static_cast<double>(value) / 3;
      else if (type == ElementType::kI64)
        result.as<int64_t>()[i] = value;
      else if (type == ElementType::kI32)
        result.as<int32_t>()[i] = static_cast<int32_t>(value);
      else if (elementSizeBytes(type) == 1)
        result.as<uint8_t>()[i] = static_cast<uint8_t>(value);
    }
    return result;
  }

  Attributes attributes() {
    static constexpr const char* kIntegers[] = {"axis",
                                                "keepdims",
                                                "group",
                                                "to",
                                                "dtype",
                                                "batch_dims",
                                                "blocksize",
                                                "num_groups",
                                                "size",
                                                "p",
                                                "k",
                                                "upper",
                                                "num_outputs",
                                                "ceil_mode",
                                                "count_include_pad",
                                                "storage_order",
                                                "layout",
                                                "hidden_size",
                                                "block_size",
                                                "transA",
                                                "transB",
                                                "exclusive",
                                                "reverse",
                                                "allowzero",
                                                "antialias",
                                                "exclude_outside",
                                                "value",
                                                "axis"};
    static constexpr const char* kLists[] = {"kernel_shape", "pads",          "strides",
                                             "dilations",    "perm",          "axes",
                                             "output_shape", "output_padding"};
    static constexpr std::pair<const char*, const char*> kStrings[] = {
        {"mode", "reflect"},
        {"mode", "linear"},
        {"mode", "cubic"},
        {"mode", "wrap"},
        {"auto_pad", "SAME_UPPER"},
        {"auto_pad", "VALID"},
        {"reduction", "add"},
        {"direction", "bidirectional"},
        {"direction", "LEFT"},
        {"equation", "ij,jk->ik"},
        {"equation", "...i,i...->..."},
        {"equation", "ii->i"},
        {"coordinate_transformation_mode", "tf_crop_and_resize"},
        {"keep_aspect_ratio_policy", "not_larger"}};
    Attributes result;
    for (int64_t i = pick(0, 4); i > 0; --i)
      result[kIntegers[pick(0, std::size(kIntegers) - 1)]] = number();
    for (int64_t i = pick(0, 3); i > 0; --i)
      result[kLists[pick(0, std::size(kLists) - 1)]] = numbers();
    for (int64_t i = pick(0, 1); i > 0; --i) {
      const auto& [name, value] = kStrings[pick(0, std::size(kStrings) - 1)];
      result[name] = std::string(value);
    }
    return result;
  }

 private:
  std::mt19937 random_;
};

TEST(Evaluate, SurvivesRandomCalls) {
  const char* setting = std::getenv("TESSERA_TEST_ROUNDS");
  const int rounds = setting ? std::atoi(setting) : 150;
  int succeeded = 0;
  for (int round = 0; round < rounds; ++round) {
    RandomCalls random(static_cast<uint32_t>(round));
    SCOPED_TRACE(round);
    for (const std::string_view op : implementedOps()) {
      std::vector<Tensor> inputs;
      for (int64_t i = random.pick(0, 5); i >= 0; --i) {
        inputs.push_back(random.input(inputs.empty() ? nullptr : &inputs[0].shape()));
      }
      std::vector<TensorView> views;
      views.reserve(inputs.size());
      for (const Tensor& tensor : inputs) views.push_back(tensor.view());
      const Attributes attributes = random.attributes();
      auto result =
          evaluate({.op = op, .inputs = views, .attributes = attributes, .numOutputs = 1});
      succeeded += result ? 1 : 0;
      if (!result) {
        ASSERT_FALSE(result.error().message.empty()) << op;
      }
    }
  }
  EXPECT_GT(succeeded, rounds);
}

}  // namespace tessera::reference::testing
