// Shape inference against what the reference implementations make: every operator's cases with
// sizes of 0 and 1, other sizes, other numbers in shape-like operands, and sizes left open.
//
// What inference says of a size must be what comes out; it may say less, of open sizes even nothing
// ("not known"). What it refuses with all sizes known must be refused, and the other way round.
#include <gtest/gtest.h>

#include <random>

#include "compiler/conformance/op_cases/op_cases.h"
#include "compiler/evaluate/evaluate.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "mlir/Parser/Parser.h"

namespace tessera::evaluate {

namespace {

using op_cases::OpCase;

constexpr int kMutationsPerCase = 60;

/// One operand of a case: "2x3xf32", "2xi64=[3, 2]".
struct Operand {
  std::vector<std::string> sizes;
  std::string element;
  std::string value;  ///< Of a constant, else empty.

  std::string text(bool isOpen, size_t openDim) const {
    std::string text;
    for (size_t i = 0; i < sizes.size(); ++i)
      text += (isOpen && i == openDim ? "?" : sizes[i]) + "x";
    return text + element + (value.empty() ? "" : "=" + value);
  }
};

Operand parseOperand(const std::string& text) {
  Operand operand;
  const size_t equals = text.find('=');
  if (equals != std::string::npos) operand.value = text.substr(equals + 1);
  std::string type = text.substr(0, equals);
  for (size_t at; (at = type.find('x')) != std::string::npos; type = type.substr(at + 1))
    operand.sizes.push_back(type.substr(0, at));
  operand.element = type;
  return operand;
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  bool chance(uint32_t oneIn) { return random_() % oneIn == 0; }
  size_t below(size_t count) { return random_() % count; }

  void mutate(Operand& operand) {
    if (operand.value.empty()) {
      for (std::string& size : operand.sizes) {
        if (size != "?" && chance(6)) size = std::to_string(below(4));
      }
    } else if (operand.element == "i64" && chance(3)) {
      operand.value = otherInts(operand.value);
    }
  }

 private:
  /// Some numbers of a list, or the only one, replaced.
  std::string otherInts(const std::string& text) {
    std::string other;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool isNumber = llvm::isDigit(text[i]) || text[i] == '-';
      if (!isNumber) {
        other += text[i];
        continue;
      }
      size_t end = i + 1;
      while (end < text.size() && llvm::isDigit(text[end])) ++end;
      other += chance(3) ? std::to_string(static_cast<int>(below(6)) - 2) : text.substr(i, end - i);
      i = end - 1;
    }
    return other;
  }

  std::mt19937 random_;
};

/// Zeros and ones: small enough for lengths and positions.
reference::Tensor makeInput(mlir::RankedTensorType type, Mutator& mutator) {
  reference::Tensor tensor(ir::toElementType(type.getElementType()), type.getShape().vec());
  const size_t bytes = tensor.sizeBytes();
  if (tensor.type() == ElementType::kF32) {
    for (float& value : tensor.as<float>())
      value = static_cast<float>(mutator.below(8)) / 4 + 0.25f;
  } else if (tensor.type() == ElementType::kBool) {
    for (uint8_t& value : tensor.as<uint8_t>()) value = static_cast<uint8_t>(mutator.below(2));
  } else if (bytes > 0) {
    std::fill_n(static_cast<std::byte*>(tensor.data()), bytes, std::byte{0});
  }
  return tensor;
}

/// What is wrong with the values, not with the shapes.
bool isAboutData(const std::string& message) {
  static const std::vector<std::string> kParts = {
      "out of range",    "is not supported",   "division by zero", "step 0", "delta is 0",
      "sequence length", "is not implemented", "no reference",     "depth",  "element type"};
  return llvm::any_of(
      kParts, [&](const std::string& part) { return message.find(part) != std::string::npos; });
}

bool isAboutUnknown(const std::string& message) {
  return message.find("not known") != std::string::npos ||
         message.find("not constant") != std::string::npos ||
         message.find("expected a known") != std::string::npos;
}

class Inference : public testing::Test {
 protected:
  Inference()
      : handler_(&context_, [this](mlir::Diagnostic& diagnostic) {
          diagnostics_ += diagnostic.str() + "\n";
        }) {
    context_.loadDialect<ir::TsrDialect, mlir::func::FuncDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const OpCase& opCase) {
    const mlir::ParserConfig config(&context_, /*verifyAfterParse=*/false);
    return mlir::parseSourceString<mlir::ModuleOp>(op_cases::toModule(opCase), config);
  }

  static mlir::Operation* operationOf(mlir::ModuleOp module) {
    auto function = *module.getOps<mlir::func::FuncOp>().begin();
    return &*std::prev(function.getBody().front().end(), 2);
  }

  /// The inferred types; nothing, and the reason in diagnostics_, when it refuses.
  std::optional<llvm::SmallVector<mlir::Type>> infer(mlir::Operation* op) {
    diagnostics_.clear();
    llvm::SmallVector<mlir::Type> types;
    if (mlir::failed(ir::inferResultTypes(op, types))) return std::nullopt;
    return types;
  }

