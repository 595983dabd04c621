#include "backends/native/compiler/contraction/attention_region.h"

#include "backends/native/compiler/contraction/tail.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/lowering/contraction/attention.h"
#include "compiler/lowering/kernel_function.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::backend_native {

using namespace mlir;
using lowering::StridedMatrices;

Block* attentionBody(func::FuncOp region) {
  Block& body = region.getBody().front();
  ir::CompositeOp composite;
  bool hasSoftmax = false;
  for (Operation& op : body.without_terminator()) {
    if (auto found = dyn_cast<ir::CompositeOp>(op); found && found.getName() == kAttentionComposite)
      composite = found;
    hasSoftmax |= isa<ir::SoftmaxOp>(op);
  }
  if (composite) return &composite.getBody().front();
  return hasSoftmax && findProduct(region) ? &body : nullptr;
}

namespace {

/// Builds one kernel.
class AttentionRegionEmitter {
 public:
  AttentionRegionEmitter(func::FuncOp region, const AttentionPlan& plan,
                         const lowering::CpuTarget& cpu)
      : region_(region), plan_(plan), cpu_(cpu), tail_(plan.scores) {}

  void run(ModuleOp kernels, StringRef name);

 private:
  static MemRefType bufferType(Type type);
  Value outerOf(Value value) const;
  void requireSizes(KernelBuilder& b);
  StridedMatrices matricesOf(KernelBuilder& b, const StridedView& view, Value buffer) const;

  func::FuncOp region_;
  const AttentionPlan& plan_;
  const lowering::CpuTarget& cpu_;
  ContractionTail tail_;
  Values scoreSizes_;
};

}  // namespace

MemRefType AttentionRegionEmitter::bufferType(Type type) {
  const RankedTensorType tensor = kernelType(cast<RankedTensorType>(type));
  const Type element = tensor.getElementType();
  const bool isCondition = element.isInteger(1);  // A byte in memory.
  return MemRefType::get(tensor.getShape(),
                         isCondition ? IntegerType::get(type.getContext(), 8) : element);
}

/// The region's argument that an argument of the composite's body is.
Value AttentionRegionEmitter::outerOf(Value value) const {
  auto argument = cast<BlockArgument>(value);
  auto composite = dyn_cast<ir::CompositeOp>(argument.getOwner()->getParentOp());
  return composite ? composite.getInputs()[argument.getArgNumber()] : value;
}

StridedMatrices AttentionRegionEmitter::matricesOf(KernelBuilder& b, const StridedView& view,
                                                   Value buffer) const {
  const auto strideOf = [&](const ViewDim& dim) {
    Value stride = b.index(dim.factor);
    for (const int64_t open : dim.openDims)
      stride = b.mul(stride, b.create<memref::DimOp>(buffer, open));
    return stride;
  };
  const size_t rank = view.dims.size(), numBatch = scoreSizes_.size() - 2;
  StridedMatrices matrices{.memory = lowering::flattenMemRef(b, b.getLoc(), buffer),
                           .offset = b.index(view.offset),
                           .batchStrides = SmallVector<Value>(numBatch, b.index(0)),
                           .rowStride = strideOf(view.dims[rank - 2]),
                           .columnStride = strideOf(view.dims[rank - 1])};
  for (size_t d = 0; d + 2 < rank; ++d) {
    if (view.dims[d].size != 1)
      matrices.batchStrides[numBatch + 2 - rank + d] = strideOf(view.dims[d]);
  }
  return matrices;
}

void AttentionRegionEmitter::requireSizes(KernelBuilder& b) {
  DenseMap<Operation*, uint32_t> nodes;
  const SmallVector<uint32_t> numbers = backend_api::nodeNumbers(region_);
  for (auto [op, node] : llvm::zip_equal(region_.getBody().front().without_terminator(), numbers)) {
    nodes[&op] = node;
    op.walk([&, node = node](Operation* inner) { nodes[inner] = node; });
  }
  for (const int64_t size : plan_.scoresType().getShape()) scoreSizes_.push_back(b.index(size));
  tail_.prepare(b, scoreSizes_, nodes);
}

void AttentionRegionEmitter::run(ModuleOp kernels, StringRef name) {
  const lowering::KernelSignature signature = {
      .inputs = llvm::map_to_vector(region_.getArgumentTypes(), bufferType),
      .outputs = {bufferType(region_.getResultTypes()[0])}};
  lowering::KernelFunction kernel = lowering::createKernelFunction(kernels, name, signature);
  OpBuilder start = kernel.bodyBuilder();
  KernelBuilder b(start.getUnknownLoc(), start.getInsertionBlock());
  b.restoreInsertionPoint(start.saveInsertionPoint());
  const auto bufferOf = [&](Value value) {
    return kernel.inputs[cast<BlockArgument>(outerOf(value)).getArgNumber()];
  };
  for (const auto& [value, access] : plan_.scores.accesses) {
    if (access != TailAccess::kConstant) tail_.setBuffer(value, bufferOf(value));
  }
  requireSizes(b);
  const ArrayRef<int64_t> sizes = plan_.scoresType().getShape();
  const lowering::AttentionShape shape = {.queries = sizes[sizes.size() - 2],
                                          .keys = sizes.back(),
                                          .depth = plan_.q.dims.back().size,
                                          .columns = plan_.output.dims.back().size};
  StridedMatrices k = matricesOf(b, plan_.k, bufferOf(plan_.k.source));
  lowering::AttentionOperands operands = {
      .q = matricesOf(b, plan_.q, bufferOf(plan_.q.source)),
      .k = k.transposed(),
      .v = matricesOf(b, plan_.v, bufferOf(plan_.v.source)),
      .output = matricesOf(b, plan_.output, kernel.outputs[0]),
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
  lowering::emitAttention(b, b.getLoc(), shape, operands, cpu_, scores);
}

void emitAttentionRegion(func::FuncOp region, const AttentionPlan& plan, ModuleOp kernels,
                         StringRef name, const lowering::CpuTarget& cpu) {
  AttentionRegionEmitter(region, plan, cpu).run(kernels, name);
}

}  // namespace tessera::backend_native
