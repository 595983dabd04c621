// What the attributes of lstm, gru and rnn say, defaults filled in.
#pragma once

#include <limits>

#include "compiler/ir/tsr.h"
#include "tessera/status.h"

namespace tessera::ir::spec {

/// One activation with its parameters.
struct ActivationCall {
  Activation activation = Activation::kTanh;
  double alpha = 0, beta = 0;
};

/// A recurrent layer's attributes.
struct RecurrentAttributes {
  int64_t numDirections = 1;
  bool isReversed = false;    ///< The first direction reads from the last step on.
  bool isBatchFirst = false;  ///< x is [N, T, I] instead of [T, N, I].
  /// As many for each direction as the operator has by default, one direction after the other.
  llvm::SmallVector<ActivationCall> activations;
  double clip = std::numeric_limits<double>::infinity();  ///< Bound on arguments of activations.

  size_t numActivations() const { return activations.size() / static_cast<size_t>(numDirections); }
  llvm::ArrayRef<ActivationCall> activationsOf(size_t direction) const {
    return llvm::ArrayRef(activations).slice(direction * numActivations(), numActivations());
  }
};

int64_t numDirections(RecurrentOpInterface op);

/// Why there are none: a name that ONNX lacks, too few or too many names.
Result<RecurrentAttributes> recurrentAttributes(RecurrentOpInterface op);

}  // namespace tessera::ir::spec
