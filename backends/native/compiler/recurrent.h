// Activations of recurrent layers.
#pragma once

#include <limits>
#include <optional>

#include "backends/native/compiler/kernel_builder.h"

namespace tessera::backend_native {

/// f(x, alpha, beta).
struct Activation {
  mlir::Value (*emit)(KernelBuilder& b, mlir::Value x, double alpha, double beta) = nullptr;
  double alpha = 0, beta = 0;
};

/// The activations of all directions, and the bound on their arguments.
struct Activations {
  llvm::SmallVector<Activation> all;
  double clip = std::numeric_limits<double>::infinity();
};

/// From the attributes of lstm, gru or rnn; nothing when a name is not known.
std::optional<Activations> parseActivations(mlir::Operation* op);

/// One direction of a recurrent layer.
struct Direction {
  int64_t hidden = 0;
  double clip = std::numeric_limits<double>::infinity();
  llvm::SmallVector<Activation> activations;

  /// Activation number `which` of the clipped argument.
  mlir::Value activate(KernelBuilder& b, size_t which, mlir::Value argument) const;
};

}  // namespace tessera::backend_native
