// One function for each family of elementwise operators; emitScalar picks it by the operator's
// class.
#include "backends/native/compiler/emit_scalar.h"

#include <cmath>

#include "compiler/ir/constants.h"
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
  ValueRange args;

  Value x() const { return args[0]; }
  Type type() const { return args[0].getType(); }
  /// The element type of an operand in the dialect, with its sign.
  Type element(unsigned operand = 0) const {
    return getElementTypeOrSelf(op->getOperand(operand).getType());
  }
  Type resultElement() const { return getElementTypeOrSelf(op->getResult(0).getType()); }
  bool isFloat() const { return isa<FloatType>(element()); }
  bool isUnsignedElement() const { return isUnsigned(element()); }
  Value number(double value) const { return b.scalar(type(), value); }
  Value number(const APFloat& value) const { return number(value.convertToDouble()); }
  Value less(Value a, Value c) const {
    return emitCompare(b, Compare::kLess, a, c, isUnsignedElement());
  }
  template <typename Op>
  Value apply() const {
    return b.create<Op>(x());
  }
};

using Emitter = Value (*)(const Scalar&);

}  // namespace

static Value emitAbs(const Scalar& s) {
  if (s.isFloat()) return s.apply<math::AbsFOp>();
  return s.isUnsignedElement() ? s.x() : s.apply<math::AbsIOp>();
}

static Value emitNeg(const Scalar& s) {
  return s.isFloat() ? s.apply<arith::NegFOp>() : emitSub(s.b, s.number(0), s.x());
}

static Value emitSign(const Scalar& s) {
  const Value zero = s.number(0), one = s.number(1);
  const Value positive = s.less(zero, s.x());
  // Zero and NaN stay as they are, -0.0 loses its sign.
  if (s.isUnsignedElement()) return s.b.select(positive, one, s.x());
  const Value rest = s.isFloat() ? emitAdd(s.b, s.x(), zero) : s.x();
  return s.b.select(positive, one, s.b.select(s.less(s.x(), zero), s.number(-1), rest));
}

static Value emitReluOf(const Scalar& s) {
  return s.isUnsignedElement() ? s.x() : emitRelu(s.b, s.x());
}

static Value emitReciprocal(const Scalar& s) {
  return s.b.create<arith::DivFOp>(s.number(1), s.x());
}

/// min(1, max(0, alpha * x + beta)).
static Value hardSigmoid(const Scalar& s, double alpha, double beta) {
  const Value line = emitAdd(s.b, emitMul(s.b, s.x(), s.number(alpha)), s.number(beta));
  const Value low = emitRelu(s.b, line), one = s.number(1);
  return s.b.select(s.less(one, low), one, low);
}

static Value emitHardSwish(const Scalar& s) {
  return emitMul(s.b, s.x(), hardSigmoid(s, 1.0 / 6.0, 0.5));
}

static Value emitHardSigmoid(const Scalar& s) {
  auto op = cast<ir::HardSigmoidOp>(s.op);
  return hardSigmoid(s, op.getAlpha().convertToDouble(), op.getBeta().convertToDouble());
}

static Value emitMish(const Scalar& s) {
  return emitMul(s.b, s.x(), s.b.create<math::TanhOp>(emitSoftplus(s.b, s.x())));
}

static Value emitSoftsign(const Scalar& s) {
  return emitDiv(s.b, s.x(), emitAdd(s.b, s.number(1), s.apply<math::AbsFOp>()), false);
}

static Value emitLeakyRelu(const Scalar& s) {
  const Value scaled = emitMul(s.b, s.x(), s.number(cast<ir::LeakyReluOp>(s.op).getAlpha()));
  return s.b.select(s.less(s.x(), s.number(0)), scaled, s.x());
}

/// x where x is not negative, alpha * (exp(x / divisor) - 1) elsewhere, times gamma.
static Value exponentialUnit(const Scalar& s, double alpha, double divisor, double gamma) {
  const Value scaled = divisor == 1.0 ? s.x() : emitMul(s.b, s.x(), s.number(1.0 / divisor));
  // expm1, because exp(x) - 1 loses all digits near 0.
  const Value curve = emitMul(s.b, s.b.create<math::ExpM1Op>(scaled), s.number(alpha));
  const Value y = s.b.select(s.less(s.x(), s.number(0)), curve, s.x());
  return gamma == 1.0 ? y : emitMul(s.b, y, s.number(gamma));
}

