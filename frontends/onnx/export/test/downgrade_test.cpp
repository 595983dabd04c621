// Every operator's cases in every opset: what is written says, read again, the same as the
// original, by the reference implementations on random data; the rest is refused. And what each
// rule makes.
#include <cmath>
#include <cstring>
#include <random>

#include "base/half.h"
#include "base/limits.h"
#include "compiler/conformance/op_cases/op_cases.h"
#include "compiler/evaluate/evaluate.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/export/schema.h"
#include "frontends/onnx/export/test/exported.h"
#include "frontends/onnx/import/import.h"

namespace tessera::onnx::test {

namespace {

using Names = std::vector<std::string>;
using evaluate::TensorValue;
using Values = std::vector<TensorValue>;

/// The results of the case's operation, which the text leaves unused, as those of @main.
void returnResults(mlir::ModuleOp module) {
  auto function = *module.getOps<mlir::func::FuncOp>().begin();
  function.setSymName("main");
  mlir::Operation* terminator = function.getBody().front().getTerminator();
  mlir::Operation* op = terminator->getPrevNode();
  terminator->setOperands(op->getResults());
  mlir::Builder builder(module.getContext());
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), op->getResultTypes()));
}

/// Element `index` of a tensor set to a small number, a whole one in an integer type.
void setElement(reference::Tensor& tensor, size_t index, std::mt19937& random) {
  const double real = static_cast<double>(static_cast<int>(random() % 65) - 32) / 16;
  const auto integer = static_cast<int64_t>(random() % 3);
  const size_t size = elementSizeBytes(tensor.type());
  std::byte* at = static_cast<std::byte*>(tensor.data()) + index * size;
  const auto put = [&](auto value) { std::memcpy(at, &value, sizeof(value)); };
  switch (tensor.type()) {
    case ElementType::kF32:
      return put(static_cast<float>(real));
    case ElementType::kF64:
      return put(real);
    case ElementType::kF16:
      return put(base::encodeF16(real));
    case ElementType::kBF16:
      return put(base::encodeBF16(real));
    case ElementType::kBool:
      return put(static_cast<uint8_t>(integer & 1));
    default:
      std::memcpy(at, &integer, size);
  }
}

double element(const TensorValue& tensor, size_t index) {
  const size_t size = elementSizeBytes(tensor.type);
  const std::byte* at = static_cast<const std::byte*>(tensor.data) + index * size;
  const auto get = [&](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  switch (tensor.type) {
    case ElementType::kF32:
      return get(float{});
    case ElementType::kF64:
      return get(double{});
    case ElementType::kF16:
      return base::decodeF16(get(uint16_t{}));
    case ElementType::kBF16:
      return base::decodeBF16(get(uint16_t{}));
    default: {
      int64_t integer = 0;  // Two's complement, little-endian: narrow ones compare as their bits.
      std::memcpy(&integer, at, size);
      return static_cast<double>(integer);
    }
  }
}

/// Sizes that are open are 2.
TensorValue randomTensor(mlir::Type type, std::mt19937& random) {
  const auto ranked = llvm::cast<mlir::RankedTensorType>(type);
  reference::Shape shape;
  for (const int64_t size : ranked.getShape())
    shape.push_back(mlir::ShapedType::isDynamic(size) ? 2 : size);
  reference::Tensor tensor(ir::toElementType(ranked.getElementType()), shape);
  for (size_t i = 0; i < static_cast<size_t>(tensor.count()); ++i) setElement(tensor, i, random);
  return evaluate::shareTensor(std::move(tensor));
}

/// Nothing when the data do not fit the operator.
std::optional<Values> evaluateMain(mlir::ModuleOp module, const Values& inputs) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  auto results = evaluate::evaluateBlock(
      function.getBody().front(), inputs, nullptr,
      [](mlir::Operation& op, const evaluate::Environment& environment) -> Result<Values> {
        TESSERA_TRY(const Values operands, evaluate::operandValues(op, environment));
        std::vector<reference::TensorView> views;
        for (const TensorValue& operand : operands) views.push_back(operand.view());
        TESSERA_TRY(std::vector<reference::Tensor> made, evaluate::evaluateOperation(op, views));
        Values values;
        for (reference::Tensor& tensor : made)
          values.push_back(evaluate::shareTensor(std::move(tensor)));
        return values;
      });
  if (!results) return std::nullopt;
  return std::move(*results);
}

