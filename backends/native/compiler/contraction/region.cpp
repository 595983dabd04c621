#include "backends/native/compiler/contraction/region.h"

#include "backends/native/compiler/contraction/chain_emitter.h"
#include "backends/native/compiler/contraction/channel_moves.h"
#include "backends/native/compiler/contraction/open_product.h"
#include "backends/native/compiler/contraction/open_window.h"
#include "backends/native/compiler/kernel/broadcast.h"
#include "compiler/backend_api/region_nodes.h"
#include "compiler/lowering/kernel_function.h"
#include "compiler/lowering/preparation.h"
#include "compiler/support/check.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tessera::backend_native {

using namespace mlir;

namespace {

/// Builds one kernel.
class ContractionEmitter {
 public:
  ContractionEmitter(const RegionPlan& plan, const lowering::CpuTarget& cpu)
      : region_(plan.region),
        plan_(plan.contraction),
        product_(std::get_if<ProductPlan>(&plan_.kernel)),
        tuning_(plan.tuning),
        cpu_(cpu),
        head_(region_.head),
        tail_(region_, plan_) {}

  void run(ModuleOp kernels, StringRef name);

 private:
  Value operand(unsigned number) const { return region_.anchor->getOperand(number); }
  MemRefType bufferType(Value value) const;
  const ConvPlan* preparedConv() const;
  void emitPreparation(ModuleOp kernels, StringRef name);
  Value allocateOutput(OpBuilder& b, func::FuncOp kernel, MemRefType type);
  void numberNodes();
  KernelBuilder requiringBuilder(lowering::KernelFunction& kernel);
  void readOpenSizes(lowering::KernelFunction& kernel);
  void requireSizes(lowering::KernelFunction& kernel);
  void requireProductSizes(KernelBuilder& b);
  void requireUnreadBias(KernelBuilder& b);
  void requireImages(KernelBuilder& b);
  void emitKernel(OpBuilder& b);

  const ContractionRegion& region_;
  const ContractionPlan& plan_;
  const ProductPlan* product_;  ///< Of the plan; null for all but products.
  const lowering::ContractionTuning& tuning_;
  const lowering::CpuTarget& cpu_;
  ChainEmitter head_, tail_;
  llvm::DenseMap<Operation*, uint32_t> nodes_;
  std::optional<lowering::OpenConvShape> openConv_;
  SmallVector<lowering::OpenAxis> openPool_;
  std::optional<OpenProduct> openProduct_;
  Value output_;
};

}  // namespace

/// The shapes that the emitter expects: leading dimensions that are one row dimension joined, batch
/// dimensions of both operands of a product aligned. Conditions are bytes.
MemRefType ContractionEmitter::bufferType(Value value) const {
  const RankedTensorType type = kernelType(cast<RankedTensorType>(value.getType()));
  if (type.getElementType().isInteger(1))
    return MemRefType::get(type.getShape(), IntegerType::get(type.getContext(), 8));
  SmallVector<int64_t> shape(type.getShape());
  if (const ConvPlan* conv = preparedConv(); conv && value == operand(1))
    shape = {conv->isWinograd
                 ? lowering::winogradWeightsSize(conv->shape, cpu_.vectorLanes)
                 : lowering::preparedWeightsSize(conv->shape, conv->kind, cpu_.vectorLanes)};
  if (!product_) return MemRefType::get(shape, type.getElementType());
  const lowering::MatmulShape& product = product_->shape;
  const auto matrices = [](ArrayRef<int64_t> batch, int64_t rows, int64_t columns) {
    SmallVector<int64_t> sizes(batch);
    sizes.append({rows, columns});
    return sizes;
  };
  if (value == operand(product_->a))
    shape = product.transA ? matrices(product.aBatch, product.k, product.m)
                           : matrices(product.aBatch, product.m, product.k);
  else if (value == operand(product_->b) && !product.isBPacked)
    shape = product.transB ? matrices(product.bBatch, product.n, product.k)
                           : matrices(product.bBatch, product.k, product.n);
  else if (value == region_.tail.result && product_->isCollapsed)
    shape = {product.m, product.n};
  return MemRefType::get(shape, type.getElementType());
}

