// Each loop is tried as the one that becomes vectors; the estimate is instructions for each
// iteration of the whole nest. A vector costs what a scalar does, a part of one is paid in full,
// operands that lie elsewhere are collected element by element.
#include "compiler/lowering/vectorize/plan.h"

#include "compiler/lowering/streamed_result.h"
#include "compiler/lowering/vectorize/combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tessera::lowering {

// What a '?' extent is taken for.
static constexpr int64_t kUnknownExtent = 256;
// Instructions to collect or spread one element of a vector; to combine the partial sums of one;
// to transpose one vector's worth of a square.
static constexpr double kCollectCost = 2.0, kCombineCost = 12.0, kTransposeCost = 5.0;
// Reductions of at most so many steps in all are written out.
static constexpr int64_t kMostUnrolled = 32;
// Vectors that are read in one piece, so that keeping sums in memory is worth it.
static constexpr int64_t kLeastVectors = 8;
// Vectors computed side by side in reductions.
static constexpr int64_t kBlock = 4;

namespace {

/// What there is to know of a nest before a loop is chosen.
struct Nest {
  linalg::LinalgOp op;
  SmallVector<Access> accesses;
  size_t numOutputs;
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> kinds;
  int64_t lanes;
  SmallVector<Operation*> combiners;
  double bodyCost;

  ArrayRef<Access> outputs() const { return ArrayRef(accesses).take_back(numOutputs); }
  bool isParallel(unsigned loop) const { return kinds[loop] == utils::IteratorType::parallel; }
  bool isReduction() const { return llvm::is_contained(kinds, utils::IteratorType::reduction); }
  double extent(unsigned loop) const {
    const int64_t extent = extents[loop];
    return static_cast<double>(ShapedType::isDynamic(extent) ? kUnknownExtent : extent);
  }
  /// Share of the lanes that are used.
  double fill(unsigned loop) const {
    if (ShapedType::isDynamic(extents[loop])) return 0.9;
    const int64_t vectors = llvm::divideCeilSigned(extents[loop], lanes);
    return static_cast<double>(extents[loop]) / static_cast<double>(vectors * lanes);
  }
};

struct Candidate {
  VectorPlan plan;
  double cost;
};

}  // namespace

static bool hasVectorForm(Operation& op) {
  if (isa<linalg::IndexOp, memref::LoadOp, arith::ConstantOp>(op)) return true;
  return op.getNumRegions() == 0 && op.getNumResults() == 1 &&
         OpTrait::hasElementwiseMappableTraits(&op);
}

static bool isVectorElement(Type type) {
  return type.isF32() || type.isF64() || type.isIndex() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() <= 64);
}

static bool canBeVectors(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() == 0) return false;
  for (const Access& access : accessesOf(op)) {
    const Type element = getElementTypeOrSelf(access.buffer.getType());
    const bool isBit = element.isInteger(1) && !access.isScalar();
    if (!isVectorElement(element) || isBit || !isSumOfLoops(access.map)) return false;
  }
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation& inner) {
    return hasVectorForm(inner) && llvm::all_of(inner.getResultTypes(), isVectorElement);
  });
}

static double costOf(Operation& op) {
  if (isa<arith::ConstantOp, linalg::IndexOp>(op)) return 0;
  if (isa<arith::DivFOp, math::SqrtOp>(op)) return 4;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) return 16;
  return isa<math::MathDialect>(op.getDialect()) ? 12 : 1;
}

// Lanes of a vector whose widest elements take a register's worth.
static int64_t lanesFor(linalg::LinalgOp op, int64_t lanes) {
  unsigned widest = 32;
  const auto widen = [&](Type type) {
    if (!type.isIndex()) widest = std::max(widest, type.getIntOrFloatBitWidth());
  };
  for (const Access& access : accessesOf(op)) widen(getElementTypeOrSelf(access.buffer.getType()));
  return std::max<int64_t>(lanes * 32 / widest, 2);
}

