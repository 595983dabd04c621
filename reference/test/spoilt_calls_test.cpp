// Calls that work, each spoilt a little: whatever comes out, it is a result or an error.
#include <cstdlib>
#include <iterator>
#include <random>

#include "reference/test/testing.h"

namespace tessera::reference::testing {

using Ints = std::vector<int64_t>;
static constexpr ElementType kF32 = ElementType::kF32;
static constexpr ElementType kI64 = ElementType::kI64;
static constexpr ElementType kBool = ElementType::kBool;

namespace {

struct Operand {
  ElementType type;
  Shape shape;
  int64_t fill = 0;  ///< Value of every element.
};

struct Case {
  std::string_view op;
  std::vector<Operand> inputs;
  Attributes attributes = {};
};

}  // namespace

// NOLINTBEGIN(modernize-use-designated-initializers): rows of a table.
static std::vector<Case> validCases() {
  const Operand image = {kF32, {2, 4, 5, 6}, 3}, row = {kF32, {4}, 1},
                sequence = {kF32, {3, 2, 4}, 1};
  const Attributes window = {{"kernel_shape", Ints{2, 3}},
                             {"strides", Ints{2, 1}},
                             {"dilations", Ints{1, 2}},
                             {"pads", Ints{1, 0, 1, 1}},
                             {"ceil_mode", int64_t{1}}};
  const Attributes conv = {{"kernel_shape", Ints{3, 3}},
                           {"strides", Ints{2, 1}},
                           {"dilations", Ints{1, 1}},
                           {"pads", Ints{1, 0, 1, 1}},
                           {"group", int64_t{2}}};
  return {
      {"conv", {image, {kF32, {6, 2, 3, 3}, 1}, {kF32, {6}, 1}}, conv},
      {"conv_transpose", {image, {kF32, {4, 3, 3, 3}, 1}, {kF32, {6}, 1}}, conv},
      {"max_pool", {image}, window},
      {"average_pool", {image}, window},
      {"lp_pool", {image}, window},
      {"global_lp_pool", {image}, {{"p", int64_t{2}}}},
      {"gemm",
       {{kF32, {3, 4}}, {kF32, {5, 4}}, {kF32, {5}}},
       {{"transB", int64_t{1}}, {"transA", int64_t{0}}}},
      {"matmul", {{kI64, {2, 3, 4}}, {kI64, {4, 5}}}},
      {"einsum", {{kF32, {2, 3}}, {kF32, {3, 4}}}, {{"equation", "...j,jk->...k"}}},
      {"batch_norm", {image, row, row, row, row}, {{"training_mode", int64_t{0}}}},
      {"instance_norm", {image, row, row}},
      {"group_norm", {image, row, row}, {{"num_groups", int64_t{2}}}},
      {"layer_norm", {sequence, row, row}, {{"axis", int64_t{-1}}, {"stash_type", int64_t{1}}}},
      {"rms_norm", {sequence, row}, {{"axis", int64_t{-1}}}},
      {"lrn", {image}, {{"size", int64_t{3}}}},
      {"rnn",
       {sequence,
        {kF32, {1, 5, 4}},
        {kF32, {1, 5, 5}},
        {kF32, {1, 10}},
        {ElementType::kI32, {2}, 2},
        {kF32, {1, 2, 5}}},
       {{"layout", int64_t{0}}, {"hidden_size", int64_t{5}}}},
      {"gru",
       {sequence, {kF32, {1, 15, 4}}, {kF32, {1, 15, 5}}, {kF32, {1, 30}}},
       {{"direction", "reverse"}}},
      {"lstm",
       {sequence,
        {kF32, {2, 20, 4}},
        {kF32, {2, 20, 5}},
        {kF32, {2, 40}},
        {ElementType::kI32, {2}, 3},
        {kF32, {2, 2, 5}},
        {kF32, {2, 2, 5}},
        {kF32, {2, 15}}},
       {{"direction", "bidirectional"}}},
      {"resize",
       {image, {kF32, {8}, 1}, {kF32, {4}, 2}},
       {{"mode", "linear"}, {"antialias", int64_t{1}}}},
      {"resize",
       {image, {kF32, {4}, 1}, {kF32, {0}}, {kI64, {2}, 3}},
       {{"mode", "cubic"},
        {"axes", Ints{2, 3}},
        {"coordinate_transformation_mode", "tf_crop_and_resize"}}},
      {"pad", {image, {kI64, {2}, 1}, {kF32, {}, 1}, {kI64, {1}, 2}}, {{"mode", "reflect"}}},
      {"slice", {image, {kI64, {1}, 1}, {kI64, {1}, 4}, {kI64, {1}, 2}, {kI64, {1}, 2}}},
      {"gather", {image, {kI64, {2, 2}, 1}}, {{"axis", int64_t{1}}}},
      {"gather_elements", {{kF32, {3, 4}}, {kI64, {2, 4}, 1}}, {{"axis", int64_t{0}}}},
      {"gather_nd", {image, {kI64, {2, 3, 2}, 1}}, {{"batch_dims", int64_t{1}}}},
      {"scatter_elements",
       {{kF32, {3, 4}}, {kI64, {2, 4}, 1}, {kF32, {2, 4}}},
       {{"axis", int64_t{0}}}},
      {"scatter_nd", {{kF32, {3, 4}}, {kI64, {2, 1}, 1}, {kF32, {2, 4}}}, {{"reduction", "mul"}}},
      {"split", {image, {kI64, {2}, 2}}, {{"axis", int64_t{1}}}},
      {"concat", {image, image}, {{"axis", int64_t{1}}}},
      {"tile", {{kF32, {2, 3}}, {kI64, {2}, 2}}},
      {"expand", {{kF32, {2, 1}}, {kI64, {2}, 2}}},
      {"reshape", {{kF32, {4, 4}}, {kI64, {2}, 4}}, {{"allowzero", int64_t{0}}}},
      {"one_hot", {{kI64, {3}, 1}, {kI64, {}, 4}, {kF32, {2}}}, {{"axis", int64_t{0}}}},
      {"range", {{kI64, {}, 0}, {kI64, {}, 9}, {kI64, {}, 2}}},
      {"top_k", {image, {kI64, {1}, 2}}, {{"axis", int64_t{2}}}},
      {"cumsum", {image, {kI64, {}, 2}}, {{"reverse", int64_t{1}}}},
      {"compress", {image, {kBool, {3}, 1}}, {{"axis", int64_t{2}}}},
      {"reverse_sequence",
       {sequence, {kI64, {2}, 2}},
       {{"batch_axis", int64_t{1}}, {"time_axis", int64_t{0}}}},
      {"where", {{kBool, {2, 1}, 1}, {kF32, {3}}, {kF32, {2, 3}}}},
      {"depth_to_space", {image}, {{"blocksize", int64_t{2}}}},
      {"space_to_depth", {{kF32, {1, 2, 4, 6}}}, {{"blocksize", int64_t{2}}}},
      {"quantize_linear", {image, row, {ElementType::kU8, {4}, 7}}, {{"axis", int64_t{1}}}},
      {"dequantize_linear",
       {{ElementType::kI8, {2, 4}, 7}, {kF32, {2, 2}, 1}, {ElementType::kI8, {2, 2}, 1}},
       {{"axis", int64_t{1}}, {"block_size", int64_t{2}}}},
      {"reduce_mean", {image, {kI64, {1}, 1}}, {{"keepdims", int64_t{0}}}},
  };
}
// NOLINTEND(modernize-use-designated-initializers)

static Tensor materialize(const Operand& operand) {
  if (operand.type == ElementType::kUndefined) return {};
  Tensor tensor(operand.type, operand.shape);
  for (int64_t i = 0; i < tensor.count(); ++i) {
    if (operand.type == ElementType::kF32)
      tensor.as<float>()[i] = static_cast<float>(operand.fill);
    else if (operand.type == ElementType::kF64)
      tensor.as<double>()[i] = static_cast<double>(operand.fill);
    else if (operand.type == ElementType::kI64)
      tensor.as<int64_t>()[i] = operand.fill;
    else if (operand.type == ElementType::kI32)
      tensor.as<int32_t>()[i] = static_cast<int32_t>(operand.fill);
    else if (elementSizeBytes(operand.type) == 1)
      tensor.as<uint8_t>()[i] = static_cast<uint8_t>(operand.fill);
  }
  return tensor;
}

static bool succeeds(const Case& call) {
  std::vector<Tensor> inputs;
  inputs.reserve(call.inputs.size());
  for (const Operand& operand : call.inputs) inputs.push_back(materialize(operand));
  std::vector<TensorView> views;
  views.reserve(inputs.size());
  for (const Tensor& tensor : inputs) views.push_back(tensor.view());
  auto result =
      evaluate({.op = call.op, .inputs = views, .attributes = call.attributes, .numOutputs = 1});
  if (!result) {
    EXPECT_FALSE(result.error().message.empty());
  }
  return result.has_value();
}

/// Changes one thing of a call.
class Spoiler {
 public:
  explicit Spoiler(uint32_t seed) : random_(seed) {}

