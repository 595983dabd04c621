// The formulas are those of reference/, in the operand's own type where that keeps the digits.
// Arguments have the type of their tensor; C's promotions of small integers are undone where the
// result is stored.
#include "backends/csource/compiler/scalar_formulas.h"

#include <cmath>

#include "backends/csource/compiler/c_text.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/tsr.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::backend_csource {

using namespace mlir;
using llvm::formatv;

namespace {

/// What the formula of one operator sees.
struct Scalar {
  Operation* op;
  ArrayRef<std::string> args;

  const std::string& x() const { return args[0]; }
  Type element(unsigned operand = 0) const {
    return getElementTypeOrSelf(op->getOperand(operand).getType());
  }
  Type resultElement() const { return getElementTypeOrSelf(op->getResult(0).getType()); }
  bool isFloat() const { return isa<FloatType>(element()); }
  bool isUnsigned() const { return element().isUnsignedInteger() || element().isInteger(1); }
  std::string real(const APFloat& attribute) const {
    const std::string text = cReal(attribute.convertToDouble(), element());
    return text.front() == '-' ? "(" + text + ")" : text;
  }
  std::string suffixed(StringRef function) const {
    return (function + mathSuffix(element())).str();
  }
};

using Formula = std::string (*)(const Scalar&);

/// Names as template arguments.
constexpr char kAcos[] = "acos", kAcosh[] = "acosh", kAsin[] = "asin", kAsinh[] = "asinh",
               kAtan[] = "atan", kAtanh[] = "atanh", kCeil[] = "ceil", kCos[] = "cos",
               kCosh[] = "cosh", kErf[] = "erf", kExp[] = "exp", kFloor[] = "floor", kLog[] = "log",
               kRound[] = "nearbyint", kSin[] = "sin", kSinh[] = "sinh", kSqrt[] = "sqrt",
               kTan[] = "tan", kTanh[] = "tanh";
constexpr char kPlus[] = "+", kMinus[] = "-", kTimes[] = "*", kDivide[] = "/", kBitAnd[] = "&",
               kBitOr[] = "|", kBitXor[] = "^", kEqual[] = "==", kGreater[] = ">",
               kGreaterOrEqual[] = ">=", kLess[] = "<", kLessOrEqual[] = "<=";
constexpr char kMish[] = "mish", kSigmoid[] = "sigmoid", kSoftplus[] = "softplus";

}  // namespace

/// A function of math.h.
template <const char* name>
static std::string function(const Scalar& s) {
  return s.suffixed(name) + "(" + s.x() + ")";
}

/// A function of the prelude.
template <const char* name>
static std::string named(const Scalar& s) {
  return formatv("csource_{0}_{1}({2})", name, cSuffix(s.element()), s.x());
}

/// All arguments with an operator between them.
template <const char* symbol>
static std::string folded(const Scalar& s) {
  std::string text = s.x();
  for (const std::string& next : s.args.drop_front())
    text += std::string(" ") + symbol + " " + next;
  return text;
}

static std::string mean(const Scalar& s) {
  return formatv("({0}) / {1}", folded<kPlus>(s),
                 cReal(static_cast<double>(s.args.size()), s.element()));
}

/// NaN where an argument is NaN.
template <const char* relation>
static std::string extreme(const Scalar& s) {
  std::string best = s.x();
  for (const std::string& next : s.args.drop_front()) {
    // The best so far is an expression from the third argument on.
    const std::string so = best == s.x() ? best : "(" + best + ")";
    best = s.isFloat() ? formatv("{1} {2} {0} || {1} != {1} ? {1} : {0}", so, next, relation)
                       : formatv("{1} {2} {0} ? {1} : {0}", so, next, relation);
  }
  return best;
}

static std::string absolute(const Scalar& s) {
  if (s.isFloat()) return s.suffixed("fabs") + "(" + s.x() + ")";
  return s.isUnsigned() ? s.x() : formatv("{0} < 0 ? -{0} : {0}", s.x()).str();
}

static std::string negated(const Scalar& s) { return "-" + s.x(); }
static std::string reciprocal(const Scalar& s) { return "1 / " + s.x(); }
static std::string bitwiseNot(const Scalar& s) { return "~" + s.x(); }
static std::string logicalNot(const Scalar& s) { return "!" + s.x(); }
static std::string isNan(const Scalar& s) { return formatv("{0} != {0}", s.x()); }

static std::string sign(const Scalar& s) {
  if (s.isUnsigned()) return s.x() + " != 0";
  // Zero and NaN stay as they are, -0.0 loses its sign.
  if (s.isFloat()) return formatv("{0} > 0 ? 1 : {0} < 0 ? -1 : {0} + 0", s.x());
  return formatv("({0} > 0) - ({0} < 0)", s.x());
}

