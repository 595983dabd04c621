// Software pipelining over rows. A loop that sums up waits for its loads, and one that writes for
// its stores; together they take less than one after the other. What lies between both (a division,
// moments that are joined) is done row by row, too.
#include "compiler/lowering/vectorize/row_pipeline.h"

#include <algorithm>

#include "compiler/lowering/loops.h"
#include "compiler/lowering/vectorize/plan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

/// Nests over the same rows, their outermost loop.
struct RowChain {
  linalg::LinalgOp sums, elements;
  SmallVector<linalg::LinalgOp> between;
  int64_t rows;

  SmallVector<linalg::LinalgOp> all() const {
    SmallVector<linalg::LinalgOp> nests = {sums};
    llvm::append_range(nests, between);
    nests.push_back(elements);
    return nests;
  }
};

/// A dimension of a buffer.
struct RowDim {
  Value buffer;
  std::optional<unsigned> dim;  ///< None where rows have all of the buffer in common.
};

}  // namespace

static int64_t elementsOfRow(linalg::LinalgOp op) {
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t elements = 1;
  for (const int64_t extent : ArrayRef(extents).drop_front()) {
    if (ShapedType::isDynamic(extent)) return 0;
    elements *= extent;
  }
  return elements;
}

// Bodies that read memory themselves may read any row of it.
static bool readsMemory(linalg::LinalgOp op) {
  return op->walk([](memref::LoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static bool hasRows(linalg::LinalgOp op, int64_t rows) {
  return op.hasPureBufferSemantics() && op.getNumLoops() > 0 && !op.hasIndexSemantics() &&
         !readsMemory(op) && op.getStaticLoopRanges()[0] == rows &&
         op.getIteratorTypesArray()[0] == utils::IteratorType::parallel;
}

// Sums of rows or of equal parts of rows, along one loop; or of channels in blocks of a vector,
// whose positions lie along that loop.
static bool sumsRows(linalg::LinalgOp op, int64_t lanes) {
  const unsigned numLoops = op.getNumLoops();
  if (numLoops < 2 || op.getNumReductionLoops() != 1) return false;
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  const int64_t elements = elementsOfRow(op);
  if (ShapedType::isDynamic(extents[0]) || extents[0] < 2 || !hasRows(op, extents[0]) ||
      elements < kLeastElementsOfRow || elements > kMostElementsOfRow)
    return false;
  const auto plan = planVectors(op, lanes);
  if (!plan || plan->loop != numLoops - 1) return false;
  if (plan->form == VectorForm::kPartials) return plan->blockLoop == plan->loop;
  const auto kinds = op.getIteratorTypesArray();
  return plan->form == VectorForm::kElements && numLoops == 3 && extents[2] == plan->lanes &&
         kinds[1] == utils::IteratorType::reduction && !combinersOf(op).empty();
}

// Whether the loops of `op` begin with those of rows that `sums` takes together.
static bool hasLoopsOf(linalg::LinalgOp op, linalg::LinalgOp sums, int64_t lanes) {
  const SmallVector<int64_t> extents = op.getStaticLoopRanges(),
                             ofSums = sums.getStaticLoopRanges();
  const bool areBlocks = planVectors(sums, lanes)->form == VectorForm::kElements;
  return areBlocks ? extents == ofSums
                   : extents.size() >= ofSums.size() &&
                         std::equal(ofSums.begin(), ofSums.end() - 1, extents.begin());
}

// Whether `op` writes rows of as many elements, made from what `sums` reads.
static bool writesRows(linalg::LinalgOp op, linalg::LinalgOp sums, int64_t lanes) {
  if (op.getNumReductionLoops() > 0 || elementsOfRow(op) != elementsOfRow(sums) ||
      !hasLoopsOf(op, sums, lanes))
    return false;
  const Value row = wholeOf(sums.getDpsInputs()[0]);
  if (!llvm::any_of(op.getDpsInputs(), [&](Value input) { return wholeOf(input) == row; }))
    return false;
  const auto plan = planVectors(op, lanes);
  return plan && plan->form == VectorForm::kElements && plan->loop == op.getNumLoops() - 1 &&
         plan->lanes == planVectors(sums, lanes)->lanes;
}

static std::optional<RowChain> chainFrom(linalg::LinalgOp sums, int64_t lanes) {
  if (!sumsRows(sums, lanes)) return std::nullopt;
  RowChain chain{
      .sums = sums, .elements = {}, .between = {}, .rows = sums.getStaticLoopRanges()[0]};
  for (Operation* op = sums->getNextNode(); op; op = op->getNextNode()) {
    auto nest = dyn_cast<linalg::LinalgOp>(op);
    if (!nest && !isMemoryEffectFree(op) && !isa<memref::AllocOp>(op)) return std::nullopt;
    if (!nest) continue;
    if (!hasRows(nest, chain.rows)) return std::nullopt;
    if (writesRows(nest, sums, lanes)) {
      chain.elements = nest;
      return chain;
    }
    chain.between.push_back(nest);
  }
  return std::nullopt;
}

// The dimension along which rows of an operand lie; nothing where they lie along none or several.
static std::optional<RowDim> rowDimOf(const Access& access) {
  RowDim rows{.buffer = access.buffer, .dim = std::nullopt};
  for (auto [i, expr] : llvm::enumerate(access.map.getResults())) {
    if (!expr.isFunctionOfDim(0)) continue;
    if (rows.dim || !isa<AffineDimExpr>(expr)) return std::nullopt;
    rows.dim = static_cast<unsigned>(i);
  }
  return rows;
}

static bool isKnownMemory(Value whole) {
  return isCallers(whole) ||
         isa_and_nonnull<memref::AllocOp, memref::GetGlobalOp>(whole.getDefiningOp());
}

// Whether no row needs what is written of another: what one of the nests writes, all of them have
// by rows of the same dimension. The caller may give the same memory for an operand and a result,
// whose rows are then the same.
static bool areRowsApart(const RowChain& chain) {
  DenseMap<Value, RowDim> written;
  for (linalg::LinalgOp op : chain.all()) {
    const SmallVector<Access> accesses = accessesOf(op);
    for (const Access& access : ArrayRef(accesses).take_back(op.getNumDpsInits())) {
      const auto rows = rowDimOf(access);
      if (!rows || !rows->dim) return false;
      written.try_emplace(wholeOf(access.buffer), *rows);
    }
  }
  const auto isApart = [&](const Access& access) {
    if (access.isScalar()) return true;
    const Value whole = wholeOf(access.buffer);
    const auto rows = rowDimOf(access);
    if (!rows || !isKnownMemory(whole)) return false;
    const auto found = written.find(whole);
    return found == written.end() ||
           (found->second.buffer == access.buffer && found->second.dim == rows->dim);
  };
  return llvm::all_of(chain.all(),
                      [&](linalg::LinalgOp op) { return llvm::all_of(accessesOf(op), isApart); });
}

// Row `row` of an operand.
static Value rowOf(IndexBuilder& b, const Access& access, Value row) {
  const auto rows = access.isScalar() ? std::nullopt : rowDimOf(access);
  if (!rows || !rows->dim) return access.buffer;
  const auto rank = static_cast<unsigned>(access.type().getRank());
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1)),
      sizes = memref::getMixedSizes(b, b.getLoc(), access.buffer);
  offsets[*rows->dim] = getAsOpFoldResult(row);
  sizes[*rows->dim] = b.getIndexAttr(1);
  return b.create<memref::SubViewOp>(access.buffer, offsets, sizes, strides);
}

static SmallVector<Value> rowsOf(IndexBuilder& b, linalg::LinalgOp op, Value row) {
  return llvm::map_to_vector(accessesOf(op),
                             [&](const Access& access) { return rowOf(b, access, row); });
}

static Operation* cloneFor(IndexBuilder& b, linalg::LinalgOp op, ValueRange operands) {
  return clone(b, op, TypeRange(), operands).getOperation();
}

static void takeTurns(const RowChain& chain, RowPairs& pairs) {
  IndexBuilder b(chain.elements->getLoc(), chain.elements);
  const auto emitRow = [&](linalg::LinalgOp op, Value row) { cloneFor(b, op, rowsOf(b, op, row)); };
  emitRow(chain.sums, b.index(0));
  for (linalg::LinalgOp op : chain.between) emitRow(op, b.index(0));
  emitLoop(b, chain.rows - 1, [&](Index row) {
    const Value next = row + 1;
    const SmallVector<Value> written = rowsOf(b, chain.elements, row),
                             read = rowsOf(b, chain.sums, next);
    cloneFor(b, chain.elements, written);
    pairs.insert(cloneFor(b, chain.sums, read));
    for (linalg::LinalgOp op : chain.between) emitRow(op, next);
  });
  emitRow(chain.elements, b.index(chain.rows - 1));
  for (linalg::LinalgOp op : chain.all()) op.erase();
}

RowPairs pipelineRows(func::FuncOp function, int64_t lanes) {
  SmallVector<RowChain> chains;
  DenseSet<Operation*> taken;
  function.walk([&](linalg::LinalgOp op) {
    if (taken.contains(op)) return;
    const auto chain = chainFrom(op, lanes);
    if (!chain || !areRowsApart(*chain)) return;
    for (linalg::LinalgOp nest : chain->all()) taken.insert(nest);
    chains.push_back(*chain);
  });
  RowPairs pairs;
  for (const RowChain& chain : chains) takeTurns(chain, pairs);
  return pairs;
}

}  // namespace tessera::lowering
