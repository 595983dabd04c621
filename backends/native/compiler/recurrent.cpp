#include "backends/native/compiler/recurrent.h"

#include <cmath>

#include "backends/native/compiler/emit_scalar.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// An activation by its ONNX name, with the parameters it takes and their defaults.
struct Entry {
  StringRef name;
  Value (*emit)(KernelBuilder& b, Value x, double alpha, double beta);
  bool takesAlpha, takesBeta;
  double alpha, beta;
};

}  // namespace

static Value emitAffine(KernelBuilder& b, Value x, double alpha, double beta) {
  return emitAdd(b, emitMul(b, x, b.scalar(x.getType(), alpha)), b.scalar(x.getType(), beta));
}
static Value emitEluUnit(KernelBuilder& b, Value x, double alpha, double) {
  const Value curve = emitMul(b, b.create<math::ExpM1Op>(x), b.scalar(x.getType(), alpha));
  return b.select(emitCompare(b, Compare::kLess, x, b.scalar(x.getType(), 0)), curve, x);
}
static Value emitHardSigmoidUnit(KernelBuilder& b, Value x, double alpha, double beta) {
  const Value line = emitRelu(b, emitAffine(b, x, alpha, beta)), one = b.scalar(x.getType(), 1);
  return b.select(emitCompare(b, Compare::kLess, one, line), one, line);
}
static Value emitLeakyUnit(KernelBuilder& b, Value x, double alpha, double) {
  const Value scaled = emitMul(b, x, b.scalar(x.getType(), alpha));
  return b.select(emitCompare(b, Compare::kLess, x, b.scalar(x.getType(), 0)), scaled, x);
}
static Value emitScaledTanh(KernelBuilder& b, Value x, double alpha, double beta) {
  const Value tanh = b.create<math::TanhOp>(emitMul(b, x, b.scalar(x.getType(), beta)));
  return emitMul(b, tanh, b.scalar(x.getType(), alpha));
}
static Value emitThresholdedUnit(KernelBuilder& b, Value x, double alpha, double) {
  return b.select(emitCompare(b, Compare::kGreater, x, b.scalar(x.getType(), alpha)), x,
                  b.scalar(x.getType(), 0));
}
static Value emitSoftsignUnit(KernelBuilder& b, Value x, double, double) {
  return emitDiv(b, x, emitAdd(b, b.scalar(x.getType(), 1), b.create<math::AbsFOp>(x)), false);
}

static const Entry* findEntry(StringRef name) {
  static const Entry kEntries[] = {
      {"Affine", emitAffine, true, true, 1, 0},
      {"Elu", emitEluUnit, true, false, 1, 0},
      {"HardSigmoid", emitHardSigmoidUnit, true, true, 0.2, 0.5},
      {"LeakyRelu", emitLeakyUnit, true, false, 0.01, 0},
      {"Relu", [](KernelBuilder& b, Value x, double, double) { return emitRelu(b, x); }, false,
       false, 0, 0},
      {"ScaledTanh", emitScaledTanh, true, true, 1, 1},
      {"Sigmoid", [](KernelBuilder& b, Value x, double, double) { return emitSigmoid(b, x); },
       false, false, 0, 0},
      {"Softplus", [](KernelBuilder& b, Value x, double, double) { return emitSoftplus(b, x); },
       false, false, 0, 0},
      {"Softsign", emitSoftsignUnit, false, false, 0, 0},
      {"Tanh",
       [](KernelBuilder& b, Value x, double, double) -> Value { return b.create<math::TanhOp>(x); },
       false, false, 0, 0},
      {"ThresholdedRelu", emitThresholdedUnit, true, false, 1, 0},
  };
  for (const Entry& entry : kEntries) {
    if (entry.name.equals_insensitive(name)) return &entry;
  }
  return nullptr;
}

static SmallVector<double> floatsOf(Operation* op, StringRef name) {
  SmallVector<double> values;
  if (const auto list = op->getAttrOfType<ArrayAttr>(name)) {
    for (const Attribute entry : list) values.push_back(cast<FloatAttr>(entry).getValueAsDouble());
  }
  return values;
}

static SmallVector<StringRef> namesOf(Operation* op) {
  SmallVector<StringRef> names;
  if (const auto list = op->getAttrOfType<ArrayAttr>("activations")) {
    for (const Attribute entry : list) names.push_back(cast<StringAttr>(entry).getValue());
    return names;
  }
  const bool isTwice = op->getAttrOfType<StringAttr>("direction").getValue() == "bidirectional";
  for (int i = 0; i < (isTwice ? 2 : 1); ++i) {
    if (!isa<ir::RnnOp>(op)) names.push_back("Sigmoid");
    names.push_back("Tanh");
    if (isa<ir::LstmOp>(op)) names.push_back("Tanh");
  }
  return names;
}

/// activation_alpha and activation_beta hold values only for the activations that take them, in
/// order.
std::optional<Activations> parseActivations(Operation* op) {
  Activations result;
  if (const auto clip = op->getAttrOfType<FloatAttr>("clip")) result.clip = clip.getValueAsDouble();
  const SmallVector<double> alphas = floatsOf(op, "activation_alpha"),
                            betas = floatsOf(op, "activation_beta");
  size_t nextAlpha = 0, nextBeta = 0;
  for (const StringRef name : namesOf(op)) {
    const Entry* entry = findEntry(name);
    if (!entry) return std::nullopt;
    Activation activation{entry->emit, entry->alpha, entry->beta};
    if (entry->takesAlpha && nextAlpha < alphas.size()) activation.alpha = alphas[nextAlpha++];
    if (entry->takesBeta && nextBeta < betas.size()) activation.beta = betas[nextBeta++];
    result.all.push_back(activation);
  }
  return result;
}

Value Direction::activate(KernelBuilder& b, size_t which, Value x) const {
  if (!std::isinf(clip)) {
    const Value high = b.scalar(x.getType(), clip), low = b.scalar(x.getType(), -clip);
    x = b.select(emitCompare(b, Compare::kLess, x, low), low, x);
    x = b.select(emitCompare(b, Compare::kGreater, x, high), high, x);
  }
  const Activation& activation = activations[which];
  return activation.emit(b, x, activation.alpha, activation.beta);
}

}  // namespace tessera::backend_native