static std::string relu(const Scalar& s) {
  return s.isUnsigned() ? s.x() : formatv("{0} < 0 ? 0 : {0}", s.x()).str();
}

static std::string leakyRelu(const Scalar& s) {
  return formatv("{0} < 0 ? {0} * {1} : {0}", s.x(),
                 s.real(llvm::cast<ir::LeakyReluOp>(s.op).getAlpha()));
}

static std::string prelu(const Scalar& s) {
  if (s.isUnsigned()) return s.x();
  return formatv("{0} < 0 ? {0} * {1} : {0}", s.x(), s.args[1]);
}

static std::string elu(const Scalar& s) {
  return formatv("{0} < 0 ? {1} * {2}({0}) : {0}", s.x(),
                 s.real(llvm::cast<ir::EluOp>(s.op).getAlpha()), s.suffixed("expm1"));
}

static std::string selu(const Scalar& s) {
  auto op = llvm::cast<ir::SeluOp>(s.op);
  return formatv("{3} * ({0} < 0 ? {1} * {2}({0}) : {0})", s.x(), s.real(op.getAlpha()),
                 s.suffixed("expm1"), s.real(op.getGamma()));
}

static std::string celu(const Scalar& s) {
  return formatv("{0} > 0 ? {0} : {1} * {2}({0} / {1})", s.x(),
                 s.real(llvm::cast<ir::CeluOp>(s.op).getAlpha()), s.suffixed("expm1"));
}

static std::string thresholdedRelu(const Scalar& s) {
  return formatv("{0} > {1} ? {0} : 0", s.x(),
                 s.real(llvm::cast<ir::ThresholdedReluOp>(s.op).getAlpha()));
}

static std::string hardSigmoidOf(const Scalar& s, const std::string& alpha,
                                 const std::string& beta) {
  return formatv("csource_hard_sigmoid_{0}({1}, {2}, {3})", cSuffix(s.element()), s.x(), alpha,
                 beta);
}

static std::string hardSigmoid(const Scalar& s) {
  auto op = llvm::cast<ir::HardSigmoidOp>(s.op);
  return hardSigmoidOf(s, s.real(op.getAlpha()), s.real(op.getBeta()));
}

static std::string hardSwish(const Scalar& s) {
  return s.x() + " * " + hardSigmoidOf(s, cReal(1.0 / 6.0, s.element()), cReal(0.5, s.element()));
}

static std::string softsign(const Scalar& s) {
  return formatv("{0} / (1 + {1}({0}))", s.x(), s.suffixed("fabs"));
}

static std::string gelu(const Scalar& s) {
  const bool isTanh = llvm::cast<ir::GeluOp>(s.op).getApproximate() == ir::GeluApproximation::Tanh;
  return formatv("csource_gelu_{0}{1}({2})", isTanh ? "tanh_" : "", cSuffix(s.element()), s.x());
}

static std::string shrink(const Scalar& s) {
  auto op = llvm::cast<ir::ShrinkOp>(s.op);
  const std::string bias = s.real(op.getBias()), limit = s.real(op.getLambd());
  return formatv("{0} < -{2} ? {0} + {1} : {0} > {2} ? {0} - {1} : 0", s.x(), bias, limit);
}

static std::string isInf(const Scalar& s) {
  auto op = llvm::cast<ir::IsInfOp>(s.op);
  const bool high = op.getDetectPositive() != 0, low = op.getDetectNegative() != 0;
  if (high && low) return formatv("{0} == INFINITY || {0} == -INFINITY", s.x());
  if (!high && !low) return "0";
  return s.x() + (high ? " == INFINITY" : " == -INFINITY");
}

static std::string cast(const Scalar& s) {
  const Type to = s.resultElement();
  if (to.isInteger(1)) return s.x() + " != 0";
  if (s.isFloat() && isa<IntegerType>(to))
    return formatv("csource_truncate_{0}({1})", cSuffix(to), s.x());
  return s.x();  // What C does where the result is stored.
}

static std::string modulo(const Scalar& s) {
  const bool isTruncated = llvm::cast<ir::ModOp>(s.op).getFmod() != 0;
  const std::string &a = s.args[0], &b = s.args[1];
  const std::string rest = s.isFloat() ? formatv("{0}({1}, {2})", s.suffixed("fmod"), a, b).str()
                                       : formatv("({0} % {1})", a, b).str();
  if (isTruncated || s.isUnsigned()) return rest;
  // The remainder gets the sign of the divisor.
  return formatv("{0} != 0 && ({0} < 0) != ({1} < 0) ? {0} + {1} : {0}", rest, b);
}

