// Libxsmm's formulation (Georganas et al., "High-Performance Deep Learning via a Single Building
// Block", IPDPS 2020), emitted into the vector dialect. One step of the reduction loads `panels`
// vectors of B, broadcasts one element of A per row and issues rows*panels multiply-adds; LLVM
// keeps the loop-carried accumulators in registers.
#include "compiler/lowering/contraction/brgemm.h"

#include "compiler/lowering/index_builder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// Emits the loop nest; carries the accumulators of all partial sums. Addresses are pointers plus
/// constants (not indices into memrefs): each operand then needs one register in the inner loop,
/// its rows and steps are displacements.
class Emitter {
 public:
  Emitter(const IndexBuilder& b, const BrgemmTile& tile)
      : b_(b),
        tile_(tile),
        pointer_(LLVM::LLVMPointerType::get(b_.getContext())),
        vector_(VectorType::get({tile.lanes}, b_.getF32Type())) {}

  SmallVector<Value> emitLoops(size_t depth, Value a, Value b, SmallVector<Value> accumulators) {
    const ReductionLoop& loop = tile_.loops[depth];
    bool isLast = depth + 1 == tile_.loops.size();
    int64_t step = isLast ? std::min(tile_.unroll, loop.extent) : 1;
    const int64_t mainExtent = loop.extent / step * step;
    auto body = [&](Value innerA, Value innerB, SmallVector<Value> carried) {
      if (!isLast) return emitLoops(depth + 1, innerA, innerB, std::move(carried));
      return emitSteps(0, step, innerA, innerB, std::move(carried));
    };
    if (mainExtent == step) {
      accumulators = body(a, b, std::move(accumulators));
    } else {
      auto forOp =
          b_.create<scf::ForOp>(b_.index(0), b_.index(mainExtent), b_.index(step), accumulators);
      const OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(forOp.getBody());
      const Value innerA = advance(a, forOp.getInductionVar(), loop.aStride);
      const Value innerB = advance(b, forOp.getInductionVar(), loop.bStride);
      const SmallVector<Value> carried =
          body(innerA, innerB, llvm::to_vector_of<Value>(forOp.getRegionIterArgs()));
      b_.create<scf::YieldOp>(carried);
      accumulators = llvm::to_vector_of<Value>(forOp.getResults());
    }
    if (mainExtent < loop.extent)
      accumulators = emitSteps(mainExtent, loop.extent, a, b, std::move(accumulators));
    return accumulators;
  }

  // The address of element `offset` (index) of a flat memref.
  Value address(Value memref, Value offset) {
    const Type i64 = b_.getI64Type();
    auto sizes = LLVM::LLVMArrayType::get(i64, 1);
    auto descriptor =
        LLVM::LLVMStructType::getLiteral(b_.getContext(), {pointer_, pointer_, i64, sizes, sizes});
    const Value fields = b_.create<UnrealizedConversionCastOp>(descriptor, memref).getResult(0);
    return advance(b_.create<LLVM::ExtractValueOp>(fields, 1), offset, 1);
  }

 private:
  Value advance(Value pointer, Value index, int64_t stride) {
    const Value offset = b_.create<arith::IndexCastOp>(b_.getI64Type(), b_.mul(index, stride));
    return b_.create<LLVM::GEPOp>(pointer_, b_.getF32Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{offset}, /*inbounds=*/true);
  }

  // The value of `type` that lies `distance` floats after `pointer`.
  Value load(Type type, Value pointer, int64_t distance) {
    const Value at = b_.create<LLVM::GEPOp>(pointer_, b_.getF32Type(), pointer,
                                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(distance)},
                                            /*inbounds=*/true);
    return b_.create<LLVM::LoadOp>(type, at, /*alignment=*/4);
  }

  // Steps [begin, end) of the last loop, straight-line.
  SmallVector<Value> emitSteps(int64_t begin, int64_t end, Value a, Value b,
                               SmallVector<Value> accumulators) {
    const ReductionLoop& loop = tile_.loops.back();
    const size_t setSize = tile_.rowOffsets.size() * tile_.panels;
    for (int64_t step = begin; step < end; ++step) {
      const size_t set = static_cast<size_t>(step % tile_.partialSums) * setSize;
      SmallVector<Value> weights;
      for (int64_t panel = 0; panel < tile_.panels; ++panel) {
        weights.push_back(load(vector_, b, panel * tile_.panelStride + step * loop.bStride));
      }
      for (auto [row, rowOffset] : llvm::enumerate(tile_.rowOffsets)) {
        const Value element = load(b_.getF32Type(), a, rowOffset + step * loop.aStride);
        const Value spread = b_.create<vector::BroadcastOp>(vector_, element);
        for (int64_t panel = 0; panel < tile_.panels; ++panel) {
          Value& accumulator = accumulators[set + row * tile_.panels + panel];
          accumulator = b_.create<vector::FMAOp>(spread, weights[panel], accumulator);
        }
      }
    }
    return accumulators;
  }

  IndexBuilder b_;
  const BrgemmTile& tile_;
  Type pointer_;
  VectorType vector_;
};

}  // namespace

// Loops of extent 1 vanish; neighbours that walk both operands contiguously become one.
static SmallVector<ReductionLoop> simplifyLoops(ArrayRef<ReductionLoop> loops) {
  SmallVector<ReductionLoop> kept;
  for (const ReductionLoop& loop : loops) {
    if (loop.extent == 1) continue;
    if (!kept.empty() && kept.back().aStride == loop.extent * loop.aStride &&
        kept.back().bStride == loop.extent * loop.bStride) {
      kept.back() = {.extent = kept.back().extent * loop.extent,
                     .aStride = loop.aStride,
                     .bStride = loop.bStride};
    } else {
      kept.push_back(loop);
    }
  }
  if (kept.empty()) kept.push_back({.extent = 1, .aStride = 0, .bStride = 0});
  return kept;
}

SmallVector<Value> emitBrgemm(OpBuilder& b, Location loc, const BrgemmTile& tile,
                              ValueRange accumulators) {
  if (llvm::any_of(tile.loops, [](const ReductionLoop& loop) { return loop.extent == 0; }))
    return llvm::to_vector(accumulators);
  BrgemmTile simplified = tile;
  simplified.loops = simplifyLoops(tile.loops);
  simplified.partialSums =
      std::min({tile.partialSums, tile.unroll, simplified.loops.back().extent});
  SmallVector<Value> all = llvm::to_vector(accumulators);
  const size_t setSize = all.size();
  if (simplified.partialSums > 1) {
    auto vector = VectorType::get({tile.lanes}, b.getF32Type());
    const Value zero = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(vector, 0.0f));
    all.resize(setSize * simplified.partialSums, zero);
  }
  Emitter emitter({loc, b}, simplified);
  SmallVector<Value> reduced =
      emitter.emitLoops(0, emitter.address(tile.a, tile.aOffset),
                        emitter.address(tile.b, tile.bOffset), std::move(all));
  for (size_t i = setSize; i < reduced.size(); ++i) {
    reduced[i % setSize] = b.create<arith::AddFOp>(loc, reduced[i % setSize], reduced[i]);
  }
  reduced.resize(setSize);
  return reduced;
}

}  // namespace tessera::lowering
