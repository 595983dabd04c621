// What happens to an accumulator between the last multiply-add and the store, and what makes inputs
// in front of the first one.
#pragma once

#include <cstdint>
#include <functional>

#include "mlir/IR/Builders.h"

namespace tessera::lowering {

/// One vector of results about to be stored, or of inputs that a prologue makes.
struct EpilogueContext {
  mlir::OpBuilder& b;
  mlir::Location loc;
  mlir::Value accumulator;   ///< vector<lanes x f32>, bias included; null for a prologue
  mlir::Value outputOffset;  ///< index: element offset in the output buffer of lane 0; valid in any
                             ///< buffer of its shape and layout
  mlir::Value channelOffset;  ///< index: first output channel (Conv) or column (Gemm) of the vector
  mlir::Value batch;          ///< index: image (Conv) or batch entry (Gemm)
  mlir::Value row;            ///< index: row of the matrix (Gemm); null for Conv
  int64_t lanes = 16;
  int64_t validLanes = 16;    ///< Lanes inside the tensor; the others are not stored.
  mlir::Value laneMask = {};  ///< The same where it is known at run time only: conditions, or null.
  /// index: the row's position in each dimension before the columns, where the emitter knows it.
  llvm::ArrayRef<mlir::Value> rowIndices = {};
};

/// Returns the vector to store; `context.b` inserts before the store. Called for every vector of
/// each tile variant; a long one, which would not leave accumulators in registers, for every column
/// of vectors, in a loop.
class Epilogue {
 public:
  using Function = std::function<mlir::Value(const EpilogueContext&)>;

  Epilogue(std::nullptr_t = nullptr) {}  // NOLINT: no epilogue.
  template <typename Callable>
  Epilogue(Callable emit, bool isLong = false,
           bool readsMemory = true)  // NOLINT: a function is an epilogue.
      : emit_(std::move(emit)), isLong_(isLong), readsMemory_(readsMemory) {}

  explicit operator bool() const { return emit_ != nullptr; }
  mlir::Value operator()(const EpilogueContext& context) const { return emit_(context); }
  bool isLong() const { return isLong_; }
  /// Whether it reads more than the accumulator. Else a vector may be stored twice, and with lanes
  /// outside of the tensor.
  bool readsMemory() const { return readsMemory_; }

 private:
  Function emit_;
  bool isLong_ = false, readsMemory_ = false;
};

/// Returns a vector of inputs in place of one of results: the context is that of an epilogue behind
/// whatever would make them.
using Prologue = Epilogue;

/// A vector of the flat memref `source` at `offset`, of which lanes outside of the tensor are 0 and
/// not touched.
mlir::Value loadLanes(const EpilogueContext& context, mlir::Value source, mlir::Value offset);

/// Ends a vector of results: writes what the epilogue, where there is one, makes of the accumulator
/// to its place in the flat memref `target`; a whole vector past the caches where `isStreamed`
/// (compiler/lowering/streamed_result.h).
void storeResult(const EpilogueContext& context, const Epilogue& epilogue, mlir::Value target,
                 bool isStreamed = false);

/// For epilogues: the elements at the accumulator's place of a buffer with the output's shape and
/// layout (a residual).
mlir::Value loadSameShape(const EpilogueContext& context, mlir::Value buffer);

/// For epilogues: the elements for the accumulator's channels of a buffer with one element per
/// channel.
mlir::Value loadPerChannel(const EpilogueContext& context, mlir::Value buffer);

/// A contiguous memref as memref<?xf32> (or its static size); a view, no code.
mlir::Value flattenMemRef(mlir::OpBuilder& b, mlir::Location loc, mlir::Value buffer);

}  // namespace tessera::lowering
