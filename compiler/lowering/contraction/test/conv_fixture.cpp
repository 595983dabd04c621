#include "compiler/lowering/contraction/test/conv_fixture.h"

#include "compiler/lowering/contraction/test/reference_conv.h"
#include "compiler/lowering/contraction/winograd/winograd.h"
#include "compiler/lowering/test/pack_weights.h"

namespace tessera::lowering {

using mlir::ShapedType;

static bool isPadding(int64_t place, int64_t channels, int64_t pixels, int64_t lanes) {
  const int64_t blocks = (channels + lanes - 1) / lanes, block = place / (pixels * lanes) % blocks;
  return block * lanes + place % lanes >= channels;
}

// `blocked` [images, channels/c, pixels, c]
static void poisonPadding(std::vector<float>& blocked, int64_t channels, int64_t pixels,
                          int64_t lanes) {
  for (size_t i = 0; i < blocked.size(); ++i)
    if (isPadding(static_cast<int64_t>(i), channels, pixels, lanes)) blocked[i] = NAN;
}

// 0 of numbers that are equal though they are not finite, or both NaN.
static double errorOf(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double error = std::fabs(got - want);
  return std::isfinite(error) ? error : 1e9;
}

// With weights that are prepared where that is needed.
void ConvTest::emit(mlir::OpBuilder& b, const ConvShape& shape, ConvKind kind, bool isWinograd,
                    ConvOperands operands, const Epilogue& epilogue) {
  const mlir::Location loc = b.getUnknownLoc();
  const int64_t lanes = target_.vectorLanes;
  if (!readsPreparedWeights(kind) && !isWinograd)
    return emitConv(b, loc, shape, kind, operands, target_, epilogue);
  const int64_t size =
      isWinograd ? winogradWeightsSize(shape, lanes) : preparedWeightsSize(shape, kind, lanes);
  const mlir::Value prepared = b.create<mlir::memref::AllocOp>(loc, f32({size}));
  const mlir::Value given = flattenMemRef(b, loc, operands.weights);
  operands.weights = prepared;
  if (isWinograd) {
    emitWinogradWeights(b, loc, shape, given, prepared, lanes);
    emitWinogradConv(b, loc, shape, operands, target_, epilogue);
  } else {
    emitPreparedWeights(b, loc, shape, kind, given, prepared, lanes);
    emitConv(b, loc, shape, kind, operands, target_, epilogue);
  }
  b.create<mlir::memref::DeallocOp>(loc, prepared);
}

void ConvTest::checkConv(const ConvShape& shape, bool isPlainInput, bool hasResidual,
                         int64_t runBatch, bool isWinograd) {
  const int64_t lanes = target_.vectorLanes;
  const int64_t batch = runBatch > 0 ? runBatch : shape.batch;
  auto kind = convKindFor(shape, isPlainInput, lanes);
  ASSERT_TRUE(kind.has_value());
  const int64_t inBlocks = (shape.inChannels + lanes - 1) / lanes,
                outBlocks = (shape.outChannels + lanes - 1) / lanes;
  const int64_t pixels = outPixelsOf(shape), inPixels = inPixelsOf(shape);
  auto inputType = isPlainInput ? f32({shape.batch, shape.inChannels, inPixels})
                                : f32({shape.batch, inBlocks, inPixels, lanes});
  auto outputType = f32({batch, outBlocks, pixels, lanes});
  const int64_t weightsSize =
      readsPreparedWeights(*kind)
          ? shape.outChannels * shape.inChannels / shape.groups * shape.kernelSize()
          : packedConvWeightsSize(shape, *kind, lanes);
  KernelSignature signature{.inputs = {inputType, f32({weightsSize}), f32({outBlocks * lanes})},
                            .outputs = {outputType}};
  if (hasResidual) signature.inputs.push_back(outputType);
  auto kernels = compile(signature, [&](KernelFunction& kernel, mlir::OpBuilder& b) {
    const ConvOperands operands{.input = kernel.inputs[0],
                                .weights = kernel.inputs[1],
                                .bias = kernel.inputs[2],
                                .output = kernel.outputs[0]};
    emit(b, shape, *kind, isWinograd, operands,
         hasResidual ? reluOfSum(kernel.inputs[3]) : Epilogue());
  });
  ASSERT_TRUE(kernels);
  auto x = randomValues(batch * shape.inChannels * inPixels, 1);
  if (isInputInfinite_) {
    x[inPixels / 2] = INFINITY;
    x[(shape.inChannels - 1) * inPixels] = -INFINITY;
  }
  auto w =
      randomValues(shape.outChannels * shape.inChannels / shape.groups * shape.kernelSize(), 2);
  auto bias = randomValues(shape.outChannels, 3);
  auto residual = randomValues(batch * outBlocks * pixels * lanes, 4);
  auto expected = referenceConv(shape, batch, x, w, bias);
  auto input = isPlainInput ? x : blockChannels(x, batch, shape.inChannels, inPixels, lanes);
  if (isPaddingPoisoned_) poisonPadding(input, shape.inChannels, inPixels, lanes);
  auto weights = readsPreparedWeights(*kind) ? w : packConvWeights(w, shape, *kind, lanes);
  auto paddedBias = padChannels(bias, lanes);
  for (const int threads : {1, 2}) {
    const HarnessHost host(threads);
    std::vector<GuardedMemory> memory;
    for (const auto& values : {input, weights, paddedBias}) memory.push_back(guarded(values));
    if (hasResidual) memory.push_back(guarded(residual));
    memory.push_back(guarded(std::vector<float>(batch * outBlocks * pixels * lanes, NAN)));
    std::vector<void*> buffers;
    buffers.reserve(memory.size());
    for (const GuardedMemory& piece : memory) buffers.push_back(piece.data());
    int64_t sizes[] = {batch};
    ASSERT_EQ(kernels->find("k")(host.services(), buffers.data(), sizes), 0);
    const std::vector<float> out = valuesIn(memory.back());
    double worst = 0;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t oc = 0; oc < shape.outChannels; ++oc)
        for (int64_t p = 0; p < pixels; ++p) {
          const int64_t at = ((n * outBlocks + oc / lanes) * pixels + p) * lanes + oc % lanes;
          double want = expected[(n * shape.outChannels + oc) * pixels + p];
          if (hasResidual) want = std::max(0.0, want + residual[at]);
          worst = std::max(worst, errorOf(out[at], want));
        }
    for (int64_t at = 0; isInputInfinite_ && at < std::ssize(out); ++at) {
      if (isPadding(at, shape.outChannels, pixels, lanes))
        worst = std::max(worst, errorOf(out[at], 0));
    }
    const int64_t length = shape.inChannels / shape.groups * shape.kernelSize();
    const double perProduct = isWinograd ? 4e-6 : 2e-6;
    EXPECT_LT(worst, perProduct * std::sqrt(static_cast<double>(length)) + 1e-6)
        << "threads " << threads;
  }
}

}  // namespace tessera::lowering
