// Simplify preserves what a module computes, and is done when it says so. Checked on every module
// of the passes' own tests with random inputs, and on networks of ../shared/models with their
// recorded inputs where they are present.
#include "compiler/transforms/simplify.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "compiler/interpreter/interpret.h"
#include "compiler/ir/module_attributes.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "frontends/onnx/import/import.h"
#include "frontends/onnx/import/read/tensor_file.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

using Tensors = std::vector<reference::Tensor>;

fs::path sourceFolder() { return TESSERA_SOURCE_DIR; }
fs::path modelsFolder() { return sourceFolder().parent_path() / "shared" / "models"; }

bool simplify(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  transforms::buildSimplifyPipeline(passes);
  return mlir::succeeded(passes.run(module));
}

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, mlir::OpPrintingFlags().useLocalScope());
  return text;
}

Result<Tensors> run(mlir::ModuleOp module, std::string_view function, const Tensors& inputs) {
  std::vector<reference::TensorView> views;
  for (const reference::Tensor& input : inputs) views.push_back(input.view());
  return interpreter::interpret(module, function, views);
}

template <typename T>
double distance(const reference::Tensor& a, const reference::Tensor& b) {
  double difference = 0;
  double norm = 0;
  for (int64_t i = 0; i < a.count(); ++i) {
    const auto x = static_cast<double>(a.as<T>()[i]);
    const auto y = static_cast<double>(b.as<T>()[i]);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    difference += (x - y) * (x - y);
    norm += y * y;
  }
  return std::sqrt(difference / std::max(norm, 1e-12));
}

/// ||a - b|| / ||b||; infinite when the tensors have no common type and shape.
double relativeError(const reference::Tensor& a, const reference::Tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return INFINITY;
  switch (a.type()) {
    case ElementType::kF32:
      return distance<float>(a, b);
    case ElementType::kI64:
      return distance<int64_t>(a, b);
    default:
      return std::memcmp(a.data(), b.data(), a.sizeBytes()) == 0 ? 0 : INFINITY;
  }
}

void expectEqual(const Tensors& found, const Tensors& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_LE(relativeError(found[i], expected[i]), tolerance) << "output " << i;
  }
}

/// A tensor for an argument: normal floats, small non-negative integers; dynamic sizes are 3.
reference::Tensor randomTensor(mlir::RankedTensorType type, std::mt19937& random) {
  reference::Shape shape = type.getShape().vec();
  for (int64_t& size : shape) size = mlir::ShapedType::isDynamic(size) ? 3 : size;
  reference::Tensor tensor(ir::toElementType(type.getElementType()), std::move(shape));
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    switch (tensor.type()) {
      case ElementType::kF32:
        tensor.as<float>()[i] = normal(random);
        break;
      case ElementType::kI32:
        tensor.as<int32_t>()[i] = static_cast<int32_t>(random() % 4);
        break;
      case ElementType::kI64:
        tensor.as<int64_t>()[i] = static_cast<int64_t>(random() % 4);
        break;
      case ElementType::kBool:
        tensor.as<uint8_t>()[i] = random() % 2;
        break;
      default:
        ADD_FAILURE() << "no random tensors of this type";
    }
  }
  return tensor;
}

std::vector<std::string> sectionsOf(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> sections(1);
  for (std::string line; std::getline(in, line);) {
    if (line == "// -----")
      sections.emplace_back();
    else
      sections.back() += line + "\n";
  }
  return sections;
}

class SimplifyTest : public testing::Test {
 protected:
  SimplifyTest() { context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>(); }

  void checkFunctions(mlir::ModuleOp original) {
    const mlir::OwningOpRef<mlir::ModuleOp> simplified = original.clone();
    ASSERT_TRUE(simplify(*simplified));
    for (auto function : original.getOps<mlir::func::FuncOp>()) {
      SCOPED_TRACE(function.getSymName().str());
      std::mt19937 random(7);
      Tensors inputs;
      for (const mlir::Type type : function.getArgumentTypes()) {
        inputs.push_back(randomTensor(mlir::cast<mlir::RankedTensorType>(type), random));
      }
      const Result<Tensors> expected = run(original, function.getSymName().str(), inputs);
      // Some test inputs, such as a shape, make no sense when they are random.
      if (!expected) continue;
      const Result<Tensors> found = run(*simplified, function.getSymName().str(), inputs);
      ASSERT_TRUE(found) << found.error().toString();
      expectEqual(*found, *expected, 1e-5);
      ++numChecked_;
    }
  }

