#include "backends/native/compiler/contraction/attention_region.h"

#include "backends/native/compiler/contraction/chain_emitter.h"
#include "backends/native/compiler/contraction/schedule.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::StridedMatrices;

/// A saved module may have been edited.
static bool isAlone(ir::CompositeOp composite, Block& body) {
  const auto isGiven = [](Value value) {
    return isa<BlockArgument>(value) || value.getDefiningOp<ir::ConstantOp>();
  };
  return llvm::all_of(body.without_terminator(),
                      [&](Operation& op) {
                        return &op == composite.getOperation() || isa<ir::ConstantOp>(op);
                      }) &&
         llvm::all_of(composite.getInputs(), isGiven) &&
         llvm::equal(body.getTerminator()->getOperands(), composite.getResults());
}

Block* attentionBody(func::FuncOp region) {
  Block& body = region.getBody().front();
  ir::CompositeOp composite;
  bool hasSoftmax = false;
  for (Operation& op : body.without_terminator()) {
    if (auto found = dyn_cast<ir::CompositeOp>(op); found && found.getName() == kAttentionComposite)
      composite = found;
    hasSoftmax |= isa<ir::SoftmaxOp>(op);
  }
  if (composite) return isAlone(composite, body) ? &composite.getBody().front() : nullptr;
  return hasSoftmax && findProduct(region) ? &body : nullptr;
}

lowering::AttentionShape attentionShape(const AttentionPlan& plan) {
  const auto open = [](ArrayRef<int64_t> sizes) {
    return llvm::is_contained(sizes, ShapedType::kDynamic) ? ShapedType::kDynamic : sizes[0];
  };
  const ArrayRef<int64_t> scores = plan.scoresType().getShape();
  const auto rowsOf = [](const StridedView& view) { return view.dims[view.dims.size() - 2].size; };
  return {.queries = open({scores[scores.size() - 2], rowsOf(plan.q)}),
          .keys = open({scores.back(), plan.k.dims.back().size, rowsOf(plan.v)}),
          .depth = plan.q.dims.back().size,
          .columns = plan.output.dims.back().size};
}

namespace {

/// Builds one kernel.
class AttentionRegionEmitter {
 public:
  AttentionRegionEmitter(func::FuncOp region, const AttentionPlan& plan,
                         const lowering::CpuTarget& cpu)
      : region_(region),
        plan_(plan),
        cpu_(cpu),
        shape_(attentionShape(plan)),
        tail_(plan.scores.tail, plan.scores.anchor) {}

  void run(ModuleOp kernels, StringRef name);

 private:
  static MemRefType bufferType(Type type);
  Value bufferOf(Value value) const;
  Value tailBuffer(KernelBuilder& b, Value value) const;
  Value outputBuffer(KernelBuilder& b, lowering::KernelFunction& kernel, MemRefType type) const;
  void requireSizes(KernelBuilder& b);
  StridedMatrices matricesOf(KernelBuilder& b, const StridedView& view, Value buffer) const;

  func::FuncOp region_;
  const AttentionPlan& plan_;
  const lowering::CpuTarget& cpu_;
  lowering::AttentionShape shape_;
  ChainEmitter tail_;
  SmallVector<Value> inputs_;
  Values scoreSizes_;  ///< Of [batch..., queries, keys].
};

}  // namespace

MemRefType AttentionRegionEmitter::bufferType(Type type) {
  const RankedTensorType tensor = kernelType(cast<RankedTensorType>(type));
  const Type element = tensor.getElementType();
  const bool isCondition = element.isInteger(1);  // A byte in memory.
  return MemRefType::get(tensor.getShape(),
                         isCondition ? IntegerType::get(type.getContext(), 8) : element);
}

/// The memory of an argument, of the region or of the composite's body.
Value AttentionRegionEmitter::bufferOf(Value value) const {
  auto argument = cast<BlockArgument>(value);
  if (auto composite = dyn_cast<ir::CompositeOp>(argument.getOwner()->getParentOp()))
    argument = cast<BlockArgument>(composite.getInputs()[argument.getArgNumber()]);
  return inputs_[argument.getArgNumber()];
}

