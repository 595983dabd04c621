// y[u * s + r] = sum over j of x[u - j] * w[j * s + r]: the results that lie a step s apart are
// those of a transposed convolution with steps of one, whose taps are every s-th one. All s of them
// are its channels, which are then moved into space (Shi et al., "Is the deconvolution layer the
// same as a convolutional layer?", 2016). Taps that are missing are zeros.
#include "compiler/ir/io/constants.h"
#include "compiler/ir/spec/window.h"
#include "compiler/ir/tsr.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/rewrite.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::transforms {

using namespace mlir;

#define GEN_PASS_DEF_EXPANDCONVTRANSPOSEPASS
#include "compiler/transforms/passes.h.inc"

namespace {

/// One spatial dimension.
struct LongStep {
  int64_t step = 1, taps = 1;  ///< Taps of a result, rounded up.
  int64_t kernel = 1, in = 1, out = 1;
  int64_t cutBegin = 0;

  /// Positions u.
  int64_t positions() const { return in + taps - 1; }
};

/// Writes one of them.
class SubPixelConv {
 public:
  SubPixelConv(ir::ConvTransposeOp op, ArrayRef<LongStep> steps)
      : op_(op), b_(op), loc_(op.getLoc()), steps_(steps) {}

  void run();

 private:
  Value padded(Value value, ArrayRef<int64_t> begin, ArrayRef<int64_t> end);
  Value reshaped(Value value, ArrayRef<int64_t> shape);
  Value transposed(Value value, ArrayRef<int64_t> order);
  Value weights();
  Value movedIntoSpace(Value channels);

  RankedTensorType typeOf(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, cast<RankedTensorType>(op_.getType()).getElementType());
  }
  int64_t rank() const { return static_cast<int64_t>(steps_.size()); }
  int64_t images() { return tensorType(op_.getX()).getDimSize(0); }
  int64_t outChannels() { return tensorType(op_.getY()).getDimSize(1); }

  ir::ConvTransposeOp op_;
  OpBuilder b_;
  Location loc_;
  ArrayRef<LongStep> steps_;
};

}  // namespace

Value SubPixelConv::padded(Value value, ArrayRef<int64_t> begin, ArrayRef<int64_t> end) {
  const auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(begin, isZero) && llvm::all_of(end, isZero)) return value;
  SmallVector<int64_t> shape(tensorType(value).getShape()), pads(begin);
  for (auto [i, size] : llvm::enumerate(shape)) size += begin[i] + end[i];
  llvm::append_range(pads, end);
  const Value sizes = ir::createIntsConstant(b_, loc_, pads);
  const auto segments =
      b_.getNamedAttr("operandSegmentSizes", b_.getDenseI32ArrayAttr({1, 1, 0, 0}));
  return b_.create<ir::PadOp>(loc_, TypeRange{typeOf(shape)}, ValueRange{value, sizes},
                              ArrayRef<NamedAttribute>{segments});
}

Value SubPixelConv::reshaped(Value value, ArrayRef<int64_t> shape) {
  return createReshape(b_, loc_, value, typeOf(shape));
}

Value SubPixelConv::transposed(Value value, ArrayRef<int64_t> order) {
  const ArrayRef<int64_t> from = tensorType(value).getShape();
  const auto shape = llvm::map_to_vector(order, [&](int64_t dim) { return from[dim]; });
  return b_.create<ir::TransposeOp>(loc_, typeOf(shape), value, b_.getDenseI64ArrayAttr(order));
}

/// [C, M / group, K...] to [C, M / group * steps..., taps...].
Value SubPixelConv::weights() {
  const ArrayRef<int64_t> whole = tensorType(op_.getW()).getShape();
  SmallVector<int64_t> begin(whole.size(), 0), end(whole.size(), 0),
      split = {whole[0], whole[1]}, order = {0, 1}, joined = {whole[0], whole[1]};
  for (auto [d, step] : llvm::enumerate(steps_)) {
    end[d + 2] = step.taps * step.step - step.kernel;
    split.append({step.taps, step.step});
    joined[1] *= step.step;
    joined.push_back(step.taps);
  }
  for (int64_t d = 0; d < rank(); ++d) order.push_back(3 + 2 * d);
  for (int64_t d = 0; d < rank(); ++d) order.push_back(2 + 2 * d);
  return reshaped(transposed(reshaped(padded(op_.getW(), begin, end), split), order), joined);
}

