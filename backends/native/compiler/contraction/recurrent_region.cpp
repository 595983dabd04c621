#include "backends/native/compiler/contraction/recurrent_region.h"

#include "backends/native/compiler/kernel/recurrent.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/lowering/contraction/epilogue.h"
#include "compiler/lowering/contraction/recurrent/gate_panels.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/preparation.h"
#include "compiler/lowering/requirement.h"

namespace tessera::backend_native {

using namespace mlir;
using backend_api::Declined;
using lowering::RecurrentCell;
using lowering::RecurrentShape;

static RecurrentShape shapeOf(Operation* layer, const RecurrentValues& values) {
  const auto attributes = *ir::spec::recurrentAttributes(cast<ir::RecurrentOpInterface>(layer));
  const ArrayRef<int64_t> x = typeOf(values.x).getShape(), r = typeOf(values.r).getShape();
  RecurrentShape shape{.cell = isa<ir::LstmOp>(layer)  ? RecurrentCell::kLstm
                               : isa<ir::GruOp>(layer) ? RecurrentCell::kGru
                                                       : RecurrentCell::kRnn,
                       .directions = attributes.numDirections,
                       .steps = x[attributes.isBatchFirst ? 1 : 0],
                       .batch = x[attributes.isBatchFirst ? 0 : 1],
                       .inputs = x[2],
                       .hidden = r[2],
                       .isReversed = attributes.isReversed,
                       .isBatchFirst = attributes.isBatchFirst};
  if (auto gru = dyn_cast<ir::GruOp>(layer)) shape.resetsLate = gru.getLinearBeforeReset() != 0;
  if (auto lstm = dyn_cast<ir::LstmOp>(layer)) shape.couplesForget = lstm.getInputForget() != 0;
  return shape;
}

OrDeclined<RecurrentPlan> planRecurrent(func::FuncOp function, Operation* layer) {
  const std::string name = layer->getName().stripDialect().str();
  Block& body = function.getBody().front();
  if (!llvm::hasSingleElement(body.without_terminator()))
    return Declined{name + " is not alone in its region"};
  const RecurrentValues values = recurrentValues(layer);
  for (const Value operand : layer->getOperands()) {
    const RankedTensorType type = typeOf(operand);
    if ((operand != values.lengths && !type.getElementType().isF32()) || !ir::isPlain(type))
      return Declined{"an operand of " + name + " is not row-major f32"};
    if (!type.hasStaticShape() || type.getNumElements() == 0)
      return Declined{name + " has sizes known at run time only, or no elements"};
  }
  // These are put in another order first; states may be one value, zeros say.
  for (const Value packed : {values.w, values.r, values.bias})
    if (packed && llvm::count(layer->getOperands(), packed) > 1)
      return Declined{"packed weights of " + name + " are another operand, too"};
  DenseSet<Value> returned;
  for (const Value result : body.getTerminator()->getOperands()) {
    if (!typeOf(result).hasStaticShape())
      return Declined{name + " has sizes known at run time only"};
    if (result.getDefiningOp() != layer || !returned.insert(result).second)
      return Declined{"the region returns more than results of " + name};
  }
  return RecurrentPlan{.function = function, .layer = layer, .shape = shapeOf(layer, values)};
}

namespace {

/// Builds one kernel.
class LayerEmitter {
 public:
  LayerEmitter(const RecurrentPlan& plan, const lowering::CpuTarget& cpu)
      : plan_(plan),
        shape_(plan.shape),
        values_(recurrentValues(plan.layer)),
        attributes_(*ir::spec::recurrentAttributes(cast<ir::RecurrentOpInterface>(plan.layer))),
        cpu_(cpu) {}

  void run(ModuleOp kernels, StringRef name);

 private:
  static unsigned numberOf(Value operand) { return cast<BlockArgument>(operand).getArgNumber(); }
  lowering::KernelSignature signature() const;
  lowering::KernelSignature preparedSignature() const;
  Value resultBuffer(const lowering::KernelFunction& kernel, Value value) const;
  Value requireLengths(OpBuilder& builder, ModuleOp kernels, Value lengths);
  void emitPreparations(ModuleOp kernels, StringRef name);
  void prepare(ModuleOp kernels, StringRef name, Value operand,
               function_ref<void(OpBuilder&, Value source, Value target)> emit);

