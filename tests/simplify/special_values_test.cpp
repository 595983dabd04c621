// Rewrites and special values: each pass of simplify, and all of them, leave alone what a module
// makes of NaN, infinities, zeros of both signs and denormal numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/interpreter/interpret.h"
#include "compiler/ir/tsr.h"
#include "compiler/ir/types.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/simplify.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tests/simplify/special_values.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

using Tensors = std::vector<reference::Tensor>;

/// Every pass by its flag, as passes.td declares them, and the whole pipeline.
std::vector<std::string> pipelines() {
  std::vector<std::string> flags = {"tessera-simplify"};
  std::istringstream declared(TESSERA_SIMPLIFY_PASSES);
  for (std::string flag; std::getline(declared, flag, ',');)
    flags.push_back("tessera-simplify-" + flag);
  return flags;
}

/// An argument whose elements run through the special values from `start` on; sizes that are not
/// known are 3. Nothing for element types that have none.
std::optional<reference::Tensor> specialTensor(mlir::RankedTensorType type, size_t start) {
  reference::Shape shape = type.getShape().vec();
  for (int64_t& size : shape) size = mlir::ShapedType::isDynamic(size) ? 3 : size;
  reference::Tensor tensor(ir::toElementType(type.getElementType()), std::move(shape));
  const std::vector<float>& values = specialValues();
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const size_t at = start + static_cast<size_t>(i);
    if (tensor.type() == ElementType::kF32) {
      tensor.as<float>()[i] = values[at % values.size()];
    } else if (tensor.type() == ElementType::kI64) {
      tensor.as<int64_t>()[i] = static_cast<int64_t>(at % 3);
    } else if (tensor.type() == ElementType::kI32) {
      tensor.as<int32_t>()[i] = static_cast<int32_t>(at % 3);
    } else if (tensor.type() == ElementType::kBool) {
      tensor.as<uint8_t>()[i] = at % 2;
    } else {
      return std::nullopt;
    }
  }
  return tensor;
}

/// ONNX leaves the sign of a zero open where it is the greater or lesser of two, or a sum.
bool decidesSignOfZero(mlir::func::FuncOp function) {
  return !function
              .walk([](mlir::Operation* op) {
                const bool isOpen =
                    mlir::isa<ir::AveragePoolOp, ir::BatchNormOp, ir::ClipOp, ir::ConvOp,
                              ir::ConvTransposeOp, ir::EinsumOp, ir::GemmOp, ir::MatmulOp,
                              ir::MaxOp, ir::MaxPoolOp, ir::MinOp, ir::ReduceMeanOp,
                              ir::ReduceSumOp, ir::ReluOp>(op);
                return isOpen ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
              })
              .wasInterrupted();
}

/// True for what computes elements one by one or moves them.
bool isElementwise(mlir::Operation* op) {
  auto tensorOp = mlir::dyn_cast<ir::TsrOpInterface>(op);
  if (!tensorOp) return true;
  const ir::FusionKind kind = tensorOp.getFusionKind();
  return kind == ir::FusionKind::Elementwise || kind == ir::FusionKind::Broadcast ||
         kind == ir::FusionKind::Injective;
}