  mlir::MLIRContext context_;
  int numChecked_ = 0;
};

TEST_F(SimplifyTest, PreservesTheModulesOfThePassTests) {
  for (const auto& entry : fs::directory_iterator(sourceFolder() / "compiler/transforms/test")) {
    if (entry.path().extension() != ".mlir") continue;
    SCOPED_TRACE(entry.path().filename());
    for (const std::string& section : sectionsOf(entry.path())) {
      auto module = mlir::parseSourceString<mlir::ModuleOp>(section, &context_);
      ASSERT_TRUE(module);
      checkFunctions(*module);
    }
  }
  EXPECT_GE(numChecked_, 50);
}

const char* const kModels[] = {
    "autoencoder1d",
    "bert_toy",
    "fastestdet",
    "micro_kws_fp32",
    "mlperf_tiny_ad_fp32",
    "mlperf_tiny_kws_fp32",
    "mlperf_tiny_resnet8_fp32",
    "mlperf_tiny_vww_fp32",
    "mnist_cnn",
    "stories260k_prefill",
    "super_resolution_10",
    "tf_bert_qa",
    "tf_bert_seqcls",
    "tinyvit_demo",
    "ultraface_rfb320",
    "yunet_n_320",
};

class SimplifyModel : public testing::TestWithParam<const char*> {};

Tensors readInputs(const fs::path& folder, onnx::ImportOptions* options, mlir::ModuleOp probe) {
  Tensors inputs;
  auto main = probe.lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    const auto file = onnx::readTensorFile(folder / ("input_" + std::to_string(i) + ".pb"));
    EXPECT_TRUE(file) << (file ? "" : file.error().toString());
    if (!file) return inputs;
    reference::Tensor tensor(file->tensor.type, file->tensor.shape);
    std::memcpy(tensor.data(), file->tensor.bytes.data(), tensor.sizeBytes());
    const auto name = main.getArgAttrOfType<mlir::StringAttr>(i, ir::kValueNameAttribute);
    options->shapes.push_back({.input = name.str(), .shape = file->tensor.shape});
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

bool isShapeArithmetic(mlir::Operation* op) {
  if (mlir::isa<ir::ShapeOp, ir::SizeOp>(op)) return true;
  if (!mlir::isa<ir::GatherOp, ir::UnsqueezeOp, ir::ConcatOp, ir::CastOp, ir::SliceOp>(op))
    return false;
  const auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  return type.getRank() <= 1 && type.getElementType().isInteger(64);
}

TEST_P(SimplifyModel, ComputesTheSame) {
  const fs::path folder = modelsFolder() / "trained" / GetParam();
  if (!fs::exists(folder)) GTEST_SKIP() << "no " << folder;
  mlir::MLIRContext context;
  onnx::ImportOptions options;
  auto probe = onnx::importOnnxFile(context, folder / "model.onnx");
  ASSERT_TRUE(probe) << probe.error().toString();
  const Tensors inputs = readInputs(folder / "test_data_set_0", &options, **probe);
  auto original = onnx::importOnnxFile(context, folder / "model.onnx", options);
  ASSERT_TRUE(original) << original.error().toString();

  mlir::OwningOpRef<mlir::ModuleOp> simplified = (*original)->clone();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(simplify(*simplified));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LE(seconds.count(), 3.0);
  RecordProperty("simplify_ms", static_cast<int>(seconds.count() * 1e3));
  simplified->walk([&](mlir::Operation* op) {
    EXPECT_FALSE(isShapeArithmetic(op)) << ir::sourceNames(op->getLoc())[0];
  });

  const Result<Tensors> expected = run(**original, "main", inputs);
  ASSERT_TRUE(expected) << expected.error().toString();
  const Result<Tensors> found = run(*simplified, "main", inputs);
  ASSERT_TRUE(found) << found.error().toString();
  expectEqual(*found, *expected, 1e-4);

  // Also when the sizes are not known before the run.
  ASSERT_TRUE(simplify(**probe));
  const Result<Tensors> unbound = run(**probe, "main", inputs);
  ASSERT_TRUE(unbound) << unbound.error().toString();
  expectEqual(*unbound, *expected, 1e-4);

  const std::string once = print(*simplified);
  ASSERT_TRUE(simplify(*simplified));
  EXPECT_EQ(print(*simplified), once) << "a second run still finds something to do";
}

INSTANTIATE_TEST_SUITE_P(Shared, SimplifyModel, testing::ValuesIn(kModels),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace tessera
