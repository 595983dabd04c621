// A copy from memory to memory takes two thirds of the time. What follows has to read memory then,
// which it would anyway where the result is larger than the last level of cache.
#include "compiler/lowering/streamed_result.h"

#include "compiler/lowering/loops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tessera::lowering {

// The last level that a core sees has 32 MiB at most, but for few processors.
static constexpr int64_t kLargestCacheBytes = int64_t{32} << 20;
int64_t elementBytes(MemRefType type) { return type.getElementTypeBitWidth() / 8; }

bool isBeyondCaches(MemRefType type) {
  return type.hasStaticShape() && type.getNumElements() * elementBytes(type) > kLargestCacheBytes;
}

// Folding a view into a store would make an ordinary store of it.
StreamedResult streamedResult(IndexBuilder& b, Value result, int64_t lanes) {
  const auto type = cast<MemRefType>(result.getType());
  auto place = b.create<memref::ExtractStridedMetadataOp>(result);
  const Value base = b.create<memref::ExtractAlignedPointerAsIndexOp>(place.getBaseBuffer());
  const Value start = b.term(place.getOffset()) * elementBytes(type) + base;
  const Value buffer = b.create<memref::ReinterpretCastOp>(
      type, place.getBaseBuffer(), place.getConstifiedMixedOffset(),
      place.getConstifiedMixedSizes(), place.getConstifiedMixedStrides());
  return {.buffer = buffer, .startsOnVector = b.equal(b.rem(start, lanes * elementBytes(type)), 0)};
}

void emitStreamed(const IndexBuilder& at, Value output, int64_t width, int64_t lanes, int64_t run,
                  llvm::function_ref<void(IndexBuilder, Value, bool)> emit) {
  const auto type = cast<MemRefType>(output.getType());
  const auto areLines = [&](int64_t elements) {
    return elements % lanes == 0 && elements * elementBytes(type) % kLineBytes == 0;
  };
  if (!isBeyondCaches(type) || !areLines(width) || !areLines(run))
    return emit(at, output, /*isStreamed=*/false);
  IndexBuilder b = at;
  const StreamedResult streamed = streamedResult(b, output, lanes);
  emitIf(
      b, streamed.startsOnVector, [&] { emit(b, streamed.buffer, /*isStreamed=*/true); },
      [&] { emit(b, output, /*isStreamed=*/false); });
}

}  // namespace tessera::lowering
