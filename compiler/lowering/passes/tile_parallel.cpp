// A group is a consumer and all producers whose every use lies in the group and whose tiles do not
// overlap between iterations: the consumer reads them through a projected permutation that keeps
// every tiled dimension. Softmax, layer normalisation and the like become one loop over rows this
// way.
#include "compiler/lowering/passes.h"
#include "compiler/lowering/passes/reduced.h"
#include "compiler/lowering/vectorize/row_pipeline.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace tessera::lowering {

#define GEN_PASS_DEF_TILEPARALLELPASS
#include "compiler/lowering/passes.h.inc"

namespace {

struct TileParallel : impl::TileParallelPassBase<TileParallel> {
  using TileParallelPassBase::TileParallelPassBase;
  void runOnOperation() override;
};

/// Tile size per loop (0: not tiled) of a group's consumer.
using TileSizes = SmallVector<int64_t>;

}  // namespace

// Elements of a vector, about.
static constexpr int64_t kVector = 16;

// What a '?' extent is taken for when work is estimated.
static constexpr int64_t kUnknownExtent = 256;

static int64_t knownExtent(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUnknownExtent : extent;
}

// Iterations of a loop nest, roughly; many open loops do not overflow.
static int64_t estimatedVolume(ArrayRef<int64_t> extents) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t volume = 1;
  for (const int64_t extent : extents)
    volume =
        std::min(volume * std::clamp<int64_t>(knownExtent(extent), 1, int64_t{1} << 20), kMost);
  return volume;
}

static bool isEmpty(linalg::LinalgOp op) { return llvm::is_contained(op.getStaticLoopRanges(), 0); }

// The divisor of `extent` that is nearest to `size`, of those from half to twice as large; 0 for
// none.
static int64_t nearestDivisor(int64_t extent, int64_t size) {
  int64_t nearest = 0;
  for (int64_t divisor = (size + 1) / 2; divisor <= std::min(2 * size, extent); ++divisor) {
    if (extent % divisor != 0) continue;
    // Ratios, not differences.
    if (nearest == 0 || divisor * nearest <= size * size) nearest = divisor;
  }
  return nearest;
}

// A tile of about `size`: a divisor of the extent when there is one (no rest, static shapes), of
// whole vectors where that can be; else equal shares with a shorter last one.
static int64_t evenTileSize(int64_t extent, int64_t size) {
  if (extent % kVector == 0 && size >= kVector) {
    if (const int64_t vectors = nearestDivisor(extent / kVector, size / kVector))
      return vectors * kVector;
  }
  if (const int64_t divisor = nearestDivisor(extent, size)) return divisor;
  const int64_t parts = llvm::divideCeilSigned(extent, size);
  return llvm::divideCeilSigned(extent, parts);
}

// Loops along which elements of an operand that all loops move are neighbours in memory.
static llvm::SmallBitVector contiguousLoops(linalg::LinalgOp op) {
  llvm::SmallBitVector loops(op.getNumLoops());
  for (const AffineMap map : op.getIndexingMapsArray()) {
    if (map.getNumResults() == 0 || map.getNumResults() < op.getNumLoops()) continue;
    if (const auto last = dyn_cast<AffineDimExpr>(map.getResults().back()))
      loops.set(last.getPosition());
  }
  return loops;
}

// The number of steps of `loop` that make a line of the cache of an operand that all loops move, in
// another order than the result, where it is the last but one and the last has less than a line; 1
// for no such operand.
static int64_t stepsOfLine(linalg::LinalgOp op, ArrayRef<int64_t> extents, size_t loop) {
  const auto maps = op.getIndexingMapsArray();
  const auto endsOf = [&](AffineMap map) { return map.getResults().take_back(2); };
  for (const AffineMap map : maps) {
    if (map.getNumResults() < std::max<size_t>(extents.size(), 2) ||
        map.getNumResults() != maps.back().getNumResults() || endsOf(map) == endsOf(maps.back()))
      continue;
    const auto outer = dyn_cast<AffineDimExpr>(endsOf(map)[0]),
               inner = dyn_cast<AffineDimExpr>(endsOf(map)[1]);
    if (!outer || !inner || outer.getPosition() != loop) continue;
    const int64_t together = extents[inner.getPosition()];
    if (together > 0 && together < kVector && kVector % together == 0) return kVector / together;
  }
  return 1;
}

