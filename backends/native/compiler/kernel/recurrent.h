// What lowerings of recurrent layers share: operands by their names, activations.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/ir/spec/recurrent.h"

namespace tessera::backend_native {

/// Operands and results of lstm, gru or rnn; those that are not there are null.
struct RecurrentValues {
  mlir::Value x, w, r, bias, lengths, initialH, initialC, peepholes;
  mlir::Value y, lastH, lastC;
};
RecurrentValues recurrentValues(mlir::Operation* op);

/// One direction of a recurrent layer.
struct Direction {
  int64_t hidden = 0;
  double clip = std::numeric_limits<double>::infinity();
  llvm::SmallVector<ir::spec::ActivationCall> activations;

  /// Activation number `which` of the clipped argument.
  Element activate(size_t which, const Element& argument) const;
};

}  // namespace tessera::backend_native
