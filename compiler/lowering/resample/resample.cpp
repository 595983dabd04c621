// The axes are joined: a vector of results is made from one vector of each row of the input that it
// needs. These are weighted and added as they lie, then picked from by shuffles that are known at
// compile time, once for each tap along the row. Nothing in between is written to memory.
#include "compiler/lowering/resample/resample.h"

#include "compiler/lowering/contraction/parallel.h"
#include "compiler/lowering/lanes.h"
#include "compiler/lowering/loops.h"
#include "compiler/lowering/resample/column_groups.h"
#include "compiler/lowering/resample/enlarge.h"
#include "compiler/lowering/streamed_result.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::lowering {

namespace {

class ResampleEmitter {
 public:
  ResampleEmitter(const IndexBuilder& b, const Resampling& resampling, ArrayRef<ColumnGroup> groups,
                  int64_t lanes, const Epilogue& epilogue)
      : b_(b),
        resampling_(resampling),
        groups_(groups),
        lanes_(lanes),
        epilogue_(epilogue),
        vector_(VectorType::get({lanes}, b_.getF32Type())) {}

  Value input, output;          // flat
  Value positions, rowWeights;  // Of the rows: [output, taps].
  bool isStreamed = false;      // Whole vectors are written past the caches.

  void emitRow(Value plane, Value row);

 private:
  void emitGroups();
  void emitGroup(const ColumnGroup& group, Index base, Index column);
  Value readRows(Index base, int64_t numRead);
  Value weighted(Value sum, Value vector, Value weight);
  void store(Value result, Index column, int64_t numValid);

  IndexBuilder b_;
  const Resampling& resampling_;
  ArrayRef<ColumnGroup> groups_;
  int64_t lanes_;
  const Epilogue& epilogue_;
  VectorType vector_;
  Value plane_;
  Index inPlane_;                  ///< Number of the row's first element in its plane.
  SmallVector<Index> rowsAt_;      ///< Of each tap, where its row of the input begins.
  SmallVector<Value> rowFactors_;  ///< Of each tap, a vector; none for weights of 1.
};

}  // namespace

Value ResampleEmitter::weighted(Value sum, Value vector, Value weight) {
  if (!weight) return vector;
  if (!sum) return b_.create<arith::MulFOp>(vector, weight);
  return b_.create<vector::FMAOp>(vector, weight, sum);
}

Value ResampleEmitter::readRows(Index base, int64_t numRead) {
  Value sum;
  for (auto [tap, at] : llvm::enumerate(rowsAt_)) {
    const Value row = loadLanes(b_, b_.getLoc(), input, at + base, lanes_, numRead);
    sum = weighted(sum, row, rowFactors_.empty() ? Value() : rowFactors_[tap]);
  }
  return sum;
}

void ResampleEmitter::store(Value result, Index column, int64_t numValid) {
  const Index inPlane = inPlane_ + column;
  const Index offset =
      b_.term(plane_) * (resampling_.rows.output * resampling_.columns.output) + inPlane;
  storeResult({.b = b_,
               .loc = b_.getLoc(),
               .accumulator = result,
               .outputOffset = offset,
               .channelOffset = inPlane,
               .batch = b_.index(0),
               .row = plane_,
               .lanes = lanes_,
               .validLanes = numValid},
              epilogue_, output, isStreamed);
}

void ResampleEmitter::emitGroup(const ColumnGroup& group, Index base, Index column) {
  const Value row = readRows(base, group.numRead);
  Value sum;
  for (auto [tap, places] : llvm::enumerate(group.places)) {
    const Value picked = b_.create<vector::ShuffleOp>(row, row, places);
    Value weight;
    if (!group.weights.empty())
      weight = b_.create<arith::ConstantOp>(
          DenseElementsAttr::get(vector_, ArrayRef<float>(group.weights[tap])));
    sum = weighted(sum, picked, weight);
  }
  store(sum, column, group.numValid);
}

void ResampleEmitter::emitRow(Value plane, Value row) {
  const ResampledAxis& rows = resampling_.rows;
  plane_ = plane;
  inPlane_ = b_.term(row) * resampling_.columns.output;
  for (int64_t tap = 0; tap < rows.numTaps; ++tap) {
    const Value entry = b_.term(row) * rows.numTaps + tap;
    const Value position = b_.create<memref::LoadOp>(positions, ValueRange{entry});
    const Index inputRow = b_.term(plane) * rows.input + position;
    rowsAt_.push_back(inputRow * resampling_.columns.input);
    if (rowWeights)
      rowFactors_.push_back(b_.create<vector::BroadcastOp>(
          vector_, b_.create<memref::LoadOp>(rowWeights, ValueRange{entry})));
  }
  emitGroups();
}

