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

namespace {
/// Places of the steps and of the batch among the dimensions of a value: x, a state or y.
struct SequenceDims {
  Value value;
  std::optional<unsigned> steps, batch;
};
}  // namespace

static SmallVector<SequenceDims> sequenceDims(const RecurrentValues& values, bool isBatchFirst) {
  const unsigned first = 0, second = 1;
  const SequenceDims state{
      .value = {}, .steps = std::nullopt, .batch = isBatchFirst ? first : second};
  SmallVector<SequenceDims> all = {
      {.value = values.x, .steps = isBatchFirst ? second : first, .batch = state.batch},
      {.value = values.y,
       .steps = isBatchFirst ? second : first,
       .batch = isBatchFirst ? first : 2U},
      {.value = values.lengths, .steps = std::nullopt, .batch = first}};
  for (const Value value : {values.initialH, values.initialC, values.lastH, values.lastC}) {
    all.push_back(state);
    all.back().value = value;
  }
  llvm::erase_if(all, [](const SequenceDims& dims) { return !dims.value; });
  return all;
}

/// As any of the values says; the others are required to agree.
static int64_t knownSize(ArrayRef<SequenceDims> all,
                         std::optional<unsigned> SequenceDims::* dimension) {
  for (const SequenceDims& dims : all) {
    if (!(dims.*dimension)) continue;
    const RankedTensorType type = typeOf(dims.value);
    if (!type.isDynamicDim(*(dims.*dimension))) return type.getDimSize(*(dims.*dimension));
  }
  return ShapedType::kDynamic;
}

static RecurrentShape shapeOf(Operation* layer, const RecurrentValues& values) {
  const auto attributes = *ir::spec::recurrentAttributes(cast<ir::RecurrentOpInterface>(layer));
  const ArrayRef<int64_t> x = typeOf(values.x).getShape(), r = typeOf(values.r).getShape();
  const auto all = sequenceDims(values, attributes.isBatchFirst);
  RecurrentShape shape{.cell = isa<ir::LstmOp>(layer)  ? RecurrentCell::kLstm
                               : isa<ir::GruOp>(layer) ? RecurrentCell::kGru
                                                       : RecurrentCell::kRnn,
                       .directions = attributes.numDirections,
                       .steps = knownSize(all, &SequenceDims::steps),
                       .batch = knownSize(all, &SequenceDims::batch),
                       .inputs = x[2],
                       .hidden = r[2],
                       .isReversed = attributes.isReversed,
                       .isBatchFirst = attributes.isBatchFirst};
  if (auto gru = dyn_cast<ir::GruOp>(layer)) shape.resetsLate = gru.getLinearBeforeReset() != 0;
  if (auto lstm = dyn_cast<ir::LstmOp>(layer)) shape.couplesForget = lstm.getInputForget() != 0;
  return shape;
}

/// Whether sizes of an operand are known but for steps and batch, and no known one is 0.
static bool hasKnownSizes(RankedTensorType type, const SequenceDims* dims) {
  for (unsigned d = 0; d < type.getRank(); ++d) {
    const bool mayBeOpen = dims && (dims->steps == d || dims->batch == d);
    if (type.getDimSize(d) == 0 || (type.isDynamicDim(d) && !mayBeOpen)) return false;
  }
  return true;
}

