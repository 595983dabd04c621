#include "compiler/region_graph/describe.h"

#include <limits>

#include "compiler/ir/composites.h"
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/composite.h"
#include "compiler/ir/types.h"
#include "compiler/region_graph/describe_families.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tessera::region_graph {

Described named(Operation* op, ArrayRef<Value> inputs) {
  return {.name = op->getName().stripDialect().str(),
          .inputs = SmallVector<Value>(inputs),
          .outputs = SmallVector<Value>(op->getResults())};
}

/// The operator under its own name or another one, with all its operands, without attributes.
static std::vector<Described> plain(Operation* op, StringRef name = "") {
  std::vector<Described> list = {named(op, SmallVector<Value>(op->getOperands()))};
  if (!name.empty()) list.front().name = name.str();
  return list;
}

static std::vector<Described> scalars(Operation* op, double alpha, double beta = 0) {
  ScalarsT numbers;
  numbers.alpha = static_cast<float>(alpha);
  numbers.beta = static_cast<float>(beta);
  return withAttributes(named(op, {op->getOperand(0)}), numbers);
}

static std::vector<Described> axes(Operation* op, ArrayRef<Value> inputs, ArrayRef<int64_t> list) {
  AxesT numbers;
  numbers.axes.assign(list.begin(), list.end());
  return withAttributes(named(op, inputs), std::move(numbers));
}

static std::vector<Described> norm(Described described, int64_t axis, double epsilon) {
  NormT numbers;
  numbers.axis = axis;
  numbers.epsilon = static_cast<float>(epsilon);
  return withAttributes(std::move(described), numbers);
}

static DescribedList describeClip(ir::ClipOp op) {
  const auto bound = [](Value value, double absent) -> std::optional<double> {
    return value ? ir::constantScalar(value) : absent;
  };
  constexpr double kMost = std::numeric_limits<float>::max();
  const auto least = bound(op.getMin(), -kMost), most = bound(op.getMax(), kMost);
  if (!least || !most) return invalidInput("its bounds are not constant");
  if (!(*least <= *most)) return invalidInput("its bounds are not in order");
  return scalars(op, *least, *most);
}

static DescribedList describeGemm(ir::GemmOp op) {
  ProductT product;
  product.alpha = op.getAlpha().convertToFloat();
  product.beta = op.getBeta().convertToFloat();
  product.transposes_a = op.getTransA() != 0;
  product.transposes_b = op.getTransB() != 0;
  return withAttributes(named(op, {op.getA(), op.getB(), op.getC()}), product);
}

static DescribedList describeReduction(Operation* op) {
  const auto dims = cast<ir::ReductionOpInterface>(op).getReducedDims();
  if (!dims) return invalidInput("its axes are not constant");
  return axes(op, {op->getOperand(0)}, *dims);
}

static DescribedList describeTranspose(ir::TransposeOp op) {
  SmallVector<int64_t> perm;
  if (op.getPerm()) {
    perm.assign(op.getPerm()->begin(), op.getPerm()->end());
  } else {
    for (int64_t d = typeOf(op.getData()).getRank(); d-- > 0;) perm.push_back(d);
  }
  return axes(op, {op.getData()}, perm);
}

static DescribedList describeLrn(ir::LrnOp op) {
  LocalNormT numbers;
  numbers.size = static_cast<int64_t>(op.getSize());
  numbers.alpha = op.getAlpha().convertToFloat();
  numbers.beta = op.getBeta().convertToFloat();
  numbers.bias = op.getBias().convertToFloat();
  return withAttributes(named(op, {op.getX()}), numbers);
}

static DescribedList describeLayerNorm(ir::LayerNormOp op) {
  if ((op.getMean() && !op.getMean().use_empty()) ||
      (op.getInvStdDev() && !op.getInvStdDev().use_empty()))
    return invalidInput("statistics of a normalisation are not described");
  Described described = named(op, {op.getX(), op.getScale(), op.getB()});
  described.outputs.truncate(1);
  return norm(std::move(described), op.getAxisNormalized(), op.getEpsilon().convertToDouble());
}

static DescribedList describePow(ir::PowOp op) {
  const auto exponent = ir::constantScalar(op.getB());
  if (!exponent || typeOf(op.getB()).getNumElements() != 1 ||
      typeOf(op.getA()).getShape() != typeOf(op.getC()).getShape())
    return invalidInput("its exponent is not one constant");
  return scalars(op, *exponent);
}