static std::string bitShift(const Scalar& s) {
  const bool isLeft = llvm::cast<ir::BitShiftOp>(s.op).getDirection() == ir::ShiftDirection::Left;
  return formatv("{1} < {3} ? {0} {2} {1} : 0", s.args[0], s.args[1], isLeft ? "<<" : ">>",
                 s.element().getIntOrFloatBitWidth());
}

static std::string where(const Scalar& s) {
  return formatv("{0} ? {1} : {2}", s.args[0], s.args[1], s.args[2]);
}

/// The exponent of a power that is a constant.
static std::optional<double> knownExponent(Operation* op) {
  return ir::constantScalar(op->getOperand(1));
}

static std::string power(const Scalar& s) {
  const auto known = knownExponent(s.op);
  if (known == 1.0) return s.x();
  if (known == 2.0) return formatv("{0} * {0}", s.x());
  if (known == 3.0) return formatv("{0} * {0} * {0}", s.x());
  // What compilers make of pow(x, 0.5) forgets that it is not the root where x is infinite.
  if (known == 0.5) return formatv("csource_pow_0_5_{0}({1})", cSuffix(s.element()), s.x());
  if (known == -0.5) return formatv("1 / csource_pow_0_5_{0}({1})", cSuffix(s.element()), s.x());
  return formatv("{0}({1}, {2})", s.suffixed("pow"), s.args[0], s.args[1]);
}

/// Bounds of a floating-point number that are absent are its last finite numbers.
static std::string clip(const Scalar& s) {
  auto op = llvm::cast<ir::ClipOp>(s.op);
  const StringRef largest = s.element().isF32() ? "FLT_MAX" : "DBL_MAX";
  size_t next = 1;
  const auto bound = [&](Value given, StringRef sign) -> std::string {
    if (given) return s.args[next++];
    return s.isFloat() ? (sign + largest).str() : "";
  };
  const std::string low = bound(op.getMin(), "-"), high = bound(op.getMax(), "");
  const std::string raised =
      low.empty() ? s.x() : formatv("({0} < {1} ? {1} : {0})", s.x(), low).str();
  if (high.empty()) return raised;
  return formatv("{0} > {1} ? {1} : {0}", raised, high);
}

static std::string batchNorm(const Scalar& s) {
  const std::string epsilon = s.real(llvm::cast<ir::BatchNormOp>(s.op).getEpsilon());
  return formatv("({0} - {1}) * ({2} / {3}({4} + {5})) + {6}", s.args[0], s.args[3], s.args[1],
                 s.suffixed("sqrt"), s.args[4], epsilon, s.args[2]);
}

namespace {

struct FormulaRow {
  llvm::StringLiteral name;
  Formula formula;
};

}  // namespace

static constexpr FormulaRow kFormulas[] = {
#define TESSERA_FORMULA(Op, row) {.name = ir::Op::getOperationName(), .formula = (row)},
#include "backends/csource/compiler/scalar_formulas.def"
#undef TESSERA_FORMULA
};

static Formula findFormula(Operation* op) {
  static const llvm::StringMap<Formula> kByName = [] {
    llvm::StringMap<Formula> map;
    for (const FormulaRow& row : kFormulas) map.try_emplace(row.name, row.formula);
    return map;
  }();
  return kByName.lookup(op->getName().getStringRef());
}

SmallVector<StringRef> scalarOpNames() {
  SmallVector<StringRef> names;
  for (const FormulaRow& row : kFormulas) names.push_back(row.name);
  return names;
}

bool isScalarFormula(Operation* op) { return findFormula(op) != nullptr; }

/// Whether a value is a constant that any integer can be divided by: the least one overflows when
/// it is divided by -1.
static bool isSafeDivisor(Value value) {
  const auto ints = ir::constantInts(value);
  return ints && llvm::none_of(*ints, [](int64_t x) { return x == 0 || x == -1; });
}

std::optional<std::string> refuseScalar(Operation* op) {
  const Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  const bool isFloat = isa<FloatType>(element);
  if (isa<ir::DivOp, ir::ModOp>(op) && !isFloat && !isSafeDivisor(op->getOperand(1)))
    return "it divides integers by constants other than 0 and -1 only";
  if (isa<ir::PowOp>(op) && !isFloat) return "it computes powers of floats only";
  if (isa<ir::ShrinkOp>(op) && !isFloat) return "it shrinks floats only";
  return std::nullopt;
}

std::string scalarFormula(Operation* op, ArrayRef<std::string> arguments) {
  return findFormula(op)({.op = op, .args = arguments});
}

}  // namespace tessera::backend_csource