// Iterations of outer loops that are enough for all threads, and the longest line that is then not
// cut: it stays in a cache from one pass over it to the next.
static constexpr int64_t kEnoughTiles = 16, kLongestLine = int64_t{1} << 20;
// The same where lines are short.
static constexpr int64_t kSomeTiles = 4, kShortLine = 16384;

// Whether `op` reads what some reduction along `loop` made, as normalisations read their moments:
// cut along it, the reduction and `op` would be two loops, each over all of memory.
static bool readsReductionAlong(linalg::LinalgOp op, unsigned loop) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand& operand) {
    return !op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop) &&
           isMadeByReduction(operand.get());
  });
}

// Elements of memory that are read in one piece where pieces lie far apart (transposes, reductions
// along outer loops), so that the processor sees where they are going; unless there are then
// fewer tiles than this.
static constexpr int64_t kLeastPieceElements = 1024, kLeastTiles = 8;

// Rows of a tile, at least, each of which is summed up while the one before is written
// (pipelineRows): the first and the last of them have nothing beside them.
static constexpr int64_t kRowsInTurn = 8;

static Value viewedOf(Value value) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

// Whether some reduction that `made` comes from reads rows of `row`.
static bool isMadeOfRows(Value made, Value row) {
  auto producer = made.getDefiningOp<linalg::LinalgOp>();
  if (!producer) return false;
  if (producer.getNumReductionLoops() > 0 && viewedOf(producer.getDpsInputs()[0]) == row)
    return true;
  return llvm::any_of(producer->getOperands(), [&](Value from) { return isMadeOfRows(from, row); });
}

// Whether `op` reads what some reduction made of each row along `loop`, and those rows again. What
// other operations make in the tile stays in near caches for so long, but not for many rows.
static bool readsRowsAgain(linalg::LinalgOp op, ArrayRef<int64_t> extents, unsigned loop) {
  const int64_t elements = estimatedVolume(extents.drop_front(loop + 1));
  if (elements < kLeastElementsOfRow || elements > kMostElementsOfRow) return false;
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    const Value row = viewedOf(input);
    return !row.getDefiningOp<linalg::LinalgOp>() &&
           llvm::any_of(op->getOpOperands(), [&](OpOperand& operand) {
             return op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop) &&
                    isMadeOfRows(operand.get(), row);
           });
  });
}

// Elements of a tile of short lines that reads as many as it writes of what other operations make
// in the tile: those, the operand and the result then stay in the first-level cache.
static constexpr int64_t kElementsOfSteps = 2048;

static bool readsElementsMadeInTile(linalg::LinalgOp op) {
  const int64_t elements = estimatedVolume(op.getStaticLoopRanges());
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    auto producer = input.getDefiningOp<linalg::LinalgOp>();
    return producer && producer.getNumReductionLoops() == 0 && isMadeByReduction(input) &&
           estimatedVolume(producer.getStaticLoopRanges()) == elements;
  });
}

// So many tiles, if odd, leave all but one thread of an even number with nothing to do for long.
static constexpr int64_t kFewTiles = 8;

// The size of about `size` that cuts `extent` into an even number of tiles, where they are few.
static int64_t evenNumberOfTiles(int64_t extent, int64_t size) {
  const int64_t tiles = llvm::divideCeilSigned(extent, size);
  if (tiles % 2 == 0 || tiles == 1 || tiles > kFewTiles || extent <= tiles) return size;
  return (extent + tiles) / (tiles + 1);
}