/// A dynamic size of the result is one of A, or a batch size of B; of images the number, the
/// heights and the widths.
Value ContractionEmitter::allocateOutput(OpBuilder& b, func::FuncOp kernel, MemRefType type) {
  if (openProduct_) {
    SmallVector<Value> open;
    for (auto [size, declared] : llvm::zip_equal(openProduct_->sizes, type.getShape()))
      if (ShapedType::isDynamic(declared)) open.push_back(size);
    return lowering::buildAllocOutput(b, b.getUnknownLoc(), kernel, 0, type, open);
  }
  if (!product_ || isa<ir::ConvOp>(region_.anchor)) {
    SmallVector<Value> open;
    if (type.isDynamicDim(0))
      open.push_back(
          b.create<memref::DimOp>(b.getUnknownLoc(), tail_.bufferOf(region_.image()), 0));
    if (type.isDynamicDim(1))
      open.push_back(
          b.create<memref::DimOp>(b.getUnknownLoc(), tail_.bufferOf(region_.image()), 1));
    const ArrayRef<lowering::OpenAxis> axes =
        openConv_ ? ArrayRef<lowering::OpenAxis>(openConv_->axes) : ArrayRef(openPool_);
    for (int64_t d = 2; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d)) continue;
      TESSERA_CHECK(!axes.empty(), "a size of a result is open that no window gives");
      open.push_back(axes[d - 2].out);
    }
    return lowering::buildAllocOutput(b, b.getUnknownLoc(), kernel, 0, type, open);
  }
  const auto alignedDim = [&](Value buffer, int64_t d) {
    return d - (type.getRank() - cast<MemRefType>(buffer.getType()).getRank());
  };
  const Value a = tail_.bufferOf(operand(product_->a));
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) continue;
    const int64_t fromA = alignedDim(a, static_cast<int64_t>(d));
    const bool isOfA = fromA >= 0 && cast<MemRefType>(a.getType()).isDynamicDim(fromA);
    const Value source = isOfA ? a : tail_.bufferOf(operand(product_->b));
    sizes.push_back(b.create<memref::DimOp>(b.getUnknownLoc(), source,
                                            alignedDim(source, static_cast<int64_t>(d))));
  }
  return lowering::buildAllocOutput(b, b.getUnknownLoc(), kernel, 0, type, sizes);
}

void ContractionEmitter::numberNodes() {
  func::FuncOp function = region_.function;
  for (auto [op, node] : llvm::zip_equal(function.getBody().front().without_terminator(),
                                         backend_api::nodeNumbers(function)))
    nodes_[&op] = node;
}

/// At the end of the kernel so far, for requirements of the anchor.
KernelBuilder ContractionEmitter::requiringBuilder(lowering::KernelFunction& kernel) {
  OpBuilder start = kernel.bodyBuilder();
  KernelBuilder b(start.getUnknownLoc(), start.getInsertionBlock());
  b.restoreInsertionPoint(start.saveInsertionPoint());
  b.setNode(nodes_.at(region_.anchor));
  return b;
}

/// The geometry of a convolution, a pool or a product whose sizes are open.
void ContractionEmitter::readOpenSizes(lowering::KernelFunction& kernel) {
  KernelBuilder b = requiringBuilder(kernel);
  const auto image = [&] { return tail_.bufferOf(region_.image()); };
  if (std::holds_alternative<OpenConvPlan>(plan_.kernel))
    openConv_ = openConvShape(b, region_.anchor, image());
  if (std::holds_alternative<OpenPoolPlan>(plan_.kernel))
    openPool_ = openPoolAxes(b, region_.anchor, image());
  if (std::holds_alternative<OpenProductPlan>(plan_.kernel))
    openProduct_ =
        openProductOf(b, region_.anchor, tail_.bufferOf(operand(0)), tail_.bufferOf(operand(1)));
}

/// The anchor computes the sizes that its result is declared with, and the tail's operands fit it.
void ContractionEmitter::requireSizes(lowering::KernelFunction& kernel) {
  KernelBuilder b = requiringBuilder(kernel);
  if (product_ && !isa<ir::ConvOp>(region_.anchor))
    requireProductSizes(b);
  else if (!openProduct_)
    requireImages(b);
  requireUnreadBias(b);
  tail_.prepare(b, bufferSizes(b, region_.tail.resultType(), output_), nodes_);
  if (!region_.hasHead()) return;
  const Value image = region_.image();
  head_.prepare(b, bufferSizes(b, typeOf(image), tail_.bufferOf(image)), nodes_);
}