static Value emitElu(const Scalar& s) {
  return exponentialUnit(s, cast<ir::EluOp>(s.op).getAlpha().convertToDouble(), 1, 1);
}
static Value emitSelu(const Scalar& s) {
  auto op = cast<ir::SeluOp>(s.op);
  return exponentialUnit(s, op.getAlpha().convertToDouble(), 1, op.getGamma().convertToDouble());
}
static Value emitCelu(const Scalar& s) {
  const double alpha = cast<ir::CeluOp>(s.op).getAlpha().convertToDouble();
  return exponentialUnit(s, alpha, alpha, 1);
}

static Value emitThresholdedRelu(const Scalar& s) {
  const Value alpha = s.number(cast<ir::ThresholdedReluOp>(s.op).getAlpha());
  return s.b.select(s.less(alpha, s.x()), s.x(), s.number(0));
}

static Value emitShrink(const Scalar& s) {
  auto op = cast<ir::ShrinkOp>(s.op);
  const Value bias = s.number(op.getBias()), limit = s.number(op.getLambd());
  const Value above = s.b.select(s.less(limit, s.x()), emitSub(s.b, s.x(), bias), s.number(0));
  // First where both hold, for a negative limit.
  return s.b.select(s.less(s.x(), s.number(-op.getLambd().convertToDouble())),
                    emitAdd(s.b, s.x(), bias), above);
}

static Value emitGelu(const Scalar& s) {
  KernelBuilder& b = s.b;
  const Value half = emitMul(b, s.x(), s.number(0.5)), one = s.number(1);
  if (cast<ir::GeluOp>(s.op).getApproximate() != ir::GeluApproximation::Tanh) {
    const Value erf = b.create<math::ErfOp>(emitMul(b, s.x(), s.number(M_SQRT1_2)));
    return emitMul(b, half, emitAdd(b, one, erf));
  }
  const Value square = emitMul(b, s.x(), s.x());
  const Value inner = emitMul(b, s.x(), emitAdd(b, one, emitMul(b, square, s.number(0.044715))));
  const Value tanh = b.create<math::TanhOp>(emitMul(b, inner, s.number(std::sqrt(2.0 / M_PI))));
  return emitMul(b, half, emitAdd(b, one, tanh));
}

static Value emitNot(const Scalar& s) { return s.b.isFalse(s.x()); }
static Value emitBitwiseNot(const Scalar& s) {
  return s.b.create<arith::XOrIOp>(s.x(), s.number(-1));
}
static Value emitIsNan(const Scalar& s) {
  return emitCompare(s.b, Compare::kNotEqual, s.x(), s.x());
}

static Value emitIsInf(const Scalar& s) {
  auto op = cast<ir::IsInfOp>(s.op);
  const bool detectPositive = op.getDetectPositive() != 0;
  const bool detectNegative = op.getDetectNegative() != 0;
  const double infinity = std::numeric_limits<double>::infinity();
  const Value high = emitCompare(s.b, Compare::kEqual, s.x(), s.number(infinity));
  const Value low = emitCompare(s.b, Compare::kEqual, s.x(), s.number(-infinity));
  if (detectPositive && detectNegative) return s.b.create<arith::OrIOp>(high, low);
  if (detectPositive) return high;
  return detectNegative ? low : s.b.integer(high.getType(), 0);
}

static Value emitCastOf(const Scalar& s) {
  return emitCast(s.b, s.x(), s.element(), s.resultElement());
}

