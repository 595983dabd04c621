// Operators that move, select or make elements without arithmetic on them.
#ifndef TESSERA_COMPILER_IR_MOVEMENT_OPS_TD
#define TESSERA_COMPILER_IR_MOVEMENT_OPS_TD

include "compiler/ir/tsr_base.td"

class Tsr_MovementOp<string mnemonic, string onnx, string what, string kind = "Injective", list<Trait> traits = []>
    : Tsr_Op<mnemonic, onnx, kind, 0, traits> {
  let summary = what;
}

def Tsr_ShapeOp : Tsr_MovementOp<"shape", "Shape", "sizes of the dimensions [start, end)"> {
  let example = [{%shape = tsr.shape %data : (tensor<2x?x4xf32>) -> tensor<3xi64>}];
  let arguments = (ins Tsr_Tensor:$data, OptionalAttr<I64Attr>:$end, Tsr_IntDefault<"0">:$start);
  let results = (outs Tsr_I64:$shape);
  let hasFolder = 1;
}
def Tsr_SizeOp : Tsr_MovementOp<"size", "Size", "number of elements"> {
  let example = [{%size = tsr.size %data : (tensor<2x?xf32>) -> tensor<i64>}];
  let arguments = (ins Tsr_Tensor:$data);
  let results = (outs Tsr_I64:$size);
  let hasFolder = 1;
}
def Tsr_ReshapeOp : Tsr_MovementOp<"reshape", "Reshape", "the same elements in another shape"> {
  let description = [{
    A size of -1 is computed from the others; 0 copies the input's size unless `allowzero = 1`.

    (C1) shape has rank 1 and a known length.
    (C2) At most one size is -1, no other is negative.
    (C3) Input and result have the same number of elements.
  }];
  let example = [{
    %shape = tsr.constant dense<[0, -1]> : tensor<2xi64> -> tensor<2xi64>
    %reshaped = tsr.reshape %data, %shape : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x12xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_I64:$shape, Tsr_IntDefault<"0">:$allowzero);
  let results = (outs Tsr_Tensor:$reshaped);
}
def Tsr_FlattenOp : Tsr_MovementOp<"flatten", "Flatten", "a matrix: dimensions before axis, dimensions from axis on",
                                   "Injective", [Tsr_AxisOpInterface]> {
  let description = "(C1) axis is in [-rank, rank].";
  let example = [{%output = tsr.flatten %input {axis = -1 : i64} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>}];
  let arguments = (ins Tsr_Tensor:$input, Tsr_IntDefault<"1">:$axis);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_SqueezeOp : Tsr_MovementOp<"squeeze", "Squeeze", "removes dimensions of size 1"> {
  let description = "(C1) axes are in [-rank, rank) and differ. (C2) The removed dimensions have size 1. Without axes all of size 1 go.";
  let example = [{
    %axes = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
    %squeezed = tsr.squeeze %data, %axes : (tensor<1x3x1xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Optional<Tsr_I64>:$axes);
  let results = (outs Tsr_Tensor:$squeezed);
}
def Tsr_UnsqueezeOp : Tsr_MovementOp<"unsqueeze", "Unsqueeze", "inserts dimensions of size 1"> {
  let description = "(C1) axes, positions in the result, are in [-rank, rank) of the result and differ.";
  let example = [{
    %axes = tsr.constant dense<[-1, 0]> : tensor<2xi64> -> tensor<2xi64>
    %expanded = tsr.unsqueeze %data, %axes : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<1x3x4x1xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_I64:$axes);
  let results = (outs Tsr_Tensor:$expanded);
}
def Tsr_ExpandOp : Tsr_MovementOp<"expand", "Expand", "broadcasts to a shape"> {
  let description = "(C1) shape has rank 1 and a known length. (C2) Aligned dimensions are equal or one of them is 1.";
  let example = [{
    %shape = tsr.constant dense<[2, 1, 4]> : tensor<3xi64> -> tensor<3xi64>
    %output = tsr.expand %input, %shape : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  }];
  let arguments = (ins Tsr_Tensor:$input, Tsr_I64:$shape);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_TileOp : Tsr_MovementOp<"tile", "Tile", "repeats the tensor along each dimension"> {
  let description = "(C1) repeats has rank 1, one entry >= 0 for each dimension.";
  let example = [{
    %repeats = tsr.constant dense<[1, 4]> : tensor<2xi64> -> tensor<2xi64>
    %output = tsr.tile %input, %repeats : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x12xf32>
  }];
  let arguments = (ins Tsr_Tensor:$input, Tsr_I64:$repeats);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_TransposeOp : Tsr_MovementOp<"transpose", "Transpose", "permutes the dimensions; reverses them without perm"> {
  let description = "(C1) perm is a permutation of [0, rank).";
  let example = [{
    %transposed = tsr.transpose %data {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_Ints:$perm);
  let results = (outs Tsr_Tensor:$transposed);
  let hasFolder = 1;
}
def Tsr_ConcatOp : Tsr_MovementOp<"concat", "Concat", "joins tensors along an axis", "Injective", [Tsr_AxisOpInterface]> {
  let description = [{
    (C1) At least one input; all have one element type and rank.
    (C2) axis is in [-rank, rank).
    (C3) Dimensions other than axis are equal.
  }];
  let example = [{
    %concat_result = tsr.concat %inputs0, %inputs1 {axis = -1 : i64} :
      (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  }];
  let arguments = (ins Variadic<Tsr_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Tsr_Tensor:$concat_result);
  let hasFolder = 1;
}
def Tsr_SplitOp : Tsr_MovementOp<"split", "Split", "cuts a tensor into parts along an axis", "Injective", [Tsr_AxisOpInterface]> {
  let description = [{
    (C1) axis is in [-rank, rank).
    (C2) The parts given by `split` add up to the dimension and are as many as the results; without it the dimension is
    cut into num_outputs equal parts, the last possibly smaller, and without that, too, into parts that are all equal.
  }];
  let example = [{
    %split = tsr.constant dense<[2, 4]> : tensor<2xi64> -> tensor<2xi64>
    %r:2 = tsr.split %input, %split : (tensor<6x2xf32>, tensor<2xi64>) -> (tensor<2x2xf32>, tensor<4x2xf32>)
  }];
  let arguments = (ins Tsr_Tensor:$input, Optional<Tsr_I64>:$split, Tsr_IntDefault<"0">:$axis,
                   OptionalAttr<I64Attr>:$num_outputs);
  let results = (outs Variadic<Tsr_Tensor>:$outputs);
}
def Tsr_SliceOp : Tsr_MovementOp<"slice", "Slice", "a strided part of a tensor", "Injective", [AttrSizedOperandSegments]> {
  let description = [{
    (C1) starts and ends have rank 1 and equal length; axes and steps, where present, have that length.
    (C2) axes are in [-rank, rank) and differ. (C3) No step is 0.
  }];
  let example = [{
    %starts = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
    %ends = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
    %axes = tsr.constant dense<[0]> : tensor<1xi64> -> tensor<1xi64>
    %steps = tsr.constant dense<[3]> : tensor<1xi64> -> tensor<1xi64>
    %output = tsr.slice %data, %starts, %ends, %axes, %steps {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} :
      (tensor<10x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x4xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_Index:$starts, Tsr_Index:$ends, Optional<Tsr_Index>:$axes,
                   Optional<Tsr_Index>:$steps);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_GatherOp : Tsr_MovementOp<"gather", "Gather", "slices along an axis, chosen by indices", "Injective", [Tsr_AxisOpInterface]> {
  let description = "(C1) axis is in [-rank, rank). (C2) Indices are in [-d, d) for dimension size d; negative ones count from the end.";
  let example = [{%output = tsr.gather %data, %indices : (tensor<5x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>}];
  let arguments = (ins Tsr_Tensor:$data, Tsr_Index:$indices, Tsr_IntDefault<"0">:$axis);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_GatherElementsOp : Tsr_MovementOp<"gather_elements", "GatherElements", "elements along an axis, one index for each result element",
                                          "Injective", [Tsr_AxisOpInterface]> {
  let description = "(C1) data and indices have one rank. (C2) axis is in [-rank, rank). "
    "(C3) Dimensions of indices other than axis are not above those of data.";
  let example = [{
    %output = tsr.gather_elements %data, %indices : (tensor<5x4xf32>, tensor<2x4xi64>) -> tensor<2x4xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_Index:$indices, Tsr_IntDefault<"0">:$axis);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_GatherNdOp : Tsr_MovementOp<"gather_nd", "GatherND", "slices chosen by index tuples"> {
  let description = "(C1) The last dimension of indices is known and at most rank(data) - batch_dims. (C2) The batch dimensions are equal.";
  let example = [{
    %output = tsr.gather_nd %data, %indices {batch_dims = 1 : i64} :
      (tensor<2x3x4xf32>, tensor<2x5x1xi64>) -> tensor<2x5x4xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_I64:$indices, Tsr_IntDefault<"0">:$batch_dims);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_ScatterElementsOp : Tsr_Op<"scatter_elements", "ScatterElements", "Opaque", 0, [Tsr_AxisOpInterface]> {
  let summary = "a copy of data with elements along an axis replaced or combined";
  let description = "(C1) data, indices and updates have one rank; indices and updates one shape. (C2) axis is in [-rank, rank). "
    "(C3) reduction is none, add, mul, max or min. (C4) data and updates have one element type.";
  let example = [{
    %output = tsr.scatter_elements %data, %indices, %updates :
      (tensor<3x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<3x3xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_Index:$indices, Tsr_Tensor:$updates, Tsr_IntDefault<"0">:$axis,
                   Tsr_WordDefault<Tsr_ScatterReduction, "none">:$reduction);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_ScatterNdOp : Tsr_Op<"scatter_nd", "ScatterND", "Opaque", 0> {
  let summary = "a copy of data with slices replaced or combined at index tuples";
  let description = "(C1) The shape of updates is indices.shape[:-1] + data.shape[indices.shape[-1]:]. "
    "(C2) reduction is none, add, mul, max or min. (C3) data and updates have one element type.";
  let example = [{
    %output = tsr.scatter_nd %data, %indices, %updates {reduction = "add"} :
      (tensor<4x5xf32>, tensor<2x1xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_I64:$indices, Tsr_Tensor:$updates, Tsr_WordDefault<Tsr_ScatterReduction, "none">:$reduction);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_PadOp : Tsr_MovementOp<"pad", "Pad", "adds (or, with negative sizes, removes) elements at the borders", "Injective",
                               [AttrSizedOperandSegments]> {
  let description = [{
    mode: constant, reflect, edge or wrap. pads = all begins, then all ends, for `axes` (all dimensions without it). Negative
    ones cut first: what they remove is not repeated.

    (C1) pads has rank 1 and twice as many entries as axes. (C2) constant_value is a scalar of data's element type.
    (C3) mode is one of the four. (C4) axes are in [-rank, rank) and differ. (C5) No size of the result is negative.
    (C6) reflect pads by less than what is left of the dimension; edge and wrap pad none of which nothing is left.
  }];
  let example = [{
    %pads = tsr.constant dense<[0, 1, 0, 2]> : tensor<4xi64> -> tensor<4xi64>
    %output = tsr.pad %data, %pads {operandSegmentSizes = array<i32: 1, 1, 0, 0>} :
      (tensor<2x3xf32>, tensor<4xi64>) -> tensor<2x6xf32>
  }];
  let arguments = (ins Tsr_Tensor:$data, Tsr_I64:$pads, Optional<Tsr_Tensor>:$constant_value, Optional<Tsr_Index>:$axes,
                   Tsr_WordDefault<Tsr_PadMode, "constant">:$mode);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_DepthToSpaceOp : Tsr_MovementOp<"depth_to_space", "DepthToSpace", "moves blocks of channels into space"> {
  let description = "(C1) input is [N, C, H, W], C divisible by the square of blocksize > 0. (C2) mode is DCR or CRD.";
  let example = [{
    %output = tsr.depth_to_space %input {blocksize = 2 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x2x4x6xf32>
  }];
  let arguments = (ins Tsr_Tensor:$input, I64Attr:$blocksize, Tsr_WordDefault<Tsr_DepthOrder, "DCR">:$mode);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_SpaceToDepthOp : Tsr_MovementOp<"space_to_depth", "SpaceToDepth", "moves blocks of space into channels"> {
  let description = "(C1) input is [N, C, H, W], H and W divisible by blocksize > 0.";
  let example = [{
    %output = tsr.space_to_depth %input {blocksize = 2 : i64} : (tensor<1x2x4x6xf32>) -> tensor<1x8x2x3xf32>
  }];
  let arguments = (ins Tsr_Tensor:$input, I64Attr:$blocksize);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_ConstantOfShapeOp : Tsr_MovementOp<"constant_of_shape", "ConstantOfShape", "a tensor filled with one value"> {
  let description = "(C1) input has rank 1 and a known length. (C2) value has one element; without it the result is f32 zeros. "
    "(C3) No size is negative.";
  let example = [{
    %input = tsr.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2xi64>
    %output = tsr.constant_of_shape %input : (tensor<2xi64>) -> tensor<2x3xf32>
  }];
  let arguments = (ins Tsr_I64:$input, OptionalAttr<ElementsAttr>:$value);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_RangeOp : Tsr_MovementOp<"range", "Range", "start, start + delta, ... below (above) limit"> {
  let description = "(C1) start, limit and delta are scalars of one element type. (C2) delta is not 0.";
  let example = [{
    %start = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
    %limit = tsr.constant dense<10> : tensor<i64> -> tensor<i64>
    %delta = tsr.constant dense<3> : tensor<i64> -> tensor<i64>
    %output = tsr.range %start, %limit, %delta : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3xi64>
  }];
  let arguments = (ins Tsr_Number:$start, Tsr_Number:$limit, Tsr_Number:$delta);
  let results = (outs Tsr_Number:$output);
}
def Tsr_OneHotOp : Tsr_MovementOp<"one_hot", "OneHot", "on at the index along a new axis, off elsewhere", "Injective",
                                  [DeclareOpInterfaceMethods<Tsr_AxisOpInterface, ["getAxisRank"]>]> {
  let description = "(C1) depth has one element. (C2) values is [off, on]. (C3) axis is in [-rank - 1, rank].";
  let example = [{
    %depth = tsr.constant dense<5> : tensor<i64> -> tensor<i64>
    %output = tsr.one_hot %indices, %depth, %values {axis = 1 : i64} :
      (tensor<2x3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<2x5x3xf32>
  }];
  let arguments = (ins Tsr_Number:$indices, Tsr_Number:$depth, Tsr_Tensor:$values, Tsr_IntDefault<"-1">:$axis);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_EyeLikeOp : Tsr_MovementOp<"eye_like", "EyeLike", "ones on diagonal k, zeros elsewhere, in the shape of the input"> {
  let description = "(C1) input has rank 2. (C2) dtype is an element type of the dialect.";
  let example = [{%output = tsr.eye_like %input {dtype = 1 : i64} : (tensor<2x3xi1>) -> tensor<2x3xf32>}];
  let arguments = (ins Tsr_Tensor:$input, OptionalAttr<I64Attr>:$dtype, Tsr_IntDefault<"0">:$k);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_TriluOp : Tsr_Op<"trilu", "Trilu", "Injective", 0> {
  let summary = "the upper or lower triangle of matrices";
  let description = "(C1) input has rank >= 2. (C2) k is a scalar.";
  let example = [{
    %output = tsr.trilu %input, %k {upper = 0 : i64} : (tensor<2x3x3xf32>, tensor<i64>) -> tensor<2x3x3xf32>
  }];
  let arguments = (ins Tsr_Tensor:$input, Optional<Tsr_I64>:$k, Tsr_IntDefault<"1">:$upper);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_CumsumOp : Tsr_Op<"cumsum", "CumSum", "Opaque", 1> {
  let summary = "running sum along an axis";
  let description = "(C1) axis is a scalar in [-rank, rank).";
  let example = [{
    %axis = tsr.constant dense<-1> : tensor<i32> -> tensor<i32>
    %y = tsr.cumsum %x, %axis {reverse = 1 : i64} : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  }];
  let arguments = (ins Tsr_Number:$x, Tsr_Index:$axis, Tsr_IntDefault<"0">:$exclusive, Tsr_IntDefault<"0">:$reverse);
  let results = (outs Tsr_Number:$y);
}
def Tsr_ReverseSequenceOp : Tsr_Op<"reverse_sequence", "ReverseSequence", "Injective", 0> {
  let summary = "reverses the first sequence_lens[i] steps of batch i";
  let description = "(C1) input has rank >= 2, time_axis and batch_axis are 0 and 1 in some order. "
    "(C2) sequence_lens has one entry for each batch.";
  let example = [{
    %y = tsr.reverse_sequence %input, %sequence_lens : (tensor<4x2x3xf32>, tensor<2xi64>) -> tensor<4x2x3xf32>
  }];
  let arguments = (ins Tsr_Tensor:$input, Tsr_I64:$sequence_lens, Tsr_IntDefault<"1">:$batch_axis, Tsr_IntDefault<"0">:$time_axis);
  let results = (outs Tsr_Tensor:$y);
}
def Tsr_TopKOp : Tsr_MovementOp<"top_k", "TopK", "the k greatest or least elements along an axis and their indices", "Opaque",
                                [Tsr_AxisOpInterface]> {
  let description = "(C1) axis is in [-rank, rank). (C2) k has one element, not above the size of axis.";
  let example = [{
    %k = tsr.constant dense<[3]> : tensor<1xi64> -> tensor<1xi64>
    %r:2 = tsr.top_k %x, %k : (tensor<2x10xf32>, tensor<1xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  }];
  let arguments = (ins Tsr_Number:$x, Tsr_I64:$k, Tsr_IntDefault<"-1">:$axis, Tsr_IntDefault<"1">:$largest, Tsr_IntDefault<"1">:$sorted);
  let results = (outs Tsr_Number:$values, Tsr_I64:$indices);
}
def Tsr_NonzeroOp : Tsr_MovementOp<"nonzero", "NonZero", "indices of the elements that are not zero, one column each", "Opaque"> {
  let description = "The result's size depends on the data.";
  let example = [{%y = tsr.nonzero %x : (tensor<2x3xf32>) -> tensor<2x?xi64>}];
  let arguments = (ins Tsr_Tensor:$x);
  let results = (outs Tsr_I64:$y);
}
def Tsr_CompressOp : Tsr_MovementOp<"compress", "Compress", "slices along an axis (elements without one) where the condition holds", "Opaque"> {
  let description = "(C1) condition has rank 1. (C2) axis is in [-rank, rank). The result's size depends on the data.";
  let example = [{
    %output = tsr.compress %input, %condition {axis = 0 : i64} :
      (tensor<3x4xf32>, tensor<3xi1>) -> tensor<?x4xf32>
  }];
  let arguments = (ins Tsr_Tensor:$input, Tsr_Bool:$condition, OptionalAttr<I64Attr>:$axis);
  let results = (outs Tsr_Tensor:$output);
}
def Tsr_DropoutOp : Tsr_MovementOp<"dropout", "Dropout", "the input itself: dropout at inference", "Elementwise", [AttrSizedOperandSegments]> {
  let description = "(C1) training_mode is absent or constant false, or ratio is constant 0: nothing is dropped at random. "
    "The mask, where asked for, is all true.";
  let example = [{
    %output = tsr.dropout %data {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2xf32>) -> tensor<2xf32>
  }];
  let arguments = (ins Tsr_Float:$data, Optional<Tsr_Float>:$ratio, Optional<Tsr_Bool>:$training_mode, OptionalAttr<I64Attr>:$seed);
  let results = (outs Tsr_Float:$output, Optional<Tsr_Bool>:$mask);
}

#endif