static Nest describe(linalg::LinalgOp op, int64_t lanes) {
  Nest nest{.op = op,
            .accesses = accessesOf(op),
            .numOutputs = static_cast<size_t>(op.getNumDpsInits()),
            .extents = op.getStaticLoopRanges(),
            .kinds = op.getIteratorTypesArray(),
            .lanes = lanesFor(op, lanes),
            .combiners = combinersOf(op),
            .bodyCost = 0};
  for (Operation& inner : op.getBlock()->without_terminator()) nest.bodyCost += costOf(inner);
  return nest;
}

// Elements that loads in the body collect one by one, for each vector, when `loop` becomes vectors.
static double loadCost(const Nest& nest, unsigned loop) {
  const Variations variations = variationsAlong(nest.op, loop, nest.lanes);
  double cost = 0;
  linalg::LinalgOp op = nest.op;
  for (auto load : op.getBlock()->getOps<memref::LoadOp>()) {
    if (placeVariation(load, variations).kind == Variation::kVarying)
      cost += kCollectCost * static_cast<double>(nest.lanes);
  }
  return cost;
}

// Instructions for a vector of operands along `loop`; those that are the same for all of it cost
// nothing.
static double accessCost(const Nest& nest, unsigned loop) {
  double cost = loadCost(nest, loop);
  for (const Access& access : nest.accesses) {
    const Step step = access.step(loop);
    if (step == Step::kNext) cost += 1;
    if (step == Step::kSkip || step == Step::kFar)
      cost += kCollectCost * static_cast<double>(nest.lanes);
  }
  return cost;
}

static std::optional<Candidate> tryElements(const Nest& nest, unsigned loop) {
  if (!nest.isParallel(loop)) return std::nullopt;
  for (const Access& output : nest.outputs()) {
    if (output.step(loop) != Step::kNext) return std::nullopt;
  }
  const double perVector = accessCost(nest, loop) + nest.bodyCost;
  return Candidate{.plan = {.form = VectorForm::kElements, .loop = loop, .lanes = nest.lanes},
                   .cost = perVector / (static_cast<double>(nest.lanes) * nest.fill(loop))};
}

static std::optional<Candidate> tryPartials(const Nest& nest, unsigned loop) {
  if (nest.isParallel(loop) || nest.combiners.empty()) return std::nullopt;
  double length = 1;
  for (unsigned i = 0; i < nest.extents.size(); ++i) {
    if (!nest.isParallel(i)) length *= std::max(nest.extent(i), 1.0);
  }
  const double perVector = accessCost(nest, loop) + nest.bodyCost;
  return Candidate{.plan = {.form = VectorForm::kPartials, .loop = loop, .lanes = nest.lanes},
                   .cost = perVector / (static_cast<double>(nest.lanes) * nest.fill(loop)) +
                           kCombineCost / length};
}

// Operands that lie along `cross` are read as squares and transposed.
static std::optional<Candidate> tryTransposed(const Nest& nest, unsigned loop, unsigned cross) {
  if (loop == cross || nest.isReduction() || !nest.isParallel(loop) || !nest.isParallel(cross))
    return std::nullopt;
  for (const Access& output : nest.outputs()) {
    if (output.step(loop) != Step::kNext) return std::nullopt;
  }
  double cost = loadCost(nest, loop) + nest.bodyCost;
  bool transposesAny = false;
  for (const Access& access : nest.accesses) {
    const Step step = access.step(loop);
    if (step == Step::kNext) cost += 1;
    if (step != Step::kSkip && step != Step::kFar) continue;
    if (access.step(cross) != Step::kNext) {
      cost += kCollectCost * static_cast<double>(nest.lanes);
      continue;
    }
    cost += kTransposeCost;
    transposesAny = true;
  }
  if (!transposesAny) return std::nullopt;
  return Candidate{
      .plan = {.form = VectorForm::kTransposed,
               .loop = loop,
               .lanes = nest.lanes,
               .crossLoop = cross},
      .cost = cost / (static_cast<double>(nest.lanes) * nest.fill(loop) * nest.fill(cross))};
}

