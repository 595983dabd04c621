// Every physical dimension advances one logical dimension by a fixed step, so the place of an
// element in row-major order is affine in its physical index. Packing and unpacking are therefore
// one walk over the physical dimensions that keeps both offsets; what lies beyond the logical size
// is padding and is skipped whole. Blocked to blocked goes through row-major order.
#include "compiler/evaluate/relayout.h"

#include <algorithm>
#include <cstring>

#include "compiler/ir/io/constants.h"
#include "compiler/ir/types.h"
#include "compiler/support/check.h"

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

template <Direction direction>
static void convert(RankedTensorType blocked, std::span<const std::byte> from,
                    std::span<std::byte> to) {
  if (blocked.getNumElements() == 0) return;
  Walk walk = makeWalk(blocked);
  const auto run = [&]<typename T>(T) {
    copyBlocks<T, direction>(walk, 0, reinterpret_cast<const T*>(from.data()),
                             reinterpret_cast<T*>(to.data()));
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

std::vector<std::byte> relayout(std::span<const std::byte> bytes, RankedTensorType from,
                                RankedTensorType to) {
  TESSERA_CHECK(from.getShape() == to.getShape() && from.hasStaticShape(),
                "relayout between different or dynamic shapes");
  if (ir::physicalType(from) == ir::physicalType(to) &&
      (hasPlainOrder(from) || ir::layoutOf(from) == ir::layoutOf(to))) {
    return {bytes.begin(), bytes.end()};
  }
  // Elements are read at their own alignment; bytes of a file need not have it.
  std::vector<std::byte> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) != 0) {
    aligned.assign(bytes.begin(), bytes.end());
    bytes = aligned;
  }
  std::vector<std::byte> plain;
  if (!hasPlainOrder(from)) {
    plain.resize(ir::physicalSizeBytes(ir::withoutLayout(from)));
    convert<Direction::kUnpack>(from, bytes, plain);
    if (hasPlainOrder(to)) return plain;
    bytes = plain;
  }
  std::vector<std::byte> packed(ir::physicalSizeBytes(to));
  convert<Direction::kPack>(to, bytes, packed);
  return packed;
}

}  // namespace tessera::evaluate