static DescribedList describeComposite(ir::CompositeOp op) {
  Described described{.name = op.getName().str(),
                      .inputs = SmallVector<Value>(op.getInputs()),
                      .outputs = SmallVector<Value>(op.getOutputs())};
  std::vector<Described> list;
  if (op.getName() == ir::composite::kLayerNorm) {
    const auto parameters = ir::spec::normParameters(op);
    if (!parameters) return invalidInput("its parameters are incomplete");
    return norm(std::move(described), parameters->axis, parameters->epsilon);
  }
  if (op.getName() == ir::composite::kGelu) {
    const auto approximation = ir::spec::geluApproximation(op);
    if (!approximation) return invalidInput("its parameters are incomplete");
    if (*approximation == ir::GeluApproximation::Tanh) described.name = "gelu_tanh";
  } else if (op.getName() != ir::composite::kSilu && op.getName() != ir::composite::kHardSwish) {
    return invalidInput("composites '" + op.getName().str() + "' are not described");
  }
  list.push_back(std::move(described));
  return list;
}

static bool isPlainUnary(Operation* op) {
  return isa<ir::AbsOp, ir::ExpOp, ir::HardSwishOp, ir::LogOp, ir::MishOp, ir::NegOp,
             ir::ReciprocalOp, ir::ReluOp, ir::RoundOp, ir::SigmoidOp, ir::SoftplusOp, ir::SqrtOp,
             ir::TanhOp, ir::GlobalAveragePoolOp, ir::GlobalMaxPoolOp>(op);
}

/// Views whose result's sizes say all.
static bool isReshaping(Operation* op) {
  return isa<ir::ReshapeOp, ir::FlattenOp, ir::SqueezeOp, ir::UnsqueezeOp>(op);
}

static DescribedList describeElementwise(Operation* op) {
  return llvm::TypeSwitch<Operation*, DescribedList>(op)
      .Case<ir::LeakyReluOp, ir::EluOp>(
          [&](auto unary) { return scalars(op, unary.getAlpha().convertToDouble()); })
      .Case([&](ir::HardSigmoidOp unary) {
        return scalars(op, unary.getAlpha().convertToDouble(), unary.getBeta().convertToDouble());
      })
      .Case([&](ir::GeluOp gelu) {
        return plain(op,
                     gelu.getApproximate() == ir::GeluApproximation::Tanh ? "gelu_tanh" : "gelu");
      })
      .Case(describeClip)
      .Case(describePow)
      .Case<ir::AddOp, ir::SubOp, ir::MulOp, ir::DivOp, ir::PreluOp, ir::MatmulOp>(
          [&](auto) { return plain(op); })
      .Case<ir::MinOp, ir::MaxOp>([&](auto) -> DescribedList {
        if (op->getNumOperands() != 2) return invalidInput("it has other than two operands");
        return plain(op);
      })
      .Default([&](Operation*) -> DescribedList {
        if (isPlainUnary(op)) return plain(op);
        if (isReshaping(op)) return std::vector{named(op, {op->getOperand(0)})};
        if (isa<ir::ReduceSumOp, ir::ReduceMeanOp, ir::ReduceMaxOp, ir::ReduceMinOp,
                ir::ReduceProdOp, ir::ReduceL1Op, ir::ReduceL2Op>(op))
          return describeReduction(op);
        return invalidInput("no region graph has this operator");
      });
}

static DescribedList describeAny(Operation* op) {
  return llvm::TypeSwitch<Operation*, DescribedList>(op)
      .Case(describeConv)
      .Case(describeConvTranspose)
      .Case<ir::MaxPoolOp, ir::AveragePoolOp>([](auto pool) { return describePool(pool); })
      .Case(describeResize)
      .Case(describeSlice)
      .Case(describeSplit)
      .Case(describeGemm)
      .Case(describeTranspose)
      .Case(describeLrn)
      .Case(describeLayerNorm)
      .Case(describeComposite)
      .Case([&](ir::RelayoutOp) { return plain(op); })
      .Case<ir::LstmOp, ir::GruOp>([](auto layer) { return describeRecurrent(layer); })
      .Case([&](ir::BatchNormOp batch) {
        return norm(named(op, SmallVector<Value>(op->getOperands())), 1,
                    batch.getEpsilon().convertToDouble());
      })
      .Case([&](ir::ConcatOp concat) {
        return axes(op, SmallVector<Value>(op->getOperands()), {concat.getAxisNormalized()});
      })
      .Case<ir::SoftmaxOp, ir::LogSoftmaxOp>(
          [&](auto soft) { return axes(op, {op->getOperand(0)}, {soft.getAxisNormalized()}); })
      .Default(describeElementwise);
}

DescribedList describe(Operation* op) {
  for (const auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())}) {
    for (const Type type : types) {
      const auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor) return invalidInput("it has a value that is no tensor");
      if (std::string why = ir::whyOpen(tensor); !why.empty()) return invalidInput(std::move(why));
    }
  }
  return describeAny(op);
}

bool isDecoded(OpOperand& operand) {
  Operation* op = operand.getOwner();
  if (isa<ir::ClipOp, ir::SliceOp, ir::ResizeOp, ir::PowOp>(op) || isReshaping(op) ||
      isa<ir::SplitOp>(op) || isa<ir::ReductionOpInterface>(op))
    return operand.getOperandNumber() > 0;
  return false;
}

}  // namespace tessera::region_graph
