// Composites as one operator, or as their parts.
#pragma once

#include "compiler/partition/answers.h"

namespace tessera::partition {

/// Whether a composite that nobody owns yet stays one operator: `answers` has an owner that takes
/// the whole, and no owner that is preferred to it takes every operator of the body.
bool staysWhole(ir::CompositeOp composite, const Answers& answers, const OwnerIndex& owners);

}  // namespace tessera::partition
