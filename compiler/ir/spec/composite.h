// The parameters of composites that backends run as one operator.
#pragma once

#include "compiler/ir/tsr.h"

namespace tessera::ir::spec {

/// Of layer_norm and rms_norm: dimensions from `axis` on are normalised.
struct NormParameters {
  int64_t axis = 0;  ///< Counted from the front.
  double epsilon = 0;
};

/// Nothing where the parameters are absent, as in a module that was edited.
std::optional<NormParameters> normParameters(CompositeOp composite);

/// The formula of a composite gelu; nothing where it has none.
std::optional<GeluApproximation> geluApproximation(CompositeOp composite);

}  // namespace tessera::ir::spec
