// Every physical dimension advances one logical dimension by a fixed step, so the place of an
// element in row-major order is affine in its physical index. Packing and unpacking are therefore
// one walk over the physical dimensions that keeps both offsets; what lies beyond the logical size
// is padding and is skipped whole. Blocked to blocked goes through row-major order.
#include "compiler/evaluate/relayout.h"

#include <algorithm>
#include <cstring>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/io/new_bytes.h"
#include "compiler/ir/types.h"
#include "compiler/support/check.h"
#include "mlir/IR/Threading.h"

using namespace mlir;

namespace tessera::evaluate {

namespace {

struct PhysicalDim {
  int64_t size;
  int64_t logicalDim;
  int64_t step;            ///< Logical indices that one physical index advances.
  int64_t plainStride;     ///< Elements in row-major order that one physical index advances.
  int64_t physicalStride;  ///< Elements in physical order.
};

enum class Direction : uint8_t { kPack, kUnpack };

struct Walk {
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<PhysicalDim> dims;
  llvm::SmallVector<int64_t> index;  ///< Logical index of the current block's first element.
};

}  // namespace

static Walk makeWalk(RankedTensorType type) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  const int64_t rank = type.getRank();
  const auto blockDims = layout ? layout.getBlockDims() : llvm::ArrayRef<int64_t>();
  const auto blockSizes = layout ? layout.getBlockSizes() : llvm::ArrayRef<int64_t>();
  const auto order = layout ? layout.getOrder() : llvm::ArrayRef<int64_t>();
  const RankedTensorType physical = ir::physicalType(type);
  Walk walk{.shape = type.getShape(), .dims = {}, .index = llvm::SmallVector<int64_t>(rank, 0)};

  llvm::SmallVector<int64_t> plainStrides(rank, 1);
  for (int64_t d = rank - 2; d >= 0; --d) {
    plainStrides[d] = plainStrides[d + 1] * type.getDimSize(d + 1);
  }
  llvm::SmallVector<int64_t> step(rank, 1);
  int64_t physicalStride = 1;
  for (int64_t p = physical.getRank() - 1; p >= 0; --p) {
    const bool isBlock = p >= rank;
    const int64_t d = isBlock ? blockDims[p - rank] : order.empty() ? p : order[p];
    walk.dims.push_back({.size = physical.getDimSize(p),
                         .logicalDim = d,
                         .step = step[d],
                         .plainStride = step[d] * plainStrides[d],
                         .physicalStride = physicalStride});
    physicalStride *= physical.getDimSize(p);
    if (isBlock) step[d] *= blockSizes[p - rank];
  }
  std::ranges::reverse(walk.dims);
  return walk;
}

