// One function for each family of elementwise operators; emitScalar picks it by the operator's
// class.
#include "backends/native/compiler/kernel/emit_scalar.h"

#include <cmath>
#include <functional>

#include "backends/native/compiler/kernel/activations.h"
#include "compiler/ir/io/constants.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// What the emitters of single operators see.
struct Scalar {
  KernelBuilder& b;
  Operation* op;
  Elements args;  ///< With the signedness of the operands.

  const Element& x() const { return args[0]; }
  /// The element type of an operand in the dialect, with its sign.
  Type element(unsigned operand = 0) const {
    return getElementTypeOrSelf(op->getOperand(operand).getType());
  }
  Type resultElement() const { return getElementTypeOrSelf(op->getResult(0).getType()); }
  bool isFloat() const { return x().isFloat(); }
  bool isUnsigned() const { return x().signedness() == Signedness::kUnsigned; }
  /// `Op` of the first operands.
  template <typename Op>
  Element unary() const {
    return {b, b.create<Op>(Value(args[0])), x().signedness()};
  }
  template <typename Op>
  Element binary() const {
    return {b, b.create<Op>(Value(args[0]), Value(args[1])), x().signedness()};
  }
};

using Emitter = Value (*)(const Scalar&);

}  // namespace

static double numberOf(const APFloat& attribute) { return attribute.convertToDouble(); }

static Value emitSign(const Scalar& s) {
  const Element& x = s.x();
  const Condition positive = 0 < x;
  // Zero and NaN stay as they are, -0.0 loses its sign.
  if (s.isUnsigned()) return select(positive, 1, x);
  const Element rest = s.isFloat() ? x + 0 : x;
  return select(positive, 1, select(x < 0, -1, rest));
}

static Value emitRelu(const Scalar& s) { return s.isUnsigned() ? s.x() : relu(s.x()); }

static Value emitHardSwish(const Scalar& s) { return s.x() * hardSigmoid(s.x(), 1.0 / 6.0, 0.5); }

static Value emitHardSigmoid(const Scalar& s) {
  auto op = cast<ir::HardSigmoidOp>(s.op);
  return hardSigmoid(s.x(), numberOf(op.getAlpha()), numberOf(op.getBeta()));
}

static Value emitLeakyRelu(const Scalar& s) {
  return leakyRelu(s.x(), numberOf(cast<ir::LeakyReluOp>(s.op).getAlpha()));
}

static Value emitElu(const Scalar& s) {
  return exponentialUnit(s.x(), numberOf(cast<ir::EluOp>(s.op).getAlpha()));
}
static Value emitSelu(const Scalar& s) {
  auto op = cast<ir::SeluOp>(s.op);
  return exponentialUnit(s.x(), numberOf(op.getAlpha()), 1, numberOf(op.getGamma()));
}
static Value emitCelu(const Scalar& s) {
  const double alpha = numberOf(cast<ir::CeluOp>(s.op).getAlpha());
  return exponentialUnit(s.x(), alpha, alpha);
}

static Value emitThresholdedRelu(const Scalar& s) {
  return thresholdedRelu(s.x(), numberOf(cast<ir::ThresholdedReluOp>(s.op).getAlpha()));
}

static Value emitShrink(const Scalar& s) {
  auto op = cast<ir::ShrinkOp>(s.op);
  const double bias = numberOf(op.getBias()), limit = numberOf(op.getLambd());
  // Integers are shrunk by a fraction, too.
  const Element x = s.isFloat() ? s.x() : convert(s.x(), s.b.getF64Type());
  const Element above = select(limit < x, x - bias, 0);
  // First where both hold, for a negative limit.
  const Element shrunk = select(x < -limit, x + bias, above);
  return s.isFloat() ? Value(shrunk) : Value(convert(shrunk, s.element()));
}