  void spoil(Case& call) {
    Operand& operand = call.inputs[pick(0, call.inputs.size() - 1)];
    switch (pick(0, 7)) {
      case 0:
        operand.type = ElementType::kUndefined;
        break;
      case 1:
        operand.type = static_cast<ElementType>(pick(1, 7));
        break;
      case 2:
        operand.shape.insert(operand.shape.begin(), pick(0, 2));
        break;
      case 3:
        if (!operand.shape.empty()) operand.shape.pop_back();
        break;
      case 4:
        if (!operand.shape.empty()) operand.shape[pick(0, operand.shape.size() - 1)] = pick(0, 7);
        break;
      case 5:
        operand.fill = number();
        break;
      case 6:
        if (call.inputs.size() > 1) call.inputs.pop_back();
        break;
      default:
        spoilAttribute(call);
    }
  }

 private:
  int64_t pick(int64_t low, uint64_t high) {
    return std::uniform_int_distribution<int64_t>(low, static_cast<int64_t>(high))(random_);
  }
  int64_t number() {
    static constexpr int64_t kNumbers[] = {0,  1,  2,  3,  4,         5,         8,
                                           -1, -2, -3, -7, INT64_MAX, INT64_MIN, int64_t{1} << 40};
    return kNumbers[pick(0, std::size(kNumbers) - 1)];
  }
  void spoilAttribute(Case& call) {
    if (call.attributes.empty()) return;
    auto it = std::next(call.attributes.begin(), pick(0, call.attributes.size() - 1));
    if (auto* value = std::get_if<int64_t>(&it->second))
      *value = number();
    else if (auto* list = std::get_if<Ints>(&it->second)) {
      if (list->empty() || pick(0, 3) == 0)
        list->push_back(number());
      else
        (*list)[pick(0, list->size() - 1)] = number();
    } else {
      call.attributes.erase(it);
    }
  }

  std::mt19937 random_;
};

TEST(SpoiltCalls, TheOriginalsWork) {
  for (const Case& call : validCases()) EXPECT_TRUE(succeeds(call)) << call.op;
}

TEST(SpoiltCalls, NeverCrash) {
  const char* setting = std::getenv("TESSERA_TEST_ROUNDS");
  const int rounds = setting ? std::atoi(setting) : 200;
  const std::vector<Case> originals = validCases();
  int failed = 0;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    Spoiler spoiler(static_cast<uint32_t>(round));
    for (Case call : originals) {
      for (int changes = round % 3; changes >= 0; --changes) spoiler.spoil(call);
      failed += succeeds(call) ? 0 : 1;
    }
  }
  EXPECT_GT(failed, rounds);
}

}  // namespace tessera::reference::testing