/// The memory of what the tail reads, in the shape in which it does.
Value AttentionRegionEmitter::tailBuffer(KernelBuilder& b, Value value) const {
  const Value buffer = bufferOf(value);
  const MemRefType type = bufferType(plan_.scores.tail.typeOf(value));
  if (type == buffer.getType()) return buffer;
  // Open dimensions stay as they are.
  Values openSizes;
  for (auto [d, size] : llvm::enumerate(typeOf(value).getShape()))
    if (ShapedType::isDynamic(size))
      openSizes.push_back(b.create<memref::DimOp>(buffer, static_cast<int64_t>(d)));
  return lowering::buildReshapedView(b, b.getLoc(), buffer, type, openSizes);
}

/// The size of a dimension of a view of what lies in `buffer`.
static Value sizeOf(KernelBuilder& b, const ViewDim& dim, Value buffer) {
  if (!ShapedType::isDynamic(dim.size)) return b.index(dim.size);
  return b.create<memref::DimOp>(buffer, dim.openSize);
}

StridedMatrices AttentionRegionEmitter::matricesOf(KernelBuilder& b, const StridedView& view,
                                                   Value buffer) const {
  const auto strideOf = [&](const ViewDim& dim) {
    Value stride = b.index(dim.factor);
    for (const int64_t open : dim.openDims)
      stride = b.mul(stride, b.create<memref::DimOp>(buffer, open));
    return stride;
  };
  // One entry that is broadcast to many is read again for each of them.
  const auto broadcastStrideOf = [&](const ViewDim& dim) {
    if (dim.size == 1) return b.index(0);
    const Value stride = strideOf(dim);
    if (!ShapedType::isDynamic(dim.size)) return stride;
    return b.select(b.equal(sizeOf(b, dim, buffer), 1), b.index(0), stride);
  };
  const size_t rank = view.dims.size(), numBatch = scoreSizes_.size() - 2;
  const ViewDim &rows = view.dims[rank - 2], &columns = view.dims[rank - 1];
  StridedMatrices matrices{.memory = lowering::flattenMemRef(b, b.getLoc(), buffer),
                           .offset = b.index(view.offset),
                           .batchStrides = SmallVector<Value>(numBatch, b.index(0)),
                           .rowStride = strideOf(rows),
                           .columnStride = strideOf(columns)};
  if (&view == &plan_.q && ShapedType::isDynamic(shape_.queries))
    matrices.rowStride = broadcastStrideOf(rows);
  for (size_t d = 0; d + 2 < rank; ++d)
    matrices.batchStrides[numBatch + 2 - rank + d] = broadcastStrideOf(view.dims[d]);
  return matrices;
}

/// What operands are broadcast to is the size of the first that is not 1; all others must have it,
/// or 1.
void AttentionRegionEmitter::requireSizes(KernelBuilder& b) {
  DenseMap<Operation*, uint32_t> nodes;
  const SmallVector<uint32_t> numbers = backend_api::nodeNumbers(region_);
  for (auto [op, node] : llvm::zip_equal(region_.getBody().front().without_terminator(), numbers)) {
    nodes[&op] = node;
    op.walk([&, node = node](Operation* inner) { nodes[inner] = node; });
  }
  const auto rank = static_cast<size_t>(plan_.scoresType().getRank());
  std::vector<Values> sizes(rank);
  const auto add = [&](size_t place, Value size) { sizes[place].push_back(size); };
  const auto addBatch = [&](const StridedView& view) {
    for (size_t d = 0; d + 2 < view.dims.size(); ++d)
      add(rank - view.dims.size() + d, sizeOf(b, view.dims[d], bufferOf(view.source)));
  };
  for (const StridedView& view : {plan_.q, plan_.k, plan_.v}) addBatch(view);
  add(rank - 2, sizeOf(b, plan_.q.dims[plan_.q.dims.size() - 2], bufferOf(plan_.q.source)));
  add(rank - 1, sizeOf(b, plan_.k.dims.back(), bufferOf(plan_.k.source)));
  for (const auto& [value, access] : plan_.scores.tail.accesses) {
    if (access == TailAccess::kConstant) continue;
    const RankedTensorType type = plan_.scores.tail.typeOf(value);
    for (auto [d, size] : llvm::enumerate(bufferSizes(b, type, tail_.bufferOf(value))))
      add(rank - type.getRank() + d, size);
  }
  b.setNode(nodes.at(plan_.scores.anchor));
  for (auto [d, declared] : llvm::enumerate(plan_.scoresType().getShape())) {
    Value size = ShapedType::isDynamic(declared) ? b.index(1) : b.index(declared);
    for (const Value operand : sizes[d]) {
      if (ShapedType::isDynamic(declared)) size = b.select(b.equal(size, 1), operand, size);
    }
    scoreSizes_.push_back(size);
    for (const Value operand : sizes[d])
      b.requireOneOr(operand, size, "dimension " + Twine(d) + " of an operand of attention");
  }
  const Value keys = scoreSizes_.back();
  b.requireEqual(sizes.back().front(), keys, "the number of keys");
  b.setNode(nodes.at(plan_.product));
  b.requireEqual(sizeOf(b, plan_.v.dims[plan_.v.dims.size() - 2], bufferOf(plan_.v.source)), keys,
                 "the number of values");
  tail_.prepare(b, scoreSizes_, nodes);
}

