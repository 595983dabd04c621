// Declarations of all operators of reference_ops.def: each checks its call and returns its outputs.
#pragma once

#include "reference/arguments.h"

namespace tessera::reference::ops {

#define TESSERA_REFERENCE_OP(mnemonic, function) OpResult function(const OpCall& call);
#include "reference/reference_ops.def"
#undef TESSERA_REFERENCE_OP

}  // namespace tessera::reference::ops