// Tiles the outer parallel loops, outermost first, until one iteration's work is about `chunk`;
// empty when the whole operation is too small to split. `workFactor`: as groupWorkFactor.
static TileSizes tileSizesFor(linalg::LinalgOp op, int64_t workFactor, int64_t chunk) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (isEmpty(op)) return {};  // Nothing to do, whatever the open extents are.
  const bool isDynamic = llvm::any_of(extents, ShapedType::isDynamic);
  int64_t work = estimatedVolume(extents) * std::min<int64_t>(workFactor, 1 << 20);
  if (work < 2 * chunk && !isDynamic) return {};
  TileSizes sizes(extents.size(), 0);
  bool any = false;
  int64_t tiles = 1;
  const bool readsSteps = readsElementsMadeInTile(op);
  const llvm::SmallBitVector contiguous = contiguousLoops(op);
  for (size_t i = 0; i < extents.size() && (work > chunk || isDynamic); ++i) {
    if (kinds[i] != utils::IteratorType::parallel || extents[i] == 1) continue;
    const int64_t extent = std::max<int64_t>(knownExtent(extents[i]), 1);
    const int64_t inner = std::max<int64_t>(work / extent, 1);
    int64_t size = std::max<int64_t>(chunk / inner, 1);
    const int64_t lineElements = estimatedVolume(ArrayRef(extents).drop_front(i + 1));
    if (readsSteps && lineElements < kLeastElementsOfRow)
      size = std::clamp<int64_t>(kElementsOfSteps / std::max<int64_t>(lineElements, 1), 1, size);
    if (contiguous.test(i))
      size = std::max(size, std::min(kLeastPieceElements, extent / kLeastTiles));
    // Less than a line of them is no tile either.
    const int64_t ofLine = stepsOfLine(op, extents, i);
    size = std::max(size, ofLine);
    if (readsRowsAgain(op, extents, i))
      size = std::max(size, std::min(kRowsInTurn, extent / kLeastTiles));
    // Short lines take less than starting the threads for both loops.
    const bool areShort = estimatedVolume(ArrayRef(extents).drop_front(i)) <= kShortLine;
    if ((tiles >= kEnoughTiles || (tiles >= kSomeTiles && areShort)) &&
        work <= kLongestLine * workFactor && readsReductionAlong(op, i))
      break;
    // Less than a vector of neighbours is no tile.
    if (contiguous.test(i) && size < kVector && !ShapedType::isDynamic(extents[i])) continue;
    if (ShapedType::isDynamic(extents[i])) {
      sizes[i] = size;
    } else {
      if (extent <= ofLine) continue;
      if (size >= extent) break;
      sizes[i] = evenTileSize(extent, tiles == 1 ? evenNumberOfTiles(extent, size) : size);
    }
    any = true;
    if (sizes[i] > ofLine) break;
    work = inner * sizes[i];
    tiles *= extent / ofLine;  // As small as they can be.
  }
  return any ? sizes : TileSizes{};
}

// Whether `producer`, read by `consumer` through `operand`, is cut into disjoint tiles by the
// consumer's tile sizes; `tiled` are the consumer's tiled loops. On success `producerTiled` are
// those of the producer.
static bool mapsTilesOneToOne(linalg::LinalgOp consumer, OpOperand& operand,
                              const llvm::SmallBitVector& tiled, linalg::LinalgOp producer,
                              llvm::SmallBitVector& producerTiled) {
  const AffineMap map = consumer.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation()) return false;
  const unsigned resultNumber = cast<OpResult>(operand.get()).getResultNumber();
  const AffineMap producerMap =
      producer.getIndexingMapMatchingResult(producer->getResult(resultNumber));
  if (!producerMap.isProjectedPermutation()) return false;
  producerTiled = llvm::SmallBitVector(producer.getNumLoops());
  unsigned found = 0;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    if (!tiled.test(map.getDimPosition(i))) continue;
    ++found;
    producerTiled.set(producerMap.getDimPosition(i));
  }
  return found == tiled.count();
}

// The producers computed inside the consumer's loop.
static llvm::SetVector<Operation*> collectGroup(linalg::LinalgOp root, const TileSizes& sizes) {
  llvm::SetVector<Operation*> group;
  llvm::DenseMap<Operation*, llvm::SmallBitVector> tiledLoops;
  llvm::SmallBitVector rootTiled(root.getNumLoops());
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size != 0) rootTiled.set(i);
  }
  group.insert(root);
  tiledLoops[root] = rootTiled;
  for (Operation* op = root->getPrevNode(); op; op = op->getPrevNode()) {
    auto producer = dyn_cast<linalg::LinalgOp>(op);
    if (!producer || op->getNumResults() == 0 || op->use_empty() || isEmpty(producer)) continue;
    std::optional<llvm::SmallBitVector> agreed;
    const bool fits = llvm::all_of(op->getUses(), [&](OpOperand& use) {
      auto consumer = dyn_cast<linalg::LinalgOp>(use.getOwner());
      llvm::SmallBitVector producerTiled;
      if (!consumer || !group.contains(consumer)) return false;
      if (!mapsTilesOneToOne(consumer, use, tiledLoops[consumer], producer, producerTiled))
        return false;
      if (agreed && *agreed != producerTiled) return false;
      agreed = producerTiled;
      return true;
    });
    if (!fits) continue;
    group.insert(op);
    tiledLoops[op] = *agreed;
  }
  return group;
}