/// Operands of a product broadcast to the batch sizes of the result; A has its rows.
void ContractionEmitter::requireProductSizes(KernelBuilder& b) {
  const Values result = bufferSizes(b, region_.tail.resultType(), output_);
  Values found(result.size());
  for (const auto& [number, matrix] :
       llvm::enumerate(ValueRange{operand(product_->a), operand(product_->b)})) {
    // What is packed has another shape in memory, and known sizes.
    const RankedTensorType type = typeOf(matrix);
    const Values own =
        type.hasStaticShape()
            ? llvm::map_to_vector(type.getShape(), [&](int64_t d) { return b.index(d); })
            : bufferSizes(b, type, tail_.bufferOf(matrix));
    const bool hasRows = number == 0 && !product_->shape.transA;
    const size_t numMatched = own.size() - (hasRows ? 1 : 2);
    for (size_t d = 0; d < numMatched; ++d) {
      if (d + result.size() < own.size()) continue;
      const size_t at = d + result.size() - own.size();
      b.requireOneOr(own[d], result[at], "dimension " + Twine(d) + " of operand " + Twine(number));
      found[at] = found[at] ? b.select(b.equal(found[at], 1), own[d], found[at]) : own[d];
    }
  }
  for (const auto& [d, size] : llvm::enumerate(found)) {
    if (size) b.requireEqual(size, result[d], "dimension " + Twine(d) + " of the operands");
  }
}

/// What a Gemm adds 0 times broadcasts to the result, too, though nothing reads it.
void ContractionEmitter::requireUnreadBias(KernelBuilder& b) {
  auto gemm = dyn_cast<ir::GemmOp>(region_.anchor);
  if (!gemm || !gemm.getC() || !gemm.getBeta().isZero()) return;
  // No tail changes the sizes (mayBeInTail), so that open ones are the output's.
  const Values result = bufferSizes(b, typeOf(gemm.getY()), output_),
               own = bufferSizes(b, typeOf(gemm.getC()), tail_.bufferOf(gemm.getC()));
  requireBroadcast(b, own, result, 2);
}

/// All that a result is made of has as many images.
void ContractionEmitter::requireImages(KernelBuilder& b) {
  const bool movesChannels = std::holds_alternative<ChannelPlan>(plan_.kernel);
  const auto images = movesChannels ? llvm::to_vector(movedImages(region_.anchor))
                                    : SmallVector<Value>{region_.image()};
  for (const auto& [number, image] : llvm::enumerate(images))
    b.requireEqual(b.create<memref::DimOp>(tail_.bufferOf(image), 0),
                   b.create<memref::DimOp>(output_, 0), "dimension 0 of operand " + Twine(number));
}