static Value emitGelu(const Scalar& s) {
  const Element& x = s.x();
  const Element half = x * 0.5;
  if (cast<ir::GeluOp>(s.op).getApproximate() != ir::GeluApproximation::Tanh)
    return half * (1 + erf(x * M_SQRT1_2));
  const Element square = x * x;
  const Element inner = x * (1 + square * 0.044715);
  return half * (1 + tanh(inner * std::sqrt(2.0 / M_PI)));
}

static Value emitNot(const Scalar& s) { return !Condition(s.b, s.x()); }
static Value emitBitwiseNot(const Scalar& s) {
  return s.b.create<arith::XOrIOp>(Value(s.x()), Value(literal(s.x(), -1)));
}

static Value emitIsInf(const Scalar& s) {
  auto op = cast<ir::IsInfOp>(s.op);
  const bool detectPositive = op.getDetectPositive() != 0;
  const bool detectNegative = op.getDetectNegative() != 0;
  const double infinity = std::numeric_limits<double>::infinity();
  const Condition high = s.x() == infinity;
  const Condition low = s.x() == -infinity;
  if (detectPositive && detectNegative) return high | low;
  if (detectPositive) return high;
  return detectNegative ? Value(low) : s.b.integer(Value(high).getType(), 0);
}

static Value emitCast(const Scalar& s) { return convert(s.x(), s.resultElement()); }

static Value emitMod(const Scalar& s) {
  const Element &a = s.args[0], &c = s.args[1];
  const Element remainder = s.isFloat() ? s.binary<arith::RemFOp>() : a - a / c * c;
  const bool isTruncated = cast<ir::ModOp>(s.op).getFmod() != 0;
  if (s.isUnsigned() || isTruncated) return remainder;
  const Condition differ = (remainder < 0) ^ (c < 0);
  const Condition isRest = remainder != 0;
  return select(differ & isRest, remainder + c, remainder);
}

/// x to a small whole power by repeated squaring.
static Element wholePower(const Element& x, int64_t exponent) {
  Element result;
  for (Element square = x; exponent > 0; exponent >>= 1, square = square * square) {
    if ((exponent & 1) != 0) result = result ? result * square : square;
  }
  return result;
}

/// x to the power of 0.5: as the root, but 0 of -0.0 and +inf of -inf.
static Element squareRootPower(const Element& x) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Element root = sqrt(x) + 0;
  return select(x == -infinity, infinity, root);
}

static Value emitPow(const Scalar& s) {
  const Element &x = s.args[0], &exponent = s.args[1];
  const std::optional<double> known = ir::constantScalar(s.op->getOperand(1));
  if (known && s.isFloat()) {
    if (*known == 0.5) return squareRootPower(x);
    if (*known == -0.5) return 1 / squareRootPower(x);
  }
  if (known && *known >= 1 && *known <= 16 && *known == std::floor(*known))
    return wholePower(x, static_cast<int64_t>(*known));
  if (s.isFloat()) return pow(x, convert(exponent, s.element()));
  const Type real = s.b.getF64Type();
  return convert(pow(convert(x, real), convert(exponent, real)), s.element());
}

static Value emitPrelu(const Scalar& s) { return select(s.x() < 0, s.x() * s.args[1], s.x()); }

static Value emitBitShift(const Scalar& s) {
  const Element count = s.args[1].as(Signedness::kUnsigned);
  const Condition fits = count < s.element().getIntOrFloatBitWidth();
  const bool isLeft = cast<ir::BitShiftOp>(s.op).getDirection() == ir::ShiftDirection::Left;
  const Element shifted = isLeft ? s.binary<arith::ShLIOp>() : s.binary<arith::ShRUIOp>();
  return select(fits, shifted, 0);
}

template <typename Relation>
static Value emitRelation(const Scalar& s) {
  return Relation()(s.args[0], s.args[1]);
}

namespace {

struct Smaller {
  Element operator()(const Element& a, const Element& b) const { return smaller(a, b); }
};
struct Larger {
  Element operator()(const Element& a, const Element& b) const { return larger(a, b); }
};

}  // namespace