static SmallVector<Candidate> candidatesOf(const Nest& nest) {
  SmallVector<Candidate> candidates;
  const auto add = [&](std::optional<Candidate> candidate) {
    if (candidate) candidates.push_back(std::move(*candidate));
  };
  for (unsigned loop = 0; loop < nest.extents.size(); ++loop) {
    if (nest.extents[loop] == 1 || nest.extents[loop] == 0) continue;
    add(tryElements(nest, loop));
    add(tryPartials(nest, loop));
    for (unsigned cross = 0; cross < nest.extents.size(); ++cross)
      add(tryTransposed(nest, loop, cross));
  }
  return candidates;
}

// Short reductions are written out, innermost loops first.
static void chooseUnrolled(const Nest& nest, VectorPlan& plan) {
  int64_t left = kMostUnrolled;
  plan.isUnrolled.assign(nest.extents.size(), false);
  for (unsigned loop = nest.extents.size(); loop-- > 0;) {
    if (nest.isParallel(loop) || loop == plan.loop) continue;
    const int64_t extent = nest.extents[loop];
    if (ShapedType::isDynamic(extent) || extent > left || extent == 0) return;
    plan.isUnrolled[loop] = true;
    left /= extent;
  }
}

// Whether results are sums over one long loop along which operands lie far apart, none of them used
// for more than one result.
static bool sumsFarApart(const Nest& nest, const VectorPlan& plan) {
  std::optional<unsigned> reduction;
  for (unsigned loop = 0; loop < nest.extents.size(); ++loop) {
    if (nest.isParallel(loop)) continue;
    if (reduction || plan.isUnrolled[loop] || ShapedType::isDynamic(nest.extents[loop]))
      return false;
    reduction = loop;
  }
  if (plan.form != VectorForm::kElements || !reduction) return false;
  const auto inputs = ArrayRef(nest.accesses).drop_back(nest.numOutputs);
  const auto isRead = [&](const Access& access) { return access.dependsOn(*reduction); };
  return llvm::any_of(inputs, isRead) && llvm::all_of(inputs, [&](const Access& access) {
           return !isRead(access) ||
                  (access.step(*reduction) == Step::kFar && access.step(plan.loop) == Step::kNext);
         });
}

// Two rows side by side where each vector of results reads more than two vectors, which is what can
// be read while one is written, and some of them are the same for both.
static void shareRows(const Nest& nest, VectorPlan& plan) {
  constexpr int64_t kRows = 2, kMostRead = 2;
  if (plan.form != VectorForm::kElements ||
      nest.extents[plan.loop] < kLeastVectors * plan.lanes)  // An open one is negative.
    return;
  const auto isVector = [&](const Access& access) { return access.step(plan.loop) == Step::kNext; };
  const auto inputs = ArrayRef(nest.accesses).drop_back(nest.numOutputs);
  if (llvm::count_if(inputs, isVector) <= kMostRead) return;
  for (unsigned loop = plan.loop; loop-- > 0;) {
    const bool isShared = llvm::any_of(
        inputs, [&](const Access& access) { return isVector(access) && !access.dependsOn(loop); });
    if (nest.extents[loop] < kRows || !isShared) continue;
    plan.blockLoop = loop;
    plan.block = kRows;
    return;
  }
}

static int64_t vectorsOfLine(const Nest& nest) {
  const int64_t bytes = nest.lanes * elementBytes(nest.accesses.back().type());
  return std::max<int64_t>(kLineBytes / bytes, 1);
}

// Neighbouring vectors of an operand side by side that together are a line of the cache, where its
// order is another than the result's: each line is read once.
static void shareLines(const Nest& nest, VectorPlan& plan) {
  const int64_t together = vectorsOfLine(nest);
  if (plan.form != VectorForm::kElements || nest.extents[plan.loop] != plan.lanes || together == 1)
    return;
  const auto followsVector = [&](const Access& access, unsigned loop) {
    if (access.isScalar() || access.map.getNumResults() < nest.extents.size()) return false;
    const auto last = access.map.getResults().take_back(2);
    return last[0] == getAffineDimExpr(loop, access.map.getContext()) &&
           access.step(plan.loop) == Step::kNext && access.type().getShape().back() == plan.lanes;
  };
  for (unsigned loop = 0; loop < nest.extents.size(); ++loop) {
    const auto isNeighbour = [&](const Access& access) { return followsVector(access, loop); };
    if (loop == plan.loop || nest.extents[loop] < 2 ||
        !llvm::any_of(ArrayRef(nest.accesses).drop_back(nest.numOutputs), isNeighbour) ||
        llvm::any_of(nest.outputs(), isNeighbour))
      continue;
    plan.blockLoop = loop;
    plan.block = std::min(together, nest.extents[loop]);
    return;
  }
}