  const RecurrentPlan& plan_;
  const RecurrentShape& shape_;
  RecurrentValues values_;
  ir::spec::RecurrentAttributes attributes_;
  const lowering::CpuTarget& cpu_;
};

}  // namespace

/// Of the region.
lowering::KernelSignature LayerEmitter::signature() const {
  const auto bufferType = [](Type type) {
    const RankedTensorType tensor = kernelType(cast<RankedTensorType>(type));
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  };
  func::FuncOp region = plan_.function;
  return {.inputs = llvm::map_to_vector(region.getArgumentTypes(), bufferType),
          .outputs = llvm::map_to_vector(region.getResultTypes(), bufferType)};
}

/// Of the kernel, which reads weights and bias in blocks.
lowering::KernelSignature LayerEmitter::preparedSignature() const {
  lowering::KernelSignature prepared = signature();
  const auto setSize = [&](Value operand, int64_t size) {
    if (!operand) return;
    MemRefType& type = prepared.inputs[numberOf(operand)];
    type = MemRefType::get({size}, type.getElementType());
  };
  const int64_t lanes = cpu_.vectorLanes;
  setSize(values_.w, lowering::gatePanelsSize(shape_, shape_.inputs, lanes));
  setSize(values_.r, lowering::gatePanelsSize(shape_, shape_.hidden, lanes));
  setSize(values_.bias, lowering::gateBiasSize(shape_, lanes));
  return prepared;
}

/// Null where the region does not return it.
Value LayerEmitter::resultBuffer(const lowering::KernelFunction& kernel, Value value) const {
  func::FuncOp region = plan_.function;
  for (auto [returned, buffer] :
       llvm::zip_equal(region.getBody().front().getTerminator()->getOperands(), kernel.outputs)) {
    if (value && returned == value) return buffer;
  }
  return {};
}

void LayerEmitter::prepare(ModuleOp kernels, StringRef name, Value operand,
                           function_ref<void(OpBuilder&, Value, Value)> emit) {
  if (!operand) return;
  const unsigned number = numberOf(operand);
  lowering::createPreparation(
      kernels, name, number, signature().inputs[number], preparedSignature().inputs[number],
      [&](OpBuilder& b, Value source, Value target) {
        emit(b, lowering::flattenMemRef(b, b.getUnknownLoc(), source), target);
      });
}

void LayerEmitter::emitPreparations(ModuleOp kernels, StringRef name) {
  const int64_t lanes = cpu_.vectorLanes;
  const auto panelsOf = [&](Value weights, int64_t rowSize) {
    prepare(kernels, name, weights, [&](OpBuilder& b, Value source, Value target) {
      lowering::emitGatePanels(b, b.getUnknownLoc(), shape_, rowSize, source, target, lanes);
    });
  };
  panelsOf(values_.w, shape_.inputs);
  panelsOf(values_.r, shape_.hidden);
  prepare(kernels, name, values_.bias, [&](OpBuilder& b, Value source, Value target) {
    lowering::emitGateBias(b, b.getUnknownLoc(), shape_, source, target, lanes);
  });
}

/// That sequences end where there are steps; gives the greatest length.
Value LayerEmitter::requireLengths(OpBuilder& builder, ModuleOp kernels, Value lengths) {
  const Location loc = builder.getUnknownLoc();
  lowering::IndexBuilder b(loc, builder);
  const Value none = b.index(0), all = b.index(shape_.steps);
  const auto range =
      lowering::emitLoop(b, none, b.index(shape_.batch), 1, {none, none},
                         [&](lowering::Index at, ValueRange range) -> SmallVector<Value> {
                           const Value length = b.createOrFold<arith::IndexCastOp>(
                               b.getIndexType(), b.create<memref::LoadOp>(lengths, Value(at)));
                           return {b.smaller(range[0], length), b.larger(range[1], length)};
                         });
  const uint32_t node = backend_api::nodeNumbers(plan_.function).front();
  lowering::buildRequirement(
      b, loc, kernels, b.lessOrEqual(none, range[0]), range[0], none,
      {.text = "a sequence length is {0}, expected at least {1}", .node = node});
  lowering::buildRequirement(
      b, loc, kernels, b.lessOrEqual(range[1], all), range[1], all,
      {.text = "a sequence length is {0}, expected at most {1}", .node = node});
  return range[1];
}

void LayerEmitter::run(ModuleOp kernels, StringRef name) {
  lowering::KernelFunction kernel =
      lowering::createKernelFunction(kernels, name, preparedSignature());
  OpBuilder b = kernel.bodyBuilder();
  const auto bufferOf = [&](Value operand) {
    return operand ? kernel.inputs[numberOf(operand)] : Value();
  };
  lowering::RecurrentOperands operands = {.x = bufferOf(values_.x),
                                          .w = bufferOf(values_.w),
                                          .r = bufferOf(values_.r),
                                          .bias = bufferOf(values_.bias),
                                          .lengths = bufferOf(values_.lengths),
                                          .longest = {},
                                          .initialH = bufferOf(values_.initialH),
                                          .initialC = bufferOf(values_.initialC),
                                          .peepholes = bufferOf(values_.peepholes),
                                          .y = resultBuffer(kernel, values_.y),
                                          .lastH = resultBuffer(kernel, values_.lastH),
                                          .lastC = resultBuffer(kernel, values_.lastC)};
  if (operands.lengths) operands.longest = requireLengths(b, kernels, operands.lengths);
  const auto activate = [&](int64_t direction, size_t which, const Element& argument) {
    const auto calls = attributes_.activationsOf(static_cast<size_t>(direction));
    const Direction part{.hidden = shape_.hidden,
                         .clip = attributes_.clip,
                         .activations = SmallVector<ir::spec::ActivationCall>(calls)};
    return part.activate(which, argument);
  };
  lowering::emitRecurrent(b, b.getUnknownLoc(), shape_, operands, cpu_, activate);
  emitPreparations(kernels, name);
}

void emitRecurrentLayer(const RecurrentPlan& plan, ModuleOp kernels, StringRef name,
                        const lowering::CpuTarget& cpu) {
  LayerEmitter(plan, cpu).run(kernels, name);
}

}  // namespace tessera::backend_native