static Value emitMod(const Scalar& s) {
  KernelBuilder& b = s.b;
  const Value a = s.args[0], c = s.args[1], zero = s.number(0);
  Value remainder;
  if (s.isFloat()) {
    remainder = b.create<arith::RemFOp>(a, c);
  } else {
    remainder = emitSub(b, a, emitMul(b, emitDiv(b, a, c, s.isUnsignedElement()), c));
    if (s.isUnsignedElement()) return remainder;
  }
  if (cast<ir::ModOp>(s.op).getFmod() != 0) return remainder;
  const Value differ = b.create<arith::XOrIOp>(s.less(remainder, zero), s.less(c, zero));
  const Value isRest = emitCompare(b, Compare::kNotEqual, remainder, zero);
  return b.select(b.both(differ, isRest), emitAdd(b, remainder, c), remainder);
}

/// x to a small whole power by repeated squaring.
static Value wholePower(KernelBuilder& b, Value x, int64_t exponent) {
  Value result;
  for (Value square = x; exponent > 0; exponent >>= 1, square = emitMul(b, square, square)) {
    if ((exponent & 1) != 0) result = result ? emitMul(b, result, square) : square;
  }
  return result;
}

/// x to the power of 0.5: as the root, but 0 of -0.0 and +inf of -inf.
static Value squareRootPower(const Scalar& s) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Value root = emitAdd(s.b, s.b.create<math::SqrtOp>(s.x()), s.number(0));
  const Value isLowest = emitCompare(s.b, Compare::kEqual, s.x(), s.number(-infinity));
  return s.b.select(isLowest, s.number(infinity), root);
}

static Value emitPow(const Scalar& s) {
  KernelBuilder& b = s.b;
  const std::optional<double> known = ir::constantScalar(s.op->getOperand(1));
  if (known && s.isFloat()) {
    if (*known == 0.5) return squareRootPower(s);
    if (*known == -0.5) return emitDiv(b, s.number(1), squareRootPower(s), false);
  }
  if (known && *known >= 1 && *known <= 16 && *known == std::floor(*known))
    return wholePower(b, s.x(), static_cast<int64_t>(*known));
  if (s.isFloat())
    return b.create<math::PowFOp>(s.x(), emitCast(b, s.args[1], s.element(1), s.element(0)));
  const Type real = b.getF64Type();
  const Value power = b.create<math::PowFOp>(emitCast(b, s.x(), s.element(0), real),
                                             emitCast(b, s.args[1], s.element(1), real));
  return emitCast(b, power, real, s.element(0));
}

static Value emitPrelu(const Scalar& s) {
  return s.b.select(s.less(s.x(), s.number(0)), emitMul(s.b, s.x(), s.args[1]), s.x());
}

static Value emitBitShift(const Scalar& s) {
  const Value width = s.number(s.element().getIntOrFloatBitWidth());
  const Value fits = emitCompare(s.b, Compare::kLess, s.args[1], width, /*isUnsignedElement=*/true);
  const Value shifted = cast<ir::BitShiftOp>(s.op).getDirection() == ir::ShiftDirection::Left
                            ? s.b.create<arith::ShLIOp>(s.x(), s.args[1]).getResult()
                            : s.b.create<arith::ShRUIOp>(s.x(), s.args[1]).getResult();
  return s.b.select(fits, shifted, s.number(0));
}

template <Compare compare>
static Value emitComparison(const Scalar& s) {
  return emitCompare(s.b, compare, s.args[0], s.args[1], s.isUnsignedElement());
}

/// Combines all operands from the left.
template <Value (*combine)(KernelBuilder&, Value, Value)>
static Value emitFold(const Scalar& s) {
  Value result = s.args[0];
  for (const Value next : s.args.drop_front()) result = combine(s.b, result, next);
  return result;
}
template <Value (*combine)(KernelBuilder&, Value, Value, bool)>
static Value emitFoldSigned(const Scalar& s) {
  Value result = s.args[0];
  for (const Value next : s.args.drop_front())
    result = combine(s.b, result, next, s.isUnsignedElement());
  return result;
}

static Value emitMean(const Scalar& s) {
  return emitMul(s.b, emitFold<emitAdd>(s), s.number(1.0 / static_cast<double>(s.args.size())));
}

static double largestFinite(Type element) {
  return APFloat::getLargest(cast<FloatType>(element).getFloatSemantics()).convertToDouble();
}

