// Operators as primitives. A builder's answer is whether it did it: false where the library has no
// fast kernel for the form, and nothing was added to the program.
#pragma once

#include "backends/onednn/runtime/builder.h"

namespace tessera::backend_onednn {

using Built = Result<bool>;

/// A head with what follows it as post-ops.
Built buildFused(Builder& builder, Group group);
/// One operator that the library would compute wrongly.
Built buildLoop(Builder& builder, const OperatorT& op, Loop loop);
/// One operator.
Built buildOperator(Builder& builder, Group alone);

// By family; those that take a group fuse what follows the head.
Built buildConvolution(Builder& builder, Group group);
Built buildTransposedConvolution(Builder& builder, Group group);
Built buildProduct(Builder& builder, Group group);
Built buildBinary(Builder& builder, Group group);
Built buildEltwise(Builder& builder, Group alone);
Built buildPool(Builder& builder, Group alone);
Built buildSoftmax(Builder& builder, Group alone);
Built buildReduction(Builder& builder, Group alone);
Built buildLayerNorm(Builder& builder, Group alone);
Built buildBatchNorm(Builder& builder, Group alone);
Built buildLocalNorm(Builder& builder, Group alone);
Built buildConcat(Builder& builder, Group alone);
Built buildResampling(Builder& builder, Group alone);
Built buildPrelu(Builder& builder, Group alone);
Built buildReshaping(Builder& builder, Group alone);
Built buildTranspose(Builder& builder, Group alone);
Built buildRelayout(Builder& builder, Group alone);
Built buildSlice(Builder& builder, Group alone);
Built buildRecurrent(Builder& builder, Group alone);

}  // namespace tessera::backend_onednn
