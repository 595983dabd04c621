// The passes of simplify: target-independent rewrites of a tsr module.
#ifndef TESSERA_COMPILER_TRANSFORMS_PASSES_TD
#define TESSERA_COMPILER_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class SimplifyPass<string flag> : Pass<"tessera-simplify-" # flag, "::mlir::ModuleOp">;

def RefineTypesPass : SimplifyPass<"refine-types"> {
  let summary = "infer result types anew from the operands and make them as static as they can be";
  let description = [{
    Walks each function once, in order. A result type only ever becomes more precise; layouts and memory spaces stay.
    The function's own result types follow its return.
  }];
}

def NameOpenDimsPass : SimplifyPass<"name-open-dims"> {
  let summary = "name open dimensions that have no name, so that sizes of one origin are known to be equal";
  let description = [{
    One walk in order that refines types on its way. Names are "?0", "?1" and so on; results of operations in bodies of
    control flow keep none. Inputs of the model are left alone.
  }];
}

def FoldConstantsPass : SimplifyPass<"fold-constants"> {
  let summary = "replace operations on constants, and shape arithmetic on known sizes, by constants";
  let description = [{
    One walk in order that refines types on its way, so a whole chain Shape, Gather, Unsqueeze, Concat, Reshape goes at
    once. Operations are evaluated by the reference implementations. A result larger than both `max-bytes` and the
    operands together stays an operation. Dequantisation stays, so that backends see quantised weights.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "1 << 20", "largest result that may exceed its operands">,
  ];
}

def MergeDuplicatesPass : SimplifyPass<"merge-duplicates"> {
  let summary = "keep one of several operations that compute the same value, with the names of all";
}

def RemoveDeadCodePass : SimplifyPass<"remove-dead-code"> {
  let summary = "erase operations without effects whose results nobody uses";
}

def PlaceConstantsPass : SimplifyPass<"place-constants"> {
  let summary = "move each constant to its first user: one order, whatever the rewrites before";
}

def InlineBranchesPass : SimplifyPass<"inline-branches"> {
  let summary = "replace a tsr.if on a constant by the body that runs";
}

def RemoveNoOpsPass : SimplifyPass<"remove-no-ops"> {
  let summary = "remove operations whose result is their operand";
  let description = [{
    Identity, Dropout at inference, Cast to the same type, Reshape, Expand, Tile, Transpose, Slice, Pad, Concat, Split
    that change nothing, x * 1, x / 1, x + 0, x - 0, x to the power of 1.
  }];
}

def NormalizeArithmeticPass : SimplifyPass<"normalize-arithmetic"> {
  let summary = "bring arithmetic into one form: constants on the right, two-operand sums, one clip for several";
}

def UnifyReshapesPass : SimplifyPass<"unify-reshapes"> {
  let summary = "write Squeeze, Unsqueeze, Flatten and reshapes in a row as one tsr.reshape with a constant shape";
}

def CancelTransposesPass : SimplifyPass<"cancel-transposes"> {
  let summary = "compose transposes in a row; one that only moves dimensions of size 1 becomes a reshape";
}

def ExpandEinsumPass : SimplifyPass<"expand-einsum"> {
  let summary = "write Einsum as products of matrices, two factors at a time, with transposes, sums and reshapes";
  let description = [{
    Of static shapes and floats. Diagonals ("ii"), dimensions that are broadcast stay. Of three factors or more, those two are multiplied first
    whose product takes the fewest multiplications.
  }];
}

def ExpandConvTransposePass : SimplifyPass<"expand-conv-transpose"> {
  let summary = "write ConvTranspose with long steps as one with steps of one, whose channels are moved into space";
  let description = "Of static shapes and f32, without dilation: steps of 8 and more.";
}

def FoldPadsPass : SimplifyPass<"fold-pads"> {
  let summary = "move a Pad of spatial dimensions into the pads of the Conv or pooling that reads it";
}

def FoldBatchNormPass : SimplifyPass<"fold-batch-norm"> {
  let summary = "fold BatchNormalization into the weights of Conv, ConvTranspose or Gemm, else make it Mul and Add";
}

def FoldScalesPass : SimplifyPass<"fold-scales"> {
  let summary = "fold Mul and Add by one constant per channel into Conv and Gemm; make MatMul + Add a Gemm";
}

class RecognizePass<string flag, string what> : SimplifyPass<"recognize-" # flag> {
  let summary = "group the operators of a decomposed " # what # " in a composite";
}

def RecognizeLayerNormPass : RecognizePass<"layer-norm", "LayerNormalization"> {
  let description = [{
    `tsr.composite "layer_norm"(x, scale, bias) {axis, epsilon}`: normalisation over the dimensions from axis on.
  }];
}

def RecognizeRmsNormPass : RecognizePass<"rms-norm", "RMSNormalization"> {
  let description = "`tsr.composite \"rms_norm\"(x, scale) {axis, epsilon}`.";
}

def RecognizeGroupNormPass : SimplifyPass<"recognize-group-norm"> {
  let summary = "write a normalisation of [N, groups, rest] between two reshapes as GroupNormalization";
  let description = [{
    Of InstanceNormalization or `tsr.composite "layer_norm"`; what each channel is multiplied by and added behind it becomes scale and bias.
  }];
}

def RecognizeChosenChannelsPass : SimplifyPass<"recognize-chosen-channels"> {
  let summary = "write a Gather of one part of channels that were split and moved to the front as a Gather of channels, or a Slice";
  let description = "Of static shapes: reshapes and transposes between the image and the Gather, which give whole planes of it.";
}

def RecognizeActivationsPass : RecognizePass<"activations", "GELU, SiLU or HardSwish"> {
  let description = [{
    `tsr.composite "gelu"(x) {approximate = "none" | "tanh"}`, `"silu"(x)`, `"hard_swish"(x)`.
  }];
}

def RecognizeAttentionPass : RecognizePass<"attention", "scaled dot-product attention"> {
  let description = [{
    `tsr.composite "attention"(q, k, v[, mask[, fill]])`: softmax(scale * q k' [masked]) v over the last two dimensions,
    earlier ones are batch. q is [..., S, D], v is [..., T, E], k is [..., T, D], or [..., D, T] with k_transposed.

    Parameters: scale (f64), k_transposed (bool), mask_kind: "none", "add" (mask is added to the scaled scores) or
    "where" (scores stay where mask holds, `fill` elsewhere).
  }];
}

def TurnProductsPass : SimplifyPass<"turn-products"> {
  let summary = "write MatMul by the transpose of a matrix of the run as a Gemm with transB, that of transposes with columns as rows times matrices";
}

class FormPass<string flag> : Pass<"tessera-form-" # flag, "::mlir::ModuleOp">;

def DissolveCompositesPass : FormPass<"no-composites"> {
  let summary = "replace recognised composites by their operators";
  let description = "Those that a backend's pattern made stay.";
}

def ExpandGemmPass : FormPass<"plain-products"> {
  let summary = "replace tsr.gemm by transpose, matmul, mul and add";
  let description = "One of a size that is not known, or with factors for another type than f32, stays where that is in the way.";
}

#endif