/// [N, M * steps..., positions...] to the result without its bias.
Value SubPixelConv::movedIntoSpace(Value channels) {
  SmallVector<int64_t> split = {images(), outChannels()}, order = {0, 1}, joined(split),
                       begin = {0, 0}, end = {0, 0};
  for (const LongStep& step : steps_) split.push_back(step.step);
  for (auto [d, step] : llvm::enumerate(steps_)) {
    split.push_back(step.positions());
    order.append({2 + rank() + static_cast<int64_t>(d), 2 + static_cast<int64_t>(d)});
    joined.push_back(step.positions() * step.step);
    begin.push_back(-step.cutBegin);
    end.push_back(step.out + step.cutBegin - joined.back());
  }
  return padded(reshaped(transposed(reshaped(channels, split), order), joined), begin, end);
}

void SubPixelConv::run() {
  SmallVector<int64_t> shape = {images(), outChannels()};
  for (const LongStep& step : steps_) {
    shape[1] *= step.step;
    shape.push_back(step.positions());
  }
  const auto group =
      b_.getNamedAttr("group", b_.getI64IntegerAttr(static_cast<int64_t>(op_.getGroup())));
  const Value spread = b_.create<ir::ConvTransposeOp>(loc_, TypeRange{typeOf(shape)},
                                                      ValueRange{op_.getX(), weights()},
                                                      ArrayRef<NamedAttribute>{group});
  Value result = movedIntoSpace(spread);
  if (op_.getB()) {
    SmallVector<int64_t> perChannel(rank() + 1, 1);
    perChannel[0] = outChannels();
    result = b_.create<ir::AddOp>(loc_, result.getType(), result, reshaped(op_.getB(), perChannel));
  }
  op_.getResult().replaceAllUsesWith(result);
  op_.erase();
}

/// Steps that are worth it: code for each result of one is what backends have otherwise, and takes
/// longer to make and to run the more there are. Steps of 4 and 5 are faster so.
static constexpr int64_t kLongStep = 8;

/// Of f32 of known sizes without dilation; nothing for others.
static SmallVector<LongStep> longStepsOf(ir::ConvTransposeOp op) {
  const auto x = tensorType(op.getX()), w = tensorType(op.getW()), y = tensorType(op.getY());
  if (!x.hasStaticShape() || !w.hasStaticShape() || !y.hasStaticShape()) return {};
  if (!x.getElementType().isF32() || x.getNumElements() == 0 || y.getNumElements() == 0) return {};
  const ir::spec::TransposedAttributes window = ir::spec::transposedAttributes(op);
  SmallVector<LongStep> steps;
  for (size_t d = 0; d < window.rank(); ++d) {
    if (window.dilations[d] != 1) return {};
    const auto dim = static_cast<unsigned>(d + 2);
    LongStep step{.step = window.strides[d], .kernel = w.getDimSize(dim), .in = x.getDimSize(dim)};
    step.taps = llvm::divideCeil(step.kernel, step.step);
    const auto geometry = ir::spec::transposedGeometry(window, d, step.in, step.kernel);
    step.out = y.getDimSize(dim);
    step.cutBegin = geometry.padBegin;
    steps.push_back(step);
  }
  const bool isLong = llvm::any_of(steps, [](const LongStep& s) { return s.step >= kLongStep; });
  return isLong ? steps : SmallVector<LongStep>{};
}

namespace {

struct ExpandConvTranspose : impl::ExpandConvTransposePassBase<ExpandConvTranspose> {
  void runOnOperation() override;
};

}  // namespace

void ExpandConvTranspose::runOnOperation() {
  SmallVector<ir::ConvTransposeOp> ops;
  getOperation().walk([&](ir::ConvTransposeOp op) {
    if (!op->getParentOfType<ir::CompositeOp>()) ops.push_back(op);
  });
  for (ir::ConvTransposeOp op : ops) {
    const SmallVector<LongStep> steps = longStepsOf(op);
    if (!steps.empty()) SubPixelConv(op, steps).run();
  }
}

}  // namespace tessera::transforms