/// The memory of the result, whose open sizes are those of scores.
Value AttentionRegionEmitter::outputBuffer(KernelBuilder& b, lowering::KernelFunction& kernel,
                                           MemRefType type) const {
  if (kernel.outputs[0]) return kernel.outputs[0];
  Values sizes(type.getRank());
  for (auto [d, dim] : llvm::enumerate(plan_.output.dims)) {
    if (dim.openSize >= 0) sizes[dim.openSize] = scoreSizes_[d];
  }
  llvm::erase_if(sizes, [](Value size) { return !size; });
  return lowering::buildAllocOutput(b, b.getLoc(), kernel.function, 0, type, sizes);
}

void AttentionRegionEmitter::run(ModuleOp kernels, StringRef name) {
  const lowering::KernelSignature signature = {
      .inputs = llvm::map_to_vector(region_.getArgumentTypes(), bufferType),
      .outputs = {bufferType(region_.getResultTypes()[0])}};
  lowering::KernelFunction kernel = lowering::createKernelFunction(kernels, name, signature);
  inputs_ = kernel.inputs;
  OpBuilder start = kernel.bodyBuilder();
  KernelBuilder b(start.getUnknownLoc(), start.getInsertionBlock());
  b.restoreInsertionPoint(start.saveInsertionPoint());
  for (const auto& [value, access] : plan_.scores.tail.accesses) {
    if (access != TailAccess::kConstant) tail_.setBuffer(value, tailBuffer(b, value));
  }
  requireSizes(b);
  const Value output = outputBuffer(b, kernel, signature.outputs[0]);
  const lowering::AttentionOperands operands = {
      .q = matricesOf(b, plan_.q, bufferOf(plan_.q.source)),
      .k = matricesOf(b, plan_.k, bufferOf(plan_.k.source)).transposed(),
      .v = matricesOf(b, plan_.v, bufferOf(plan_.v.source)),
      .output = matricesOf(b, plan_.output, output),
      .batchSizes = SmallVector<Value>(ArrayRef(scoreSizes_).drop_back(2)),
      .queries = scoreSizes_[scoreSizes_.size() - 2],
      .keys = scoreSizes_.back()};
  const lowering::Epilogue scores(
      [&](const lowering::EpilogueContext& context) {
        lowering::EpilogueContext scaled = context;
        if (plan_.scale != 1) {
          KernelBuilder at(context.loc, context.b.getInsertionBlock());
          at.restoreInsertionPoint(context.b.saveInsertionPoint());
          scaled.accumulator = at.element(context.accumulator) * plan_.scale;
        }
        return tail_.emit(scaled);
      },
      tail_.isLong());
  const Schedule schedule = scheduleOf(region_);
  lowering::emitAttention(b, b.getLoc(), shape_, operands, cpu_, scores, schedule.tuning);
}

void emitAttentionRegion(func::FuncOp region, const AttentionPlan& plan, ModuleOp kernels,
                         StringRef name, const lowering::CpuTarget& cpu) {
  AttentionRegionEmitter(region, plan, cpu).run(kernels, name);
}

}  // namespace tessera::backend_native