template <typename T, Direction direction>
static void copyRun(const PhysicalDim& dim, int64_t count, const T* from, T* to) {
  const int64_t fromStride = direction == Direction::kPack ? dim.plainStride : dim.physicalStride;
  const int64_t toStride = direction == Direction::kPack ? dim.physicalStride : dim.plainStride;
  if (fromStride == 1 && toStride == 1) {
    std::memcpy(to, from, count * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i * toStride] = from[i * fromStride];
}

template <typename T, Direction direction>
static void copyBlocks(Walk& walk, size_t level, const T* from, T* to) {
  const PhysicalDim& dim = walk.dims[level];
  int64_t& index = walk.index[dim.logicalDim];
  const int64_t left = walk.shape[dim.logicalDim] - index;
  const int64_t count = std::min(dim.size, (left + dim.step - 1) / dim.step);
  if (level + 1 == walk.dims.size()) {
    copyRun<T, direction>(dim, count, from, to);
    return;
  }
  const int64_t first = index;
  const int64_t fromStride = direction == Direction::kPack ? dim.plainStride : dim.physicalStride;
  const int64_t toStride = direction == Direction::kPack ? dim.physicalStride : dim.plainStride;
  for (int64_t i = 0; i < count; ++i) {
    copyBlocks<T, direction>(walk, level + 1, from + i * fromStride, to + i * toStride);
    index += dim.step;
  }
  index = first;
}

/// Below this many bytes the other threads are not worth waking.
static constexpr size_t kParallelBytes = size_t{1} << 18;

/// The parts of the outermost physical dimension touch different memory of either order.
template <typename T, Direction direction>
static void copyAll(const Walk& walk, MLIRContext* context, const T* from, T* to) {
  const PhysicalDim& dim = walk.dims.front();
  const int64_t left = walk.shape[dim.logicalDim];
  const int64_t count = std::min(dim.size, (left + dim.step - 1) / dim.step);
  const bool isPack = direction == Direction::kPack;
  parallelFor(context, 0, static_cast<size_t>(count), [&](size_t i) {
    Walk part = walk;
    part.index[dim.logicalDim] = static_cast<int64_t>(i) * dim.step;
    copyBlocks<T, direction>(part, 1, from + i * (isPack ? dim.plainStride : dim.physicalStride),
                             to + i * (isPack ? dim.physicalStride : dim.plainStride));
  });
}

template <Direction direction>
static void convert(RankedTensorType blocked, std::span<const std::byte> from,
                    std::span<std::byte> to) {
  if (blocked.getNumElements() == 0) return;
  Walk walk = makeWalk(blocked);
  const bool isLarge = from.size() >= kParallelBytes && walk.dims.size() > 1;
  const auto run = [&]<typename T>(T) {
    const auto* source = reinterpret_cast<const T*>(from.data());
    auto* target = reinterpret_cast<T*>(to.data());
    if (isLarge)
      copyAll<T, direction>(walk, blocked.getContext(), source, target);
    else
      copyBlocks<T, direction>(walk, 0, source, target);
  };
  switch (elementSizeBytes(ir::toElementType(blocked.getElementType()))) {
    case 1:
      return run(uint8_t{});
    case 2:
      return run(uint16_t{});
    case 4:
      return run(uint32_t{});
    case 8:
      return run(uint64_t{});
    default:
      TESSERA_UNREACHABLE("element type without a size");
  }
}

static bool hasPlainOrder(RankedTensorType type) {
  const ir::LayoutAttr layout = ir::layoutOf(type);
  return !layout || layout.isPlainOrder();
}

/// `to` of the bytes that `to` takes, to be filled wholly.
static void relayoutInto(std::span<const std::byte> bytes, RankedTensorType fromType,
                         RankedTensorType toType, std::span<std::byte> to) {
  TESSERA_CHECK(fromType.getShape() == toType.getShape() && fromType.hasStaticShape(),
                "relayout between different or dynamic shapes");
  if (ir::physicalType(fromType) == ir::physicalType(toType) &&
      (hasPlainOrder(fromType) || ir::layoutOf(fromType) == ir::layoutOf(toType))) {
    std::ranges::copy(bytes, to.begin());
    return;
  }
  // Elements are read at their own alignment; bytes of a file need not have it.
  std::vector<std::byte> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) != 0) {
    aligned.assign(bytes.begin(), bytes.end());
    bytes = aligned;
  }
  const auto plainBytes = static_cast<size_t>(ir::physicalSizeBytes(ir::withoutLayout(toType)));
  std::vector<std::byte> plain;
  if (!hasPlainOrder(fromType)) {
    if (hasPlainOrder(toType)) return convert<Direction::kUnpack>(fromType, bytes, to);
    plain.resize(plainBytes);
    convert<Direction::kUnpack>(fromType, bytes, plain);
    bytes = plain;
  }
  if (to.size() != plainBytes) std::ranges::fill(to, std::byte{0});  // Padding.
  convert<Direction::kPack>(toType, bytes, to);
}

std::vector<std::byte> relayout(std::span<const std::byte> bytes, RankedTensorType from,
                                RankedTensorType to) {
  std::vector<std::byte> result(ir::physicalSizeBytes(to));
  relayoutInto(bytes, from, to, result);
  return result;
}

ir::Blob relayoutBlob(std::span<const std::byte> bytes, RankedTensorType from,
                      RankedTensorType to) {
  const ir::NewBytes result = ir::allocateBytes(ir::physicalSizeBytes(to));
  relayoutInto(bytes, from, to, result.bytes);
  return result.blob();
}

}  // namespace tessera::evaluate