// Work of the producers per element of the consumer, roughly: how much larger their iteration
// spaces are.
static int64_t groupWorkFactor(linalg::LinalgOp root) {
  auto volume = [](linalg::LinalgOp op) { return estimatedVolume(op.getStaticLoopRanges()); };
  const int64_t own = volume(root);
  int64_t all = own;
  llvm::SetVector<Operation*> producers;
  for (const Value operand : root->getOperands()) {
    if (auto producer = operand.getDefiningOp<linalg::LinalgOp>()) producers.insert(producer);
  }
  for (Operation* producer : producers) all += volume(cast<linalg::LinalgOp>(producer));
  return std::max<int64_t>(all / own, 1);
}

// Where no producer comes inside, the work of `root` is its own.
static TileSizes chooseTileSizes(linalg::LinalgOp root, int64_t chunk) {
  TileSizes sizes = tileSizesFor(root, groupWorkFactor(root), chunk);
  const auto isAlone = [&](const TileSizes& chosen) {
    return !chosen.empty() && collectGroup(root, chosen).size() == 1;
  };
  if (!isAlone(sizes)) return sizes;
  TileSizes ofOwn = tileSizesFor(root, /*workFactor=*/1, chunk);
  return ofOwn.empty() || isAlone(ofOwn) ? ofOwn : sizes;
}

static LogicalResult tileGroup(IRRewriter& rewriter, linalg::LinalgOp root,
                               const TileSizes& sizes) {
  llvm::SetVector<Operation*> group = collectGroup(root, sizes);
  scf::SCFTilingOptions tiling;
  tiling.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  tiling.setTileSizes(llvm::map_to_vector(
      sizes, [&](int64_t size) { return OpFoldResult(rewriter.getIndexAttr(size)); }));
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling);
  options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer, bool) {
    return std::make_tuple(group.contains(producer.getOwner()), false);
  });
  rewriter.setInsertionPoint(root);
  auto tiled = scf::tileConsumerAndFuseProducersUsingSCF(
      rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(tiled)) return root->emitError("cannot tile this operation");
  for (const Value result : root->getResults()) {
    if (const Value replacement = tiled->replacements.lookup(result))
      rewriter.replaceAllUsesWith(result, replacement);
  }
  for (Operation* op : group) {
    // Of producers that are computed inside, slices are left that nothing reads.
    for (Operation* user : llvm::make_early_inc_range(op->getUsers())) {
      if (isa<tensor::ExtractSliceOp>(user) && user->use_empty()) rewriter.eraseOp(user);
    }
    if (op->use_empty()) rewriter.eraseOp(op);
  }
  return success();
}

void TileParallel::runOnOperation() {
  if (getOperation().isDeclaration()) return;
  IRRewriter rewriter(&getContext());
  // Later operations first: a consumer absorbs its producers before they are looked at. Only the
  // top level is tiled.
  Block& body = getOperation().getBody().front();
  Operation* op = body.getTerminator();
  while (op) {
    Operation* previous = op->getPrevNode();
    auto root = dyn_cast<linalg::LinalgOp>(op);
    if (root && root.hasPureTensorSemantics() && root->getNumResults() > 0) {
      const TileSizes sizes = chooseTileSizes(root, minElementsPerChunk);
      if (!sizes.empty()) {
        // Producers may be erased with the group: continue from the loop that replaces it.
        rewriter.setInsertionPointAfter(op);
        Operation* anchor =
            rewriter.create<UnrealizedConversionCastOp>(op->getLoc(), TypeRange{}, ValueRange{});
        if (failed(tileGroup(rewriter, root, sizes))) return signalPassFailure();
        previous = anchor->getPrevNode();
        rewriter.eraseOp(anchor);
      }
    }
    op = previous;
  }
}

}  // namespace tessera::lowering