void ContractionEmitter::emitKernel(OpBuilder& b) {
  const Location loc = b.getUnknownLoc();
  const Value bias = plan_.bias == BiasPlace::kEmitter ? tail_.bufferOf(operand(2)) : Value();
  const lowering::Epilogue epilogue(
      [this](const lowering::EpilogueContext& context) { return tail_.emit(context); },
      tail_.isLong(), tail_.readsMemory());
  if (product_) {
    const lowering::MatmulOperands operands = {.a = tail_.bufferOf(operand(product_->a)),
                                               .b = tail_.bufferOf(operand(product_->b)),
                                               .bias = bias,
                                               .output = output_};
    return lowering::emitMatmul(b, loc, product_->shape, operands, cpu_, epilogue, tuning_);
  }
  if (openProduct_)
    return lowering::emitOpenProduct(b, loc, openProduct_->product, output_, cpu_, epilogue);
  if (const auto* pool = std::get_if<PoolPlan>(&plan_.kernel)) {
    const auto emit = pool->isPlain ? lowering::emitPlainPool : lowering::emitPool;
    return emit(b, loc, pool->shape, pool->pool, tail_.bufferOf(operand(0)), output_, cpu_,
                epilogue);
  }
  if (!openPool_.empty())
    return lowering::emitOpenPool(b, loc, openPool_, openPoolOf(region_.anchor),
                                  tail_.bufferOf(operand(0)), output_, cpu_, epilogue);
  if (const auto* resize = std::get_if<ResizePlan>(&plan_.kernel))
    return lowering::emitResampling(b, loc, resize->resampling, tail_.bufferOf(operand(0)), output_,
                                    cpu_, epilogue);
  if (const auto* channels = std::get_if<ChannelPlan>(&plan_.kernel)) {
    const auto inputs = llvm::map_to_vector(movedImages(region_.anchor),
                                            [&](Value image) { return tail_.bufferOf(image); });
    return lowering::emitChannelMoves(b, loc, channels->moves, inputs, output_, cpu_, epilogue);
  }
  if (const auto* response = std::get_if<ResponsePlan>(&plan_.kernel))
    return lowering::emitSquareSums(b, loc, response->windows, tail_.bufferOf(operand(0)), output_,
                                    cpu_, epilogue);
  const lowering::ConvOperands operands = {.input = tail_.bufferOf(region_.image()),
                                           .weights = tail_.bufferOf(operand(1)),
                                           .bias = bias,
                                           .output = output_};
  if (openConv_) return lowering::emitOpenConv(b, loc, *openConv_, operands, cpu_, epilogue);
  const auto& conv = std::get<ConvPlan>(plan_.kernel);
  if (region_.hasHead()) {
    const auto prologue = [this](const lowering::EpilogueContext& context) {
      return head_.emit(context);
    };
    return lowering::emitConvOfPrologue(b, loc, conv.shape, operands, cpu_, prologue, epilogue,
                                        tuning_);
  }
  if (conv.isWinograd) {
    const auto pool = region_.pool ? poolGeometryOf(region_.pool) : std::nullopt;
    return lowering::emitWinogradConv(b, loc, conv.shape, operands, cpu_, epilogue, tuning_,
                                      pool ? &pool->pool : nullptr);
  }
  lowering::emitConv(b, loc, conv.shape, conv.kind, operands, cpu_, epilogue, tuning_);
}

/// The plan where the weights of a convolution are prepared; null elsewhere.
const ConvPlan* ContractionEmitter::preparedConv() const {
  const auto* conv = std::get_if<ConvPlan>(&plan_.kernel);
  return conv && conv->preparesWeights() ? conv : nullptr;
}

void ContractionEmitter::emitPreparation(ModuleOp kernels, StringRef name) {
  const ConvPlan* conv = preparedConv();
  if (!conv) return;
  const auto weights = cast<BlockArgument>(operand(1));
  const RankedTensorType type = kernelType(cast<RankedTensorType>(weights.getType()));
  lowering::createPreparation(kernels, name, weights.getArgNumber(),
                              MemRefType::get({type.getNumElements()}, type.getElementType()),
                              bufferType(weights), [&](OpBuilder& b, Value source, Value target) {
                                if (conv->isWinograd)
                                  lowering::emitWinogradWeights(b, b.getUnknownLoc(), conv->shape,
                                                                source, target, cpu_.vectorLanes);
                                else
                                  lowering::emitPreparedWeights(b, b.getUnknownLoc(), conv->shape,
                                                                conv->kind, source, target,
                                                                cpu_.vectorLanes);
                              });
}

void ContractionEmitter::run(ModuleOp kernels, StringRef name) {
  func::FuncOp region = region_.function;
  lowering::KernelSignature signature;
  for (const Value argument : region.getArguments())
    signature.inputs.push_back(bufferType(argument));
  signature.outputs.push_back(bufferType(region_.result()));
  lowering::KernelFunction kernel = lowering::createKernelFunction(kernels, name, signature);
  OpBuilder b = kernel.bodyBuilder();
  for (auto [argument, buffer] : llvm::zip_equal(region.getArguments(), kernel.inputs)) {
    head_.setBuffer(argument, buffer);
    tail_.setBuffer(argument, buffer);
  }
  numberNodes();
  readOpenSizes(kernel);
  b = kernel.bodyBuilder();
  output_ = kernel.outputs[0];
  if (!output_) output_ = allocateOutput(b, kernel.function, signature.outputs[0]);
  requireSizes(kernel);
  b = kernel.bodyBuilder();
  emitKernel(b);
  emitPreparation(kernels, name);
}

void emitContraction(const RegionPlan& plan, ModuleOp kernels, StringRef name,
                     const lowering::CpuTarget& cpu) {
  ContractionEmitter(plan, cpu).run(kernels, name);
}

}  // namespace tessera::backend_native