/// Terms that cancel leave rounding of their own size: it says nothing of a small result.
bool addsUp(mlir::func::FuncOp function) {
  return function
      .walk([](mlir::Operation* op) {
        const bool isSum = mlir::isa<ir::AddOp, ir::BatchNormOp, ir::CompositeOp, ir::MeanOp,
                                     ir::SubOp, ir::SumOp>(op) ||
                           !isElementwise(op);
        return isSum ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// What a module decides of its results.
struct Decided {
  bool signOfZero, smallNumbers;
};

/// Equal but for rounding: both NaN, the same infinity, zeros of the same sign if that is decided.
bool agree(float found, float expected, Decided decided) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  if (found == 0 && expected == 0 && decided.signOfZero)
    return std::signbit(found) == std::signbit(expected);
  const float distance = std::abs(found - expected), size = std::abs(expected);
  if (decided.smallNumbers) return distance <= 8 * 0x1p-149f + 1e-5f * size;
  return distance <= 1e-37f + 2e-4f * std::max(1.0f, size);
}

void expectAgree(const reference::Tensor& found, const reference::Tensor& expected,
                 Decided decided) {
  ASSERT_EQ(found.type(), expected.type());
  ASSERT_EQ(found.shape(), expected.shape());
  for (int64_t i = 0; i < expected.count(); ++i) {
    if (expected.type() == ElementType::kF32) {
      ASSERT_TRUE(agree(found.as<float>()[i], expected.as<float>()[i], decided))
          << "element " << i << " is " << found.as<float>()[i] << ", expected "
          << expected.as<float>()[i];
    } else {
      const size_t size = elementSizeBytes(expected.type());
      const auto* a = static_cast<const std::byte*>(found.data()) + i * size;
      const auto* b = static_cast<const std::byte*>(expected.data()) + i * size;
      ASSERT_TRUE(std::equal(a, a + size, b)) << "element " << i << " differs";
    }
  }
}

std::string print(mlir::Operation* op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

class SpecialValues : public testing::TestWithParam<std::string> {
 protected:
  SpecialValues() {
    static const bool isRegistered = [] {
      transforms::registerTransformsPasses();
      transforms::registerSimplifyPipeline();
      return true;
    }();
    EXPECT_TRUE(isRegistered);
    context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
  }

  static Result<Tensors> run(mlir::ModuleOp module, mlir::func::FuncOp function,
                             const Tensors& inputs) {
    std::vector<reference::TensorView> views;
    for (const reference::Tensor& input : inputs) views.push_back(input.view());
    return interpreter::interpret(module, function.getSymName().str(), views);
  }

  /// Compares all functions of a module before and after the passes; counts those that run.
  void check(const std::string& text) {
    auto original = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    ASSERT_TRUE(original) << text;
    mlir::OwningOpRef<mlir::ModuleOp> rewritten = original->clone();
    mlir::PassManager passes(&context_);
    ASSERT_TRUE(mlir::succeeded(mlir::parsePassPipeline(GetParam(), passes)));
    ASSERT_TRUE(mlir::succeeded(passes.run(*rewritten)));
    for (auto function : original->getOps<mlir::func::FuncOp>()) {
      for (const size_t start : {0, 4}) {
        Tensors inputs;
        for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
          auto tensor = specialTensor(mlir::cast<mlir::RankedTensorType>(type), start + 5 * i);
          if (tensor) inputs.push_back(std::move(*tensor));
        }
        if (inputs.size() != function.getNumArguments()) continue;
        const Result<Tensors> expected = run(*original, function, inputs);
        // Some inputs, such as a shape, make no sense when they are arbitrary.
        if (!expected) continue;
        auto after = rewritten->lookupSymbol<mlir::func::FuncOp>(function.getSymName());
        SCOPED_TRACE(print(function) + "\nbecame\n" + print(after));
        const Result<Tensors> found = run(*rewritten, after, inputs);
        ASSERT_TRUE(found) << found.error().toString();
        ASSERT_EQ(found->size(), expected->size());
        for (size_t i = 0; i < found->size(); ++i)
          expectAgree(
              (*found)[i], (*expected)[i],
              {.signOfZero = decidesSignOfZero(function), .smallNumbers = !addsUp(function)});
        ++numChecked_;
      }
    }
  }

  mlir::MLIRContext context_;
  uint32_t numChecked_ = 0;
};

TEST_P(SpecialValues, OfThePassTests) {
  const fs::path folder = fs::path(TESSERA_SOURCE_DIR) / "compiler/transforms/test";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir") continue;
    SCOPED_TRACE(entry.path().filename());
    const std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    std::string rest = text.str();
    static const std::string kSplit = "// -----\n";
    for (size_t at = 0; at != std::string::npos; rest = rest.substr(at + kSplit.size())) {
      at = rest.find(kSplit);
      check(rest.substr(0, at));
      if (at == std::string::npos) break;
    }
  }
  EXPECT_GE(numChecked_, 100);
}

TEST_P(SpecialValues, OfMadeModules) {
  const uint32_t numSeeds = GetParam() == "tessera-simplify" ? 8 : 1;
  for (uint32_t seed = 0; seed < numSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(makeSpecialModule(seed));
  }
  EXPECT_EQ(numChecked_, numSeeds * 120 * 2);
}

INSTANTIATE_TEST_SUITE_P(Passes, SpecialValues, testing::ValuesIn(pipelines()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace

}  // namespace tessera