static Value emitClip(const Scalar& s) {
  auto op = cast<ir::ClipOp>(s.op);
  Value x = s.x();
  size_t next = 1;
  const double largest = s.isFloat() ? largestFinite(s.element()) : 0;
  // An absent bound of a float is the last finite number, of an integer nothing.
  const auto bound = [&](Value operand, double absent) -> Value {
    if (operand) return s.args[next++];
    return s.isFloat() ? s.number(absent) : Value();
  };
  if (const Value low = bound(op.getMin(), -largest)) x = s.b.select(s.less(x, low), low, x);
  if (const Value high = bound(op.getMax(), largest)) x = s.b.select(s.less(high, x), high, x);
  return x;
}

template <typename Op>
static Value emitUnary(const Scalar& s) {
  return s.apply<Op>();
}
template <typename Op>
static Value emitBinary(const Scalar& s) {
  return s.b.create<Op>(s.args[0], s.args[1]);
}
template <Value (*function)(KernelBuilder&, Value)>
static Value emitCall(const Scalar& s) {
  return function(s.b, s.x());
}

namespace {

struct EmitterRow {
  llvm::StringLiteral name;
  Emitter emit;
};

}  // namespace

static constexpr EmitterRow kEmitters[] = {
    {.name = ir::AbsOp::getOperationName(), .emit = emitAbs},
    {.name = ir::AcosOp::getOperationName(), .emit = emitUnary<math::AcosOp>},
    {.name = ir::AcoshOp::getOperationName(), .emit = emitUnary<math::AcoshOp>},
    {.name = ir::AddOp::getOperationName(), .emit = emitFold<emitAdd>},
    {.name = ir::AndOp::getOperationName(), .emit = emitBinary<arith::AndIOp>},
    {.name = ir::AsinOp::getOperationName(), .emit = emitUnary<math::AsinOp>},
    {.name = ir::AsinhOp::getOperationName(), .emit = emitUnary<math::AsinhOp>},
    {.name = ir::AtanOp::getOperationName(), .emit = emitUnary<math::AtanOp>},
    {.name = ir::AtanhOp::getOperationName(), .emit = emitUnary<math::AtanhOp>},
    {.name = ir::BitShiftOp::getOperationName(), .emit = emitBitShift},
    {.name = ir::BitwiseAndOp::getOperationName(), .emit = emitBinary<arith::AndIOp>},
    {.name = ir::BitwiseNotOp::getOperationName(), .emit = emitBitwiseNot},
    {.name = ir::BitwiseOrOp::getOperationName(), .emit = emitBinary<arith::OrIOp>},
    {.name = ir::BitwiseXorOp::getOperationName(), .emit = emitBinary<arith::XOrIOp>},
    {.name = ir::CastOp::getOperationName(), .emit = emitCastOf},
    {.name = ir::CeilOp::getOperationName(), .emit = emitUnary<math::CeilOp>},
    {.name = ir::CeluOp::getOperationName(), .emit = emitCelu},
    {.name = ir::ClipOp::getOperationName(), .emit = emitClip},
    {.name = ir::CosOp::getOperationName(), .emit = emitUnary<math::CosOp>},
    {.name = ir::CoshOp::getOperationName(), .emit = emitUnary<math::CoshOp>},
    {.name = ir::DivOp::getOperationName(), .emit = emitFoldSigned<emitDiv>},
    {.name = ir::EluOp::getOperationName(), .emit = emitElu},
    {.name = ir::EqualOp::getOperationName(), .emit = emitComparison<Compare::kEqual>},
    {.name = ir::ErfOp::getOperationName(), .emit = emitUnary<math::ErfOp>},
    {.name = ir::ExpOp::getOperationName(), .emit = emitUnary<math::ExpOp>},
    {.name = ir::FloorOp::getOperationName(), .emit = emitUnary<math::FloorOp>},
    {.name = ir::GeluOp::getOperationName(), .emit = emitGelu},
    {.name = ir::GreaterOp::getOperationName(), .emit = emitComparison<Compare::kGreater>},
    {.name = ir::GreaterOrEqualOp::getOperationName(),
     .emit = emitComparison<Compare::kGreaterOrEqual>},
    {.name = ir::HardSigmoidOp::getOperationName(), .emit = emitHardSigmoid},
    {.name = ir::HardSwishOp::getOperationName(), .emit = emitHardSwish},
    {.name = ir::IdentityOp::getOperationName(), .emit = [](const Scalar& s) { return s.x(); }},
    {.name = ir::IsInfOp::getOperationName(), .emit = emitIsInf},
    {.name = ir::IsNanOp::getOperationName(), .emit = emitIsNan},
    {.name = ir::LeakyReluOp::getOperationName(), .emit = emitLeakyRelu},
    {.name = ir::LessOp::getOperationName(), .emit = emitComparison<Compare::kLess>},
    {.name = ir::LessOrEqualOp::getOperationName(), .emit = emitComparison<Compare::kLessOrEqual>},
    {.name = ir::LogOp::getOperationName(), .emit = emitUnary<math::LogOp>},
    {.name = ir::MaxOp::getOperationName(), .emit = emitFoldSigned<emitMax>},
    {.name = ir::MeanOp::getOperationName(), .emit = emitMean},
    {.name = ir::MinOp::getOperationName(), .emit = emitFoldSigned<emitMin>},
    {.name = ir::MishOp::getOperationName(), .emit = emitMish},
    {.name = ir::ModOp::getOperationName(), .emit = emitMod},
    {.name = ir::MulOp::getOperationName(), .emit = emitFold<emitMul>},
    {.name = ir::NegOp::getOperationName(), .emit = emitNeg},
    {.name = ir::NotOp::getOperationName(), .emit = emitNot},
    {.name = ir::OrOp::getOperationName(), .emit = emitBinary<arith::OrIOp>},
    {.name = ir::PowOp::getOperationName(), .emit = emitPow},
    {.name = ir::PreluOp::getOperationName(), .emit = emitPrelu},
    {.name = ir::ReciprocalOp::getOperationName(), .emit = emitReciprocal},
    {.name = ir::ReluOp::getOperationName(), .emit = emitReluOf},
    {.name = ir::RoundOp::getOperationName(), .emit = emitUnary<math::RoundEvenOp>},
    {.name = ir::SeluOp::getOperationName(), .emit = emitSelu},
    {.name = ir::ShrinkOp::getOperationName(), .emit = emitShrink},
    {.name = ir::SigmoidOp::getOperationName(), .emit = emitCall<emitSigmoid>},
    {.name = ir::SignOp::getOperationName(), .emit = emitSign},
    {.name = ir::SinOp::getOperationName(), .emit = emitUnary<math::SinOp>},
    {.name = ir::SinhOp::getOperationName(), .emit = emitUnary<math::SinhOp>},
    {.name = ir::SoftplusOp::getOperationName(), .emit = emitCall<emitSoftplus>},
    {.name = ir::SoftsignOp::getOperationName(), .emit = emitSoftsign},
    {.name = ir::SqrtOp::getOperationName(), .emit = emitUnary<math::SqrtOp>},
    {.name = ir::SubOp::getOperationName(), .emit = emitFold<emitSub>},
    {.name = ir::SumOp::getOperationName(), .emit = emitFold<emitAdd>},
    {.name = ir::TanOp::getOperationName(), .emit = emitUnary<math::TanOp>},
    {.name = ir::TanhOp::getOperationName(), .emit = emitUnary<math::TanhOp>},
    {.name = ir::ThresholdedReluOp::getOperationName(), .emit = emitThresholdedRelu},
    {.name = ir::WhereOp::getOperationName(),
     .emit = [](const Scalar& s) -> Value { return s.b.select(s.args[0], s.args[1], s.args[2]); }},
    {.name = ir::XorOp::getOperationName(), .emit = emitBinary<arith::XOrIOp>},
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

Value emitScalar(KernelBuilder& b, Operation* op, ValueRange elements) {
  return findEmitter(op)(Scalar{.b = b, .op = op, .args = elements});
}

}  // namespace tessera::backend_native