/// The relative error that rounding between the steps of an expansion may make.
double tolerance(ElementType type) {
  if (!isFloat(type)) return 0;
  return type == ElementType::kF16 ? 5e-3 : type == ElementType::kBF16 ? 4e-2 : 1e-5;
}

void expectEqual(const TensorValue& actual, const TensorValue& expected) {
  ASSERT_EQ(actual.type, expected.type);
  ASSERT_EQ(actual.shape, expected.shape);
  for (size_t i = 0; i < static_cast<size_t>(reference::elementCount(expected.shape)); ++i) {
    const double found = element(actual, i), wanted = element(expected, i);
    if (found == wanted || (std::isnan(found) && std::isnan(wanted))) continue;
    EXPECT_NEAR(found, wanted, tolerance(expected.type) * (1 + std::abs(wanted)))
        << "element " << i;
  }
}

std::vector<op_cases::OpCase> legalCases() {
  std::vector<op_cases::OpCase> cases = op_cases::allOpCases();
  std::erase_if(cases, [](const op_cases::OpCase& opCase) { return !opCase.label.empty(); });
  return cases;
}

class Downgrade : public Export, public testing::WithParamInterface<int> {
 protected:
  /// Whether the case is written; when it is, the model says what the case says.
  bool check(const op_cases::OpCase& opCase, int opset) {
    mlir::ModuleOp module = parse(op_cases::toModule(opCase));
    returnResults(module);
    Result<ExportedModel> model = exportModule(module, {.opset = opset});
    if (!model) return false;
    const std::string bytes = *serializeInline(std::move(*model));
    const auto again = importOnnxBytes(*context_.get(), std::as_bytes(std::span(bytes)));
    EXPECT_TRUE(again) << again.error().toString();
    if (!again) return true;
    std::mt19937 random(7);
    Values inputs;
    auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
    for (const mlir::Type type : function.getArgumentTypes())
      inputs.push_back(randomTensor(type, random));
    const std::optional<Values> expected = evaluateMain(module, inputs);
    if (!expected) return true;
    const std::optional<Values> actual = evaluateMain(again->get(), inputs);
    EXPECT_TRUE(actual);
    for (size_t i = 0; actual && i < expected->size(); ++i)
      expectEqual((*actual)[i], (*expected)[i]);
    ++numCompared_;
    return true;
  }
  size_t numCompared_ = 0;
};

TEST_P(Downgrade, SaysTheSameInOlderOpsets) {
  const int opset = GetParam();
  size_t numRefused = 0;
  for (const op_cases::OpCase& opCase : legalCases()) {
    SCOPED_TRACE(opCase.name);
    if (!check(opCase, opset)) ++numRefused;
    modules_.clear();
  }
  // What an opset cannot say are a few operators, attributes and element types.
  EXPECT_LE(numRefused, opset >= 18 ? 2U : 12U) << "of " << legalCases().size();
  EXPECT_GT(numCompared_, 150U);
}

INSTANTIATE_TEST_SUITE_P(Opsets, Downgrade, testing::Range(kMinExportOpset, kMaxExportOpset + 1));

/// One application of an operator.
op_cases::OpCase apply(const std::string& op, const Names& operands, const std::string& attributes,
                       const Names& results) {
  return {.name = op,
          .op = op,
          .operands = operands,
          .attributes = attributes,
          .results = results,
          .label = ""};
}

class Rules : public Export {
 protected:
  /// The operators that one application becomes.
  Names written(const op_cases::OpCase& opCase, int opset) {
    const mlir::ModuleOp module = parse(op_cases::toModule(opCase));
    returnResults(module);
    Result<ExportedModel> model = exportModule(module, {.opset = opset});
    error_ = model ? "" : model.error().toString();
    if (!model) return {error_};
    proto_ = *model->proto;
    return opTypes(proto_.graph());
  }
  ModelProto proto_;
};