OrDeclined<RecurrentPlan> planRecurrent(func::FuncOp function, Operation* layer) {
  const std::string name = layer->getName().stripDialect().str();
  Block& body = function.getBody().front();
  if (!llvm::hasSingleElement(body.without_terminator()))
    return Declined{name + " is not alone in its region"};
  const RecurrentValues values = recurrentValues(layer);
  const auto attributes = *ir::spec::recurrentAttributes(cast<ir::RecurrentOpInterface>(layer));
  const auto all = sequenceDims(values, attributes.isBatchFirst);
  const auto dimsOf = [&](Value value) {
    return llvm::find_if(all, [&](const SequenceDims& dims) { return dims.value == value; });
  };
  for (const Value operand : layer->getOperands()) {
    const RankedTensorType type = typeOf(operand);
    if ((operand != values.lengths && !type.getElementType().isF32()) || !ir::isPlain(type))
      return Declined{"an operand of " + name + " is not row-major f32"};
    const auto* dims = dimsOf(operand);
    if (!hasKnownSizes(type, dims == all.end() ? nullptr : dims))
      return Declined{name + " has no elements, or units known at run time only"};
  }
  // These are put in another order first; states may be one value, zeros say.
  for (const Value packed : {values.w, values.r, values.bias})
    if (packed && llvm::count(layer->getOperands(), packed) > 1)
      return Declined{"packed weights of " + name + " are another operand, too"};
  DenseSet<Value> returned;
  for (const Value result : body.getTerminator()->getOperands()) {
    if (result.getDefiningOp() != layer || !returned.insert(result).second)
      return Declined{"the region returns more than results of " + name};
    if (!hasKnownSizes(typeOf(result), dimsOf(result)))
      return Declined{name + " has results of sizes known at run time only"};
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
  void allocateOutputs(OpBuilder& b, lowering::KernelFunction& kernel) const;
  void requireSizes(OpBuilder& start, const lowering::KernelFunction& kernel) const;
  Value requireLengths(OpBuilder& builder, ModuleOp kernels, Value lengths, Value x);
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

/// Results of open sizes have the steps and the batch of x.
void LayerEmitter::allocateOutputs(OpBuilder& b, lowering::KernelFunction& kernel) const {
  const auto all = sequenceDims(values_, attributes_.isBatchFirst);
  const Location loc = b.getUnknownLoc();
  const Value x = kernel.inputs[numberOf(values_.x)];
  func::FuncOp region = plan_.function;
  for (auto [i, value] : llvm::enumerate(region.getBody().front().getTerminator()->getOperands())) {
    const auto type = signature().outputs[i];
    const auto* dims =
        llvm::find_if(all, [&](const SequenceDims& dims) { return dims.value == value; });
    SmallVector<Value> sizes;
    for (unsigned d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d)) continue;
      const unsigned from = dims->steps == d ? *all.front().steps : *all.front().batch;
      sizes.push_back(b.create<memref::DimOp>(loc, x, from));
    }
    if (sizes.empty()) continue;
    const auto index = static_cast<unsigned>(i);
    kernel.outputs[i] = lowering::buildAllocOutput(b, loc, kernel.function, index, type, sizes);
  }
}

/// All operands and results have the steps and the batch that one of them is known to have, or x.
void LayerEmitter::requireSizes(OpBuilder& start, const lowering::KernelFunction& kernel) const {
  KernelBuilder b(start.getUnknownLoc(), start.getInsertionBlock());
  b.restoreInsertionPoint(start.saveInsertionPoint());
  b.setNode(backend_api::nodeNumbers(plan_.function).front());
  const auto all = sequenceDims(values_, attributes_.isBatchFirst);
  const auto sizeOf = [&](Value value, unsigned d) -> Value {
    const RankedTensorType type = typeOf(value);
    if (!type.isDynamicDim(d)) return b.index(type.getDimSize(d));
    return b.create<memref::DimOp>(kernel.inputs[numberOf(value)], d);
  };
  const auto require = [&](std::optional<unsigned> SequenceDims::* dimension, int64_t known,
                           const char* what) {
    const Value expected = ShapedType::isDynamic(known)
                               ? sizeOf(values_.x, *(all.front().*dimension))
                               : b.index(known);
    for (const SequenceDims& dims : all) {
      const auto d = dims.*dimension;
      if (!d) continue;
      // A result of an open size has that of x.
      const bool isOpenResult = dims.value.getDefiningOp() && typeOf(dims.value).isDynamicDim(*d);
      if (!isOpenResult) b.requireEqual(sizeOf(dims.value, *d), expected, what);
    }
  };
  require(&SequenceDims::steps, shape_.steps, "the number of steps");
  require(&SequenceDims::batch, shape_.batch, "the batch");
  start.restoreInsertionPoint(b.saveInsertionPoint());
}

/// That sequences end where there are steps; gives the greatest length.
Value LayerEmitter::requireLengths(OpBuilder& builder, ModuleOp kernels, Value lengths, Value x) {
  const Location loc = builder.getUnknownLoc();
  lowering::IndexBuilder b(loc, builder);
  const Value none = b.index(0);
  const Value all = b.createOrFold<memref::DimOp>(x, attributes_.isBatchFirst ? 1 : 0);
  const auto range =
      lowering::emitLoop(b, none, b.createOrFold<memref::DimOp>(lengths, 0), 1, {none, none},
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
  requireSizes(b, kernel);
  allocateOutputs(b, kernel);
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
  if (operands.lengths) operands.longest = requireLengths(b, kernels, operands.lengths, operands.x);
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
