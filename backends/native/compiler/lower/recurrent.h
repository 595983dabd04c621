// Activations of recurrent layers.
#pragma once

#include "backends/native/compiler/kernel/kernel_builder.h"
#include "compiler/ir/spec/recurrent.h"

namespace tessera::backend_native {

/// One direction of a recurrent layer.
struct Direction {
  int64_t hidden = 0;
  double clip = std::numeric_limits<double>::infinity();
  llvm::SmallVector<ir::spec::ActivationCall> activations;

  /// Activation number `which` of the clipped argument.
  Element activate(size_t which, const Element& argument) const;
};

}  // namespace tessera::backend_native