TEST_F(Rules, EachRuleEndsWhereTheOpsetHasTheForm) {
  // Each with the first opset that says it in one node.
  const std::vector<std::pair<op_cases::OpCase, int>> rules{
      {apply("add", {"2xi8", "2xi8"}, "", {"2xi8"}), 14},
      {apply("gelu", {"2xf32"}, R"(approximate = "tanh")", {"2xf32"}), 20},
      {apply("group_norm", {"1x4x2xf32", "4xf32", "4xf32"}, "num_groups = 2 : i64", {"1x4x2xf32"}),
       21},
      {apply("hard_swish", {"2xf32"}, "", {"2xf32"}), 14},
      {apply("is_inf", {"2xf16"}, "detect_negative = 0 : i64", {"2xi1"}), 20},
      {apply("layer_norm", {"2x3xf32", "3xf32"}, "", {"2x3xf32"}), 17},
      {apply("mish", {"2xf32"}, "", {"2xf32"}), 18},
      {apply("reduce_max", {"2x3xi1", "1xi64=[1]"}, "", {"2x1xi1"}), 20},
      {apply("reduce_mean", {"2x3xf32"}, "noop_with_empty_axes = 1 : i64", {"2x3xf32"}), 18},
      {apply("relu", {"2xi32"}, "", {"2xi32"}), 14},
      {apply("rms_norm", {"2x3xf32", "3xf32"}, "", {"2x3xf32"}), 23},
      {apply("shape", {"2x3xf32"}, "start = 1 : i64", {"1xi64"}), 15},
      {apply("split", {"?xf32"}, "num_outputs = 2 : i64", {"?xf32", "?xf32"}), 18},
      {apply("trilu", {"2x3xf32"}, "", {"2x3xf32"}), 14},
      {apply("rnn", {"1x2x3xf32", "1x4x3xf32", "1x4x4xf32"}, "layout = 1 : i64",
             {"1x2x1x4xf32", "-"}),
       14}};
  for (const auto& [opCase, below] : rules) {
    SCOPED_TRACE(opCase.op);
    const Names now = written(opCase, below);
    EXPECT_EQ(now.size(), 1U) << error_;
    EXPECT_NE(written(opCase, below - 1), now);
    EXPECT_EQ(error_, "");
  }
}

TEST_F(Rules, AxesAreAnAttributeOrAnInput) {
  const op_cases::OpCase mean = apply("reduce_mean", {"2x3xf32", "1xi64=[-1]"}, "", {"2x1xf32"});
  ASSERT_EQ(written(mean, 18), Names{"ReduceMean"});
  EXPECT_EQ(proto_.graph().node(0).input_size(), 2);
  EXPECT_EQ(attributeOf(proto_.graph().node(0), "axes"), nullptr);
  ASSERT_EQ(written(mean, 17), Names{"ReduceMean"});
  EXPECT_EQ(proto_.graph().node(0).input_size(), 1);
  EXPECT_EQ(attributeOf(proto_.graph().node(0), "axes")->ints(0), -1);
  EXPECT_EQ(proto_.graph().initializer_size(), 0);
  // A sum has had them as an input from opset 13 on.
  const op_cases::OpCase sum = apply("reduce_sum", {"2x3xf32", "1xi64=[-1]"}, "", {"2x1xf32"});
  ASSERT_EQ(written(sum, 13), Names{"ReduceSum"});
  EXPECT_EQ(proto_.graph().node(0).input_size(), 2);
}