void ResampleEmitter::emitGroups() {
  for (const ColumnRun& run : runsOf(groups_)) {
    const auto emitPeriod = [&](Index number) {
      for (size_t i = run.begin; i < run.begin + run.period; ++i) {
        const auto first = static_cast<int64_t>(i) * lanes_;
        const Index base = number * run.advance + groups_[i].base;
        const Index column = number * (static_cast<int64_t>(run.period) * lanes_) + first;
        emitGroup(groups_[i], base, column);
      }
    };
    if (run.count == 1) {
      emitPeriod(b_.term(0));
      continue;
    }
    emitLoop(b_, static_cast<int64_t>(run.count), [&](Index number) { emitPeriod(number); });
  }
}

bool isForResampling(const Resampling& resampling, int64_t lanes) {
  constexpr size_t kMostRuns = 40;  // Each is code of its own.
  if (resampling.rows.output < 1 || resampling.columns.output < 1) return false;
  const auto groups = columnGroups(resampling.columns, lanes);
  return groups && runsOf(*groups).size() <= kMostRuns;
}

// A table in the kernel's module, as a flat memref.
static Value tableOf(IndexBuilder& b, StringRef name, DenseElementsAttr values) {
  auto kernel = b.getInsertionBlock()->getParentOp()->getParentOfType<func::FuncOp>();
  if (!kernel) kernel = cast<func::FuncOp>(b.getInsertionBlock()->getParentOp());
  const auto type = MemRefType::get(values.getType().getShape(), values.getElementType());
  {
    const OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(kernel);
    b.create<memref::GlobalOp>(name, /*sym_visibility=*/b.getStringAttr("private"), type, values,
                               /*constant=*/true, /*alignment=*/IntegerAttr());
  }
  return b.create<memref::GetGlobalOp>(type, name);
}

void emitResampling(OpBuilder& at, Location loc, const Resampling& resampling, Value input,
                    Value output, const CpuTarget& cpu, const Epilogue& epilogue) {
  IndexBuilder b(loc, at);
  const ResampledAxis& rows = resampling.rows;
  const Value flatInput = flattenMemRef(b, loc, input), flatOutput = flattenMemRef(b, loc, output);
  if (const auto enlargement = enlargementOf(resampling, cpu.vectorLanes))
    return emitEnlargement(b, resampling, *enlargement, flatInput, flatOutput, cpu.vectorLanes,
                           epilogue);
  const auto groups = columnGroups(resampling.columns, cpu.vectorLanes);
  const int64_t planeSize = rows.input * resampling.columns.input;
  const Value planes = b.floorDiv(b.createOrFold<memref::DimOp>(flatInput, b.index(0)), planeSize);
  const auto count = static_cast<int64_t>(rows.positions.size());
  const Value positions =
      tableOf(b, "resampled_rows",
              DenseIntElementsAttr::get(RankedTensorType::get({count}, b.getIndexType()),
                                        ArrayRef<int64_t>(rows.positions)));
  Value weights;
  if (!rows.weights.empty())
    weights = tableOf(b, "row_weights",
                      DenseElementsAttr::get(RankedTensorType::get({count}, b.getF32Type()),
                                             ArrayRef<float>(rows.weights)));
  emitStreamed(b, flatOutput, resampling.columns.output, cpu.vectorLanes, cpu.vectorLanes,
               [&](IndexBuilder in, Value target, bool isStreamed) {
                 scf::ForallOp forall =
                     openForall(in, {getAsOpFoldResult(planes), in.getIndexAttr(rows.output)});
                 ResampleEmitter emitter(in, resampling, *groups, cpu.vectorLanes, epilogue);
                 emitter.input = flatInput;
                 emitter.output = target;
                 emitter.positions = positions;
                 emitter.rowWeights = weights;
                 emitter.isStreamed = isStreamed;
                 emitter.emitRow(forall.getInductionVars()[0], forall.getInductionVars()[1]);
               });
}

}  // namespace tessera::lowering
