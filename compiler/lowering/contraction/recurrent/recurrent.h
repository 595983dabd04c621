// Recurrent layers: LSTM, GRU, RNN.
#pragma once

#include "compiler/lowering/element.h"
#include "compiler/lowering/object/llvm_target.h"

namespace tessera::lowering {

enum class RecurrentCell : uint8_t { kRnn, kGru, kLstm };

/// Sizes and variants of a layer (ONNX LSTM, GRU, RNN); all static but for steps and batch, which
/// may be mlir::ShapedType::kDynamic (read from x) and 0 then.
struct RecurrentShape {
  RecurrentCell cell = RecurrentCell::kLstm;
  int64_t directions = 1;
  int64_t steps = 1, batch = 1, inputs = 1, hidden = 1;
  bool isReversed = false;     ///< The first direction reads from the last step on.
  bool isBatchFirst = false;   ///< x is [N, T, I], y [N, T, D, H], states [N, D, H].
  bool resetsLate = false;     ///< GRU: linear_before_reset.
  bool couplesForget = false;  ///< LSTM: input_forget.

  int64_t gates() const {
    return cell == RecurrentCell::kLstm ? 4 : cell == RecurrentCell::kGru ? 3 : 1;
  }
  /// Of hidden units, `lanes` each.
  int64_t blocks(int64_t lanes) const { return llvm::divideCeilSigned(hidden, lanes); }
  /// Parts of a gate panel's bias: one for each gate and, where a GRU resets late, the recurrent
  /// one of its candidate.
  int64_t biases() const { return gates() + (cell == RecurrentCell::kGru ? 1 : 0); }
};

/// f32 memrefs with identity layout; those that are not there are null. Hidden units lie in blocks
/// of c (vectorLanes), the last one filled up with zeros:
///   w     [D][blocks][gates][I][c], as emitGatePanels makes it of ONNX's W
///   r     [D][blocks][gates][H][c], the same of R
///   bias  [D][blocks][biases][c], as emitGateBias makes it of B
/// x, initial states, peepholes and outputs as in ONNX. Lengths, [N] integers in [0, T], the
/// greatest of which is `longest`, say how many steps of an entry count: further ones leave its
/// states, and are 0 in y. An entry without steps has initial states of 0.
struct RecurrentOperands {
  mlir::Value x, w, r, bias, lengths, longest, initialH, initialC, peepholes;
  mlir::Value y, lastH, lastC;
};

/// Activation `which` of a direction, of a vector.
using RecurrentActivation =
    std::function<Element(int64_t direction, size_t which, const Element& argument)>;

/// Emits the layer: one product for the inputs of all steps, then a step after the other, in which
/// gates, states and outputs of a block of units are computed at once. Blocks are shared out over
/// threads; of two directions each is one thread's.
void emitRecurrent(mlir::OpBuilder& b, mlir::Location loc, const RecurrentShape& shape,
                   const RecurrentOperands& operands, const CpuTarget& cpu,
                   const RecurrentActivation& activate);

}  // namespace tessera::lowering