TEST_F(Rules, EntriesForSomeAxesBecomeEntriesForAll) {
  const op_cases::OpCase pad =
      apply("pad", {"2x3xf32", "2xi64=[1, 2]", "-", "1xi64=[1]"}, "", {"2x6xf32"});
  ASSERT_EQ(written(pad, 17), Names{"Pad"});
  const std::vector<int64_t> pads{0, 1, 0, 2};
  ASSERT_EQ(proto_.graph().initializer_size(), 1);
  EXPECT_EQ(std::memcmp(proto_.graph().initializer(0).raw_data().data(), pads.data(), 32), 0);
  const op_cases::OpCase resize =
      apply("resize", {"1x3x4xf32", "-", "-", "1xi64=[8]"}, "axes = array<i64: -1>", {"1x3x8xf32"});
  ASSERT_EQ(written(resize, 17), Names{"Resize"});
  const std::vector<int64_t> sizes{1, 3, 8};
  EXPECT_EQ(std::memcmp(proto_.graph().initializer(0).raw_data().data(), sizes.data(), 24), 0);
  EXPECT_EQ(inputsOf(proto_.graph().node(0)).at(1), "");
  // Entries that are known at run time only are put in their places there.
  const op_cases::OpCase open =
      apply("pad", {"2x3xf32", "2xi64", "-", "1xi64=[1]"}, "", {"2x?xf32"});
  EXPECT_EQ(written(open, 17), (Names{"ScatterElements", "Pad"}));
}

TEST_F(Rules, AShapeThatMeansItsZerosHasNoElements) {
  const op_cases::OpCase reshape =
      apply("reshape", {"0x3xf32", "2xi64=[3, 0]"}, "allowzero = 1 : i64", {"3x0xf32"});
  EXPECT_EQ(written(reshape, 14), Names{"Reshape"});
  EXPECT_EQ(written(reshape, 13), Names{"ConstantOfShape"});
  const op_cases::OpCase other =
      apply("reshape", {"2x3xf32", "2xi64=[3, 2]"}, "allowzero = 1 : i64", {"3x2xf32"});
  EXPECT_EQ(written(other, 13), Names{"Reshape"});
  EXPECT_EQ(attributeOf(proto_.graph().node(0), "allowzero"), nullptr);
  const op_cases::OpCase open =
      apply("reshape", {"2x3xf32", "2xi64"}, "allowzero = 1 : i64", {"?x?xf32"});
  EXPECT_NE(
      written(open, 13).at(0).find("with allowzero = 1 and a shape that is known at run time only"),
      std::string::npos);
}

TEST_F(Rules, AReductionOfNothingNeedsOneMoreDimension) {
  std::string most;
  for (size_t i = 0; i < base::kMaxRank; ++i) most += "1x";
  const op_cases::OpCase reduce =
      apply("reduce_l2", {most + "f32"}, "noop_with_empty_axes = 1 : i64", {most + "f32"});
  EXPECT_EQ(written(reduce, 18), Names{"ReduceL2"});
  EXPECT_EQ(written(reduce, 17),
            Names{"node 'ReduceL2': operator ReduceL2 over no axes has no form in opset 17"});
}

TEST_F(Rules, RegionsOfInterestMayBeDoubles) {
  const op_cases::OpCase resize =
      apply("resize", {"1x3x4xf32", "2xf64", "1xf32=[2.0]"},
            R"(axes = array<i64: 2>, coordinate_transformation_mode = "tf_crop_and_resize")",
            {"1x3x8xf32"});
  EXPECT_EQ(written(resize, 18), Names{"Resize"});
  EXPECT_EQ(written(resize, 17), (Names{"Cast", "ScatterElements", "Resize"}));
}

TEST_F(Rules, WordsThatCameLaterAreRefused) {
  const op_cases::OpCase wrap =
      apply("pad", {"3xf32", "2xi64=[1, 1]"}, R"(mode = "wrap")", {"5xf32"});
  EXPECT_EQ(written(wrap, 18),
            Names{"node 'Pad': operator Pad with mode 'wrap' has no form in opset 18"});
  EXPECT_EQ(written(wrap, 19), Names{"Pad"});
  const op_cases::OpCase scatter =
      apply("scatter_nd", {"4xf32", "2x1xi64", "2xf32"}, R"(reduction = "max")", {"4xf32"});
  EXPECT_EQ(
      written(scatter, 17),
      Names{"node 'ScatterND': operator ScatterND with reduction 'max' has no form in opset 17"});
  EXPECT_EQ(written(scatter, 18), Names{"ScatterND"});
}

