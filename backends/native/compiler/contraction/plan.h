// How a contraction is computed: the one decision behind the layouts that it asks for and the code
// that is emitted. Every refusal has a reason.
#pragma once

#include "backends/native/compiler/blocked.h"
#include "backends/native/compiler/contraction/match.h"
#include "backends/native/compiler/kernels.h"
#include "compiler/lowering/contraction/channels/channel_moves.h"
#include "compiler/lowering/contraction/channels/channel_windows.h"
#include "compiler/lowering/contraction/conv.h"
#include "compiler/lowering/contraction/matmul.h"
#include "compiler/lowering/contraction/winograd/winograd.h"
#include "compiler/lowering/resample/resample.h"

namespace tessera::backend_native {

/// Types of a contraction's operands and result in the layouts that they have, or might get.
struct ContractionTypes {
  llvm::SmallVector<mlir::RankedTensorType> operands;  ///< Absent ones do not count.
  mlir::RankedTensorType result;
};

/// The types that `contraction` has.
ContractionTypes typesOf(mlir::Operation* contraction);

/// By lowering::emitConv, of operands (x, w, b).
struct ConvPlan {
  lowering::ConvShape shape;
  lowering::ConvKind kind = lowering::ConvKind::kBlocked;
  bool isWinograd = false;  ///< By lowering::emitWinogradConv.

  bool preparesWeights() const { return isWinograd || lowering::readsPreparedWeights(kind); }
};

/// By lowering::emitOpenConv, of row-major operands (x, w, b).
struct OpenConvPlan {};

/// By lowering::emitOpenPool, of row-major tensors.
struct OpenPoolPlan {};

/// Whether `product` is of matrices and vectors, or matrices of one column, and computed by loops
/// over vectors as reductions are: they read the matrices at the speed of memory.
bool isMatrixTimesVector(mlir::Operation* product);

/// Whether the target lets Winograd's algorithm compute a convolution of blocks, fast or not.
bool mayBeWinograd(const lowering::ConvShape& shape, const CodeTarget& cpu);

/// By lowering::emitPool, or emitPlainPool where input and result are row-major.
struct PoolPlan {
  lowering::ConvShape shape;
  lowering::Pool pool;
  bool isPlain = false;
};

/// By lowering::emitResampling, of row-major tensors.
struct ResizePlan {
  lowering::Resampling resampling;
};

/// By lowering::emitChannelMoves, of blocks of channels.
struct ChannelPlan {
  lowering::ChannelMoves moves;
};

/// Local response normalisation: its sums by lowering::emitSquareSums, of blocks of channels.
struct ResponsePlan {
  lowering::ChannelWindows windows;
  bool isExact = false;
};

/// By lowering::emitMatmul.
struct ProductPlan {
  lowering::MatmulShape shape;
  unsigned a = 0, b = 1;      ///< Numbers of the operands that are A and B.
  bool isCollapsed = false;   ///< Leading dimensions of A and the result are one dimension m.
  int64_t numColumnDims = 1;  ///< Dimensions of the result behind its rows.
};

/// By lowering::emitOpenProduct, of row-major operands.
struct OpenProductPlan {};

/// Where operand 2 of the contraction, its bias, is added.
enum class BiasPlace {
  kNone,     ///< There is none, or it is multiplied by 0.
  kEmitter,  ///< By the emitter: one element for each column or channel.
  kRows,     ///< To rows, which are the channels of a row-major convolution.
  kTail,     ///< Scaled, by the tail.
};

struct ContractionPlan {
  std::variant<ConvPlan, OpenConvPlan, PoolPlan, OpenPoolPlan, ProductPlan, OpenProductPlan,
               ResizePlan, ChannelPlan, ResponsePlan>
      kernel;
  BiasPlace bias = BiasPlace::kNone;
  TailAccess biasAccess = TailAccess::kUnknown;  ///< For kTail.
};

/// How `contraction` (an operator with an emitter) is computed on `cpu` when its operands and
/// result have `types`. Looks at the operator's attributes, never at the types it has.
OrDeclined<ContractionPlan> planContraction(mlir::Operation* contraction,
                                            const ContractionTypes& types, const CodeTarget& cpu);

/// Whether elementwise operators that make operand 0 of `contraction`, in the layouts that it has,
/// are better computed where it reads them than in a pass over memory.
bool isForHead(mlir::Operation* contraction, const CodeTarget& cpu);

/// Whether `op` is a pool of what `contraction` computes, elementwise operators perhaps in between,
/// which an emitter makes of its results before they are stored. Both in the layouts they have.
bool isPooledResult(mlir::Operation* op, mlir::Operation* contraction, const CodeTarget& cpu);

/// A region and the plan for the contraction in it.
struct RegionPlan {
  ContractionRegion region;
  ContractionPlan contraction;
  lowering::ContractionTuning tuning = {};
};

struct Schedule;  // schedule.h

/// How a region of one contraction and its tail is computed, in the layouts found, by a schedule or
/// the one that it names.
OrDeclined<RegionPlan> planRegion(mlir::func::FuncOp function, const CodeTarget& cpu,
                                  const Schedule& schedule);
OrDeclined<RegionPlan> planRegion(mlir::func::FuncOp function, const CodeTarget& cpu);

/// Types that `contraction` could be computed in, for operands that come as `available`, those of
/// the best plan first. None when only plain loops compute it.
llvm::SmallVector<ContractionTypes> plannedTypes(mlir::Operation* contraction,
                                                 llvm::ArrayRef<mlir::RankedTensorType> available,
                                                 const CodeTarget& cpu);

}  // namespace tessera::backend_native