// One vector of results and nothing beside it: steps of the innermost reduction go to partial
// results in turn.
static void chooseChains(const Nest& nest, VectorPlan& plan) {
  if (nest.combiners.empty()) return;
  for (unsigned loop = nest.extents.size(); loop-- > 0;) {
    if (nest.isParallel(loop) || nest.extents[loop] < kBlock) continue;  // An open one is negative.
    plan.blockLoop = loop;
    plan.block = kBlock;
    return;
  }
}

// Short lines whose results are neighbours: as many of them side by side as a vector has lanes, so
// that the partial results of all are combined at once.
static bool chooseLines(const Nest& nest, VectorPlan& plan) {
  const int64_t extent = nest.extents[plan.loop];
  if (plan.form != VectorForm::kPartials || ShapedType::isDynamic(extent) ||
      extent > kLeastVectors * plan.lanes)
    return false;
  for (unsigned loop = nest.extents.size(); loop-- > 0;) {
    const bool areFew =
        !ShapedType::isDynamic(nest.extents[loop]) && nest.extents[loop] < plan.lanes;
    if (!nest.isParallel(loop) || areFew) continue;
    if (!llvm::all_of(nest.outputs(),
                      [&](const Access& access) { return access.step(loop) == Step::kNext; }))
      continue;
    plan.blockLoop = loop;
    plan.block = plan.lanes;
    return true;
  }
  return false;
}

// Vectors side by side: along the vectors' own loop where that is long, else along another one.
static void chooseBlock(const Nest& nest, VectorPlan& plan) {
  plan.blockLoop = plan.loop;
  if (plan.form == VectorForm::kTransposed) {
    plan.block = vectorsOfLine(nest);
    return;
  }
  if (!nest.isReduction()) {
    shareRows(nest, plan);
    if (plan.block == 1) shareLines(nest, plan);
    return;
  }
  if (chooseLines(nest, plan)) return;
  const int64_t extent = nest.extents[plan.loop];
  const int64_t vectors = ShapedType::isDynamic(extent) ? kBlock : extent / plan.lanes;
  if (vectors >= 2) {
    plan.sumsInMemory = vectors >= kLeastVectors && sumsFarApart(nest, plan);
    plan.block = plan.sumsInMemory ? 1 : std::min(kBlock, vectors);
    return;
  }
  if (plan.form != VectorForm::kElements) return;
  for (unsigned loop = nest.extents.size(); loop-- > 0;) {
    if (!nest.isParallel(loop) || loop == plan.loop || nest.extents[loop] < 2) continue;
    plan.blockLoop = loop;
    plan.block = std::min(kBlock, nest.extents[loop]);
    return;
  }
  chooseChains(nest, plan);
}

std::optional<VectorPlan> planVectors(linalg::LinalgOp op, int64_t lanes) {
  if (!canBeVectors(op)) return std::nullopt;
  const Nest nest = describe(op, lanes);
  const SmallVector<Candidate> candidates = candidatesOf(nest);
  const auto* best =
      std::min_element(candidates.begin(), candidates.end(),
                       [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  const double scalarCost = nest.bodyCost + static_cast<double>(nest.accesses.size());
  if (best == candidates.end() || best->cost > scalarCost) return std::nullopt;
  VectorPlan plan = best->plan;
  chooseUnrolled(nest, plan);
  chooseBlock(nest, plan);
  return plan;
}

}  // namespace tessera::lowering