  /// What the reference makes of the operation with all sizes known.
  static Result<std::vector<reference::Tensor>> evaluate(mlir::Operation* op, Mutator& mutator) {
    std::vector<TensorValue> values;
    for (const mlir::Value operand : op->getOperands()) {
      if (auto constant = constantTensor(operand)) {
        values.push_back(std::move(*constant));
      } else {
        values.push_back(
            shareTensor(makeInput(mlir::cast<mlir::RankedTensorType>(operand.getType()), mutator)));
      }
    }
    std::vector<reference::TensorView> views;
    views.reserve(values.size());
    for (const TensorValue& value : values) views.push_back(value.view());
    return evaluateOperation(*op, views);
  }

  static void expectShapes(llvm::ArrayRef<mlir::Type> types,
                           const std::vector<reference::Tensor>& tensors) {
    ASSERT_EQ(types.size(), tensors.size());
    for (auto [type, tensor] : llvm::zip_equal(types, tensors)) {
      const auto inferred = mlir::cast<mlir::RankedTensorType>(type);
      ASSERT_EQ(inferred.getRank(), static_cast<int64_t>(tensor.shape().size()));
      for (auto [size, actual] : llvm::zip_equal(inferred.getShape(), tensor.shape())) {
        if (!mlir::ShapedType::isDynamic(size)) {
          EXPECT_EQ(size, actual);
        }
      }
    }
  }

  /// Whether an argument says a shape, axes or indices: what it says is random.
  static bool readsNumbers(mlir::Operation* op) {
    return llvm::any_of(op->getOperands(), [](mlir::Value operand) {
      const auto element = mlir::cast<mlir::RankedTensorType>(operand.getType()).getElementType();
      return (element.isInteger(64) || element.isInteger(1)) && !constantTensor(operand);
    });
  }

  void check(OpCase opCase, std::vector<Operand> operands, Mutator& mutator) {
    for (size_t i = 0; i < operands.size(); ++i)
      if (opCase.operands[i] != "-") opCase.operands[i] = operands[i].text(false, 0);
    const auto module = parse(opCase);
    // A constant whose size was changed does not parse.
    if (!module) return;
    SCOPED_TRACE(op_cases::toModule(opCase));
    mlir::Operation* op = operationOf(*module);
    const auto types = infer(op);
    const std::string reason = diagnostics_;
    const auto results = evaluate(op, mutator);
    if (!types) {
      if (results && !isAboutUnknown(reason)) ADD_FAILURE() << "refused: " << reason;
      ++numRefused_;
      return;
    }
    if (!results) {
      if (!isAboutData(results.error().message) && !readsNumbers(op))
        ADD_FAILURE() << "not refused: " << results.error().toString();
      return;
    }
    expectShapes(*types, *results);
    ++numCompared_;
    checkOpen(opCase, operands, *results, mutator);
  }

  /// The same with one size left open.
  void checkOpen(OpCase opCase, const std::vector<Operand>& operands,
                 const std::vector<reference::Tensor>& results, Mutator& mutator) {
    const size_t at = mutator.below(operands.size());
    if (!operands[at].value.empty() || operands[at].sizes.empty()) return;
    const size_t dim = mutator.below(operands[at].sizes.size());
    // Whether it is there, or one for all, depends on how many elements it has.
    const bool isList = operands[at].sizes.size() == 1 && at > 0;
    if (isList && (opCase.op == "resize" || opCase.op == "quantize_linear")) return;
    opCase.operands[at] = operands[at].text(true, dim);
    const auto module = parse(opCase);
    ASSERT_TRUE(module);
    SCOPED_TRACE(op_cases::toModule(opCase));
    const auto types = infer(operationOf(*module));
    if (!types) {
      EXPECT_TRUE(isAboutUnknown(diagnostics_)) << "refused: " << diagnostics_;
      return;
    }
    ++numOpen_;
    // Without axes an open size stays; one that is 1 is refused when the sizes are known.
    if (opCase.op == "squeeze" && operands.size() == 1 && operands[0].sizes[dim] == "1") return;
    expectShapes(*types, results);
  }

  mlir::MLIRContext context_;
  std::string diagnostics_;
  mlir::ScopedDiagnosticHandler handler_;
  int numCompared_ = 0, numOpen_ = 0, numRefused_ = 0;
};

TEST_F(Inference, SaysWhatTheReferenceDoes) {
  Mutator mutator(20);
  for (const OpCase& opCase : op_cases::allOpCases()) {
    bool isPlain = opCase.label.empty() && !opCase.operands.empty();
    for (const std::string& operand : opCase.operands)
      isPlain &= operand.find('#') == std::string::npos && operand.find('?') == std::string::npos;
    if (!isPlain) continue;
    for (int round = 0; round < kMutationsPerCase; ++round) {
      std::vector<Operand> operands;
      for (const std::string& operand : opCase.operands) {
        operands.push_back(parseOperand(operand));
        if (operand != "-" && round > 0) mutator.mutate(operands.back());
      }
      check(opCase, std::move(operands), mutator);
    }
  }
  EXPECT_GE(numCompared_, 8000);
  EXPECT_GE(numOpen_, 4000);
  EXPECT_GE(numRefused_, 1000);
}

}  // namespace

}  // namespace tessera::evaluate
