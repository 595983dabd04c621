// Elementwise functions as oneDNN numbers them.
#pragma once

#include "backends/onednn/runtime/builder.h"

namespace tessera::backend_onednn {

struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0, beta = 0;
};

/// Nothing when the operator is no elementwise function of one operand.
std::optional<Eltwise> eltwiseOf(const region_graph::OperatorT& op);
/// Adds the function of `from`, in its form.
void addEltwise(Builder& builder, const Eltwise& eltwise, const Value& from, const Value& to);
/// Nothing when it is no function of two operands.
std::optional<dnnl::algorithm> binaryOf(const region_graph::OperatorT& op);

}  // namespace tessera::backend_onednn