/// Combines all operands from the left.
template <typename Combine>
static Element fold(const Scalar& s) {
  Element result = s.x();
  for (const Element& next : s.args.drop_front()) result = Combine()(result, next);
  return result;
}
template <typename Combine>
static Value emitFold(const Scalar& s) {
  return fold<Combine>(s);
}

/// Whether all that reads a value is smooth: half a unit in its last place is half a unit there.
static bool isReadSmoothly(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation* user) {
    return isa<ir::AddOp, ir::ErfOp, ir::ExpOp, ir::SigmoidOp, ir::SoftmaxOp, ir::TanhOp>(user);
  });
}

/// A constant divides by its reciprocal where that does not show: a division takes as long as ten
/// products.
static Value emitDiv(const Scalar& s) {
  const std::optional<double> divisor = ir::constantScalar(s.op->getOperand(1));
  const bool isShown = !s.element().isF32() || !isReadSmoothly(s.op->getResult(0));
  if (!divisor || isShown || !std::isnormal(static_cast<float>(1 / *divisor)))
    return fold<std::divides<>>(s);
  return s.x() * (1 / *divisor);
}

static Value emitMean(const Scalar& s) {
  return fold<std::plus<>>(s) * (1.0 / static_cast<double>(s.args.size()));
}

static double largestFinite(Type element) {
  return APFloat::getLargest(cast<FloatType>(element).getFloatSemantics()).convertToDouble();
}

static Value emitClip(const Scalar& s) {
  auto op = cast<ir::ClipOp>(s.op);
  Element x = s.x();
  size_t next = 1;
  const double largest = s.isFloat() ? largestFinite(s.element()) : 0;
  // An absent bound of a float is the last finite number, of an integer nothing.
  const auto bound = [&](Value operand, double absent) -> Element {
    if (operand) return s.args[next++];
    return s.isFloat() ? literal(x, absent) : Element();
  };
  if (const Element low = bound(op.getMin(), -largest)) x = select(x < low, low, x);
  if (const Element high = bound(op.getMax(), largest)) x = select(high < x, high, x);
  return x;
}

template <typename Op>
static Value emitUnary(const Scalar& s) {
  return s.unary<Op>();
}
template <typename Op>
static Value emitBinary(const Scalar& s) {
  return s.binary<Op>();
}
template <Element (*function)(const Element&)>
static Value emitCall(const Scalar& s) {
  return function(s.x());
}

static Value emitAbs(const Scalar& s) { return abs(s.x()); }

static Value emitWhere(const Scalar& s) { return s.b.select(s.args[0], s.args[1], s.args[2]); }

namespace {

struct EmitterRow {
  llvm::StringLiteral name;
  Emitter emit;
};

}  // namespace

static constexpr EmitterRow kEmitters[] = {
#define TESSERA_SCALAR(Op, emitter) {.name = ir::Op::getOperationName(), .emit = (emitter)},
#include "backends/native/compiler/kernel/scalar_emitters.def"
#undef TESSERA_SCALAR
};

static Emitter findEmitter(Operation* op) {
  static const auto* byName = [] {
    auto* map = new llvm::StringMap<Emitter>;
    for (const EmitterRow& row : kEmitters) map->try_emplace(row.name, row.emit);
    return map;
  }();
  return byName->lookup(op->getName().getStringRef());
}

std::vector<StringRef> scalarOpNames() {
  std::vector<StringRef> names;
  for (const EmitterRow& row : kEmitters) names.push_back(row.name);
  return names;
}

bool isScalarOp(Operation* op) { return findEmitter(op) != nullptr; }

Value emitScalar(KernelBuilder& b, Operation* op, Elements elements) {
  SmallVector<Element> args;
  for (auto [element, operand] : llvm::zip_equal(elements, op->getOperands()))
    args.push_back(element.as(signednessOf(getElementTypeOrSelf(operand.getType()))));
  return findEmitter(op)(Scalar{.b = b, .op = op, .args = args});
}

}  // namespace tessera::backend_native