TEST_F(Rules, AQuantisedTypeIsSaidByAZeroPoint) {
  const op_cases::OpCase quantize =
      apply("quantize_linear", {"2xf32", "f32"}, "output_dtype = 3 : i64", {"2xi8"});
  EXPECT_EQ(written(quantize, 21), Names{"QuantizeLinear"});
  EXPECT_EQ(proto_.graph().node(0).input_size(), 2);
  EXPECT_EQ(written(quantize, 20), Names{"QuantizeLinear"});
  EXPECT_EQ(proto_.graph().node(0).input_size(), 3);
  EXPECT_EQ(proto_.graph().initializer(0).data_type(), TensorProto::INT8);
}

TEST_F(Rules, ForeignOperatorsOfTheDefaultDomainAreRespeltToo) {
  const auto custom = [](const std::string& op, const std::string& inputs, const std::string& types,
                         const std::string& attributes, const std::string& present) {
    return "func.func @main(%x: tensor<1x2x4x4xf32>, %g: tensor<1x3x3x2xf32>) -> "
           "tensor<1x2x3x3xf32> {\n"
           "%y = tsr.custom \"" +
           op + "\"(" + inputs + ") {domain = \"\", opset = 23 : i64, onnx_attributes = {" +
           attributes + "}, present = array<i1: " + present + ">} : (" + types +
           ") -> tensor<1x2x3x3xf32>\nreturn %y : tensor<1x2x3x3xf32>\n}";
  };
  const std::string grid =
      custom("GridSample", "%x, %g", "tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>",
             "mode = \"linear\"", "true, true");
  EXPECT_EQ(attributeOf(exported(grid, {.opset = 20}).proto->graph().node(0), "mode")->s(),
            "linear");
  EXPECT_EQ(attributeOf(exported(grid, {.opset = 16}).proto->graph().node(0), "mode")->s(),
            "bilinear");
  EXPECT_EQ(refusal(grid, 15),
            "node 'GridSample': operator GridSample came with opset 16 and has no other form in "
            "opset 15");
  const std::string dft = custom("DFT", "%x", "tensor<1x2x4x4xf32>", "", "true");
  EXPECT_EQ(attributeOf(exported(dft, {.opset = 17}).proto->graph().node(0), "axis")->i(), 2);
  EXPECT_EQ(exported(dft, {.opset = 20}).proto->graph().node(0).attribute_size(), 0);
}

TEST(Schemas, KnowWhatEachOpsetHas) {
  EXPECT_FALSE(hasOperator("Gelu", 19));
  EXPECT_TRUE(hasOperator("Gelu", 20));
  EXPECT_EQ(firstOpsetOf("Gelu"), 20);
  EXPECT_EQ(firstOpsetOf("NoSuchOperator"), std::nullopt);
  EXPECT_FALSE(hasOperator("Upsample", 13)) << "it is deprecated";
  const std::optional<Schema> mean = findSchema("ReduceMean", 17);
  ASSERT_TRUE(mean);
  EXPECT_EQ(mean->sinceVersion, 13);
  EXPECT_EQ(mean->inputs.size(), 1U);
  EXPECT_TRUE(mean->hasAttribute("axes"));
  EXPECT_EQ(findSchema("ReduceMean", 18)->inputs.size(), 2U);
  const Schema add = *findSchema("Add", 13);
  EXPECT_EQ(add.inputs[0].typeVariable, "T");
  EXPECT_EQ(add.inputs[0].elements >> static_cast<unsigned>(ElementType::kI8) & 1U, 0U);
  EXPECT_EQ(add.inputs[0].elements >> static_cast<unsigned>(ElementType::kF32) & 1U, 1U);
  EXPECT_TRUE(findSchema("Concat", 13)->inputs.back().isVariadic);
}

}  // namespace

}  // namespace tessera::onnx::test
