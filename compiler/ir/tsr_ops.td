// All operators of the dialect.
include "compiler/ir/elementwise_ops.td"
include "compiler/ir/host_ops.td"
include "compiler/ir/movement_ops.td"
include "compiler/ir/nn_ops.td"
include "compiler/ir/quantization_ops.td"
include "compiler/ir/reduction_ops.td"
include "compiler/ir/structural_ops.td"
