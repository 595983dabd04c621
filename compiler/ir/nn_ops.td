// Contractions, pooling, normalisation, resizing.
#ifndef TESSERA_COMPILER_IR_NN_OPS_TD
#define TESSERA_COMPILER_IR_NN_OPS_TD

include "compiler/ir/tsr_base.td"

def Tsr_ConvOp : Tsr_CountedOp<"conv", "Conv", "OutFusable", [Tsr_WindowOpInterface]> {
  let summary = "convolution";
  let description = [{
    x: [N, C, D1, ..., Dn], w: [M, C / group, K1, ..., Kn], b: [M], y: [N, M, O1, ..., On].

    (C1) x has rank >= 3, w the same rank. (C2) C = w.shape[1] * group and M is divisible by group.
    (C3) strides, dilations (n entries > 0) and pads (2 n entries: begins, then ends). (C4) b, where present, is [M].
    (C5) kernel_shape, where given, equals w's. (C6) The kernel is not larger than the padded input.
    (C7) auto_pad is NOTSET, VALID, SAME_UPPER or SAME_LOWER. (C8) Operands have one element type.
  }];
  let example = [{
    %y = tsr.conv %x, %w, %b {group = 2 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} :
      (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x4xf32>
  }];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$w, Optional<Tsr_Float>:$b, Tsr_WordDefault<Tsr_AutoPad, "NOTSET">:$auto_pad,
                   Tsr_Ints:$dilations, Tsr_IntDefault<"1">:$group, Tsr_Ints:$kernel_shape, Tsr_Ints:$pads, Tsr_Ints:$strides);
  let results = (outs Tsr_Float:$y);
}
def Tsr_ConvTransposeOp : Tsr_CountedOp<"conv_transpose", "ConvTranspose", "OutFusable", [Tsr_WindowOpInterface]> {
  let summary = "transposed convolution";
  let description = [{
    x: [N, C, D1, ..., Dn], w: [C, M / group, K1, ..., Kn], b: [M], y: [N, M, O1, ..., On].

    (C1) x has rank >= 3, w the same rank. (C2) C = w.shape[0], divisible by group. (C3) strides, dilations, pads,
    output_padding and auto_pad as in ONNX, SAME cuts off what is beyond the input's size times the stride; output_shape
    overrides pads. (C4) kernel_shape, where given, equals w's. (C5) b, where present, is [M]. (C6) No output dimension is
    negative. (C7) Operands have one element type.
  }];
  let example = [{
    %y = tsr.conv_transpose %x, %w, %b {group = 2 : i64, output_padding = array<i64: 1>, pads = array<i64: 1, 1>, strides = array<i64: 3>} :
      (tensor<1x4x5xf32>, tensor<4x3x2xf32>, tensor<6xf32>) -> tensor<1x6x13xf32>
  }];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$w, Optional<Tsr_Float>:$b, Tsr_WordDefault<Tsr_AutoPad, "NOTSET">:$auto_pad,
                   Tsr_Ints:$dilations, Tsr_IntDefault<"1">:$group, Tsr_Ints:$kernel_shape, Tsr_Ints:$output_padding,
                   Tsr_Ints:$output_shape, Tsr_Ints:$pads, Tsr_Ints:$strides);
  let results = (outs Tsr_Float:$y);
}
def Tsr_GemmOp : Tsr_CountedOp<"gemm", "Gemm", "OutFusable"> {
  let summary = "alpha * a' * b' + beta * c, a' and b' transposed on demand";
  let description = "(C1) a and b have rank 2. (C2) Their inner dimensions agree. (C3) c broadcasts to [M, N]. (C4) Operands have one element type.";
  let example = [{
    %y = tsr.gemm %a, %b, %c {alpha = 2.0 : f32, transA = 1 : i64} :
      (tensor<3x2xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  }];
  let arguments = (ins Tsr_Number:$a, Tsr_Number:$b, Optional<Tsr_Number>:$c, Tsr_FloatDefault<"1.0f">:$alpha,
                   Tsr_FloatDefault<"1.0f">:$beta, Tsr_IntDefault<"0">:$transA, Tsr_IntDefault<"0">:$transB);
  let results = (outs Tsr_Number:$y);
}
def Tsr_MatmulOp : Tsr_CountedOp<"matmul", "MatMul", "OutFusable"> {
  let summary = "matrix product as numpy.matmul";
  let description = "(C1) No operand has rank 0. (C2) Inner dimensions agree. (C3) Batch dimensions broadcast. (C4) Operands have one element type.";
  let example = [{%y = tsr.matmul %a, %b : (tensor<5x1x2x3xf32>, tensor<4x3x6xf32>) -> tensor<5x4x2x6xf32>}];
  let arguments = (ins Tsr_Number:$a, Tsr_Number:$b);
  let results = (outs Tsr_Number:$y);
}
def Tsr_EinsumOp : Tsr_CountedOp<"einsum", "Einsum", "Opaque"> {
  let summary = "Einstein summation";
  let description = "(C1) The equation has one term for each input. (C2) Equal letters have equal sizes. (C3) Inputs have one element type.";
  let example = [{
    %output = tsr.einsum %inputs0, %inputs1 {equation = "ij, jk -> ki"} :
      (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  }];
  let arguments = (ins Variadic<Tsr_Number>:$inputs, StrAttr:$equation);
  let results = (outs Tsr_Number:$output);
}

/// Pooling over windows of the spatial dimensions of [N, C, D1, ..., Dn].
class Tsr_PoolOp<string mnemonic, string onnx, string what>
    : Tsr_CountedOp<mnemonic, onnx, "OutFusable", [Tsr_WindowOpInterface]> {
  let summary = what;
  let description = [{
    (C1) x has rank >= 3. (C2) kernel_shape, strides, dilations have one entry > 0 for each spatial dimension, pads two.
    (C3) auto_pad is NOTSET, VALID, SAME_UPPER or SAME_LOWER. (C4) The kernel is not larger than the padded input.
  }];
  let example = "%y = tsr." # mnemonic #
    " %x {kernel_shape = array<i64: 2, 3>, strides = array<i64: 2, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x6xf32>";
}
def Tsr_MaxPoolOp : Tsr_PoolOp<"max_pool", "MaxPool", "maximum of each window, and its flat index where asked for"> {
  let arguments = (ins Tsr_Number:$x, Tsr_WordDefault<Tsr_AutoPad, "NOTSET">:$auto_pad, Tsr_IntDefault<"0">:$ceil_mode, Tsr_Ints:$dilations,
                   DenseI64ArrayAttr:$kernel_shape, Tsr_Ints:$pads, Tsr_IntDefault<"0">:$storage_order, Tsr_Ints:$strides);
  let results = (outs Tsr_Number:$y, Optional<Tsr_I64>:$indices);
}
def Tsr_AveragePoolOp : Tsr_PoolOp<"average_pool", "AveragePool", "mean of each window"> {
  let arguments = (ins Tsr_Float:$x, Tsr_WordDefault<Tsr_AutoPad, "NOTSET">:$auto_pad, Tsr_IntDefault<"0">:$ceil_mode,
                   Tsr_IntDefault<"0">:$count_include_pad, Tsr_Ints:$dilations, DenseI64ArrayAttr:$kernel_shape, Tsr_Ints:$pads, Tsr_Ints:$strides);
  let results = (outs Tsr_Float:$y);
}
def Tsr_LpPoolOp : Tsr_PoolOp<"lp_pool", "LpPool", "p-norm of each window"> {
  let arguments = (ins Tsr_Float:$x, Tsr_WordDefault<Tsr_AutoPad, "NOTSET">:$auto_pad, Tsr_IntDefault<"0">:$ceil_mode, Tsr_Ints:$dilations,
                   DenseI64ArrayAttr:$kernel_shape, Tsr_IntDefault<"2">:$p, Tsr_Ints:$pads, Tsr_Ints:$strides);
  let results = (outs Tsr_Float:$y);
}
class Tsr_GlobalPoolOp<string mnemonic, string onnx, string what> : Tsr_CountedOp<mnemonic, onnx, "Reduction"> {
  let summary = what;
  let description = "(C1) x is [N, C, D1, ..., Dn] with n >= 1; the result is [N, C, 1, ..., 1].";
  let example = "%y = tsr." # mnemonic # " %x : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32>";
  let arguments = (ins Tsr_Float:$x);
  let results = (outs Tsr_Float:$y);
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferTypes(::llvm::SmallVectorImpl<::mlir::Type>& types) {
      return ::tessera::ir::inferGlobalPool(getOperation(), types);
    }
    int64_t $cppClass::getFlops() { return ::tessera::ir::operandElements(getOperation(), 0); }
  }];
}
def Tsr_GlobalAveragePoolOp : Tsr_GlobalPoolOp<"global_average_pool", "GlobalAveragePool", "mean over all spatial dimensions">;
def Tsr_GlobalMaxPoolOp : Tsr_GlobalPoolOp<"global_max_pool", "GlobalMaxPool", "maximum over all spatial dimensions">;
def Tsr_GlobalLpPoolOp : Tsr_GlobalPoolOp<"global_lp_pool", "GlobalLpPool", "p-norm over all spatial dimensions"> {
  let arguments = (ins Tsr_Float:$x, Tsr_IntDefault<"2">:$p);
}

/// Result type = type of x.
class Tsr_NormOp<string mnemonic, string onnx, string what, string kind = "Opaque", int flops = 8, list<Trait> traits = []>
    : Tsr_Op<mnemonic, onnx, kind, flops, traits> {
  let summary = what;
  let results = (outs Tsr_Float:$y);
}
def Tsr_BatchNormOp : Tsr_NormOp<"batch_norm", "BatchNormalization", "batch normalisation at inference", "Broadcast", 4> {
  let description = "(C1) x has rank >= 2; scale, b, mean and var are [C]. (C2) training_mode is 0.";
  let example = [{
    %y = tsr.batch_norm %x, %scale, %b, %input_mean, %input_var :
      (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  }];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$scale, Tsr_Float:$b, Tsr_Float:$input_mean, Tsr_Float:$input_var,
                   Tsr_FloatDefault<"1e-05f">:$epsilon, Tsr_FloatDefault<"0.9f">:$momentum, Tsr_IntDefault<"0">:$training_mode);
}
def Tsr_InstanceNormOp : Tsr_NormOp<"instance_norm", "InstanceNormalization", "normalisation of each channel of each instance"> {
  let description = "(C1) x is [N, C, D1, ..., Dn]; scale and b are [C]. (C2) Operands have one element type.";
  let example = [{
    %y = tsr.instance_norm %input, %scale, %b :
      (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  }];
  let arguments = (ins Tsr_Float:$input, Tsr_Float:$scale, Tsr_Float:$b, Tsr_FloatDefault<"1e-05f">:$epsilon);
}
def Tsr_GroupNormOp : Tsr_NormOp<"group_norm", "GroupNormalization", "normalisation of groups of channels"> {
  let description = "(C1) x is [N, C, D1, ..., Dn], C divisible by num_groups; scale and bias are [C]. (C2) Operands have one element type.";
  let example = [{
    %y = tsr.group_norm %x, %scale, %bias {num_groups = 3 : i64} :
      (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  }];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$scale, Tsr_Float:$bias, Tsr_FloatDefault<"1e-05f">:$epsilon, I64Attr:$num_groups,
                   Tsr_IntDefault<"1">:$stash_type);
}
def Tsr_LayerNormOp : Tsr_Op<"layer_norm", "LayerNormalization", "Opaque", 8,
                             [AttrSizedResultSegments, Tsr_AxisOpInterface]> {
  let summary = "normalisation over the dimensions from axis on";
  let description = "(C1) axis is in [-rank, rank). (C2) scale and b broadcast to the normalised dimensions. "
    "(C3) stash_type is a floating-point type of the dialect. (C4) Operands have one element type.";
  let example = [{
    %y = tsr.layer_norm %x, %scale {resultSegmentSizes = array<i32: 1, 0, 0>} :
      (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  }];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$scale, Optional<Tsr_Float>:$b, Tsr_IntDefault<"-1">:$axis,
                   Tsr_FloatDefault<"1e-05f">:$epsilon, Tsr_IntDefault<"1">:$stash_type);
  let results = (outs Tsr_Float:$y, Optional<Tsr_Float>:$mean, Optional<Tsr_Float>:$inv_std_dev);
}
def Tsr_RmsNormOp : Tsr_NormOp<"rms_norm", "RMSNormalization", "division by the root mean square over the dimensions from axis on",
                               "Opaque", 8, [Tsr_AxisOpInterface]> {
  let description = "(C1) axis is in [-rank, rank). (C2) scale broadcasts to the normalised dimensions.";
  let example = [{%y = tsr.rms_norm %x, %scale : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>}];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$scale, Tsr_IntDefault<"-1">:$axis, Tsr_FloatDefault<"1e-05f">:$epsilon,
                   Tsr_IntDefault<"1">:$stash_type);
}
def Tsr_LrnOp : Tsr_NormOp<"lrn", "LRN", "local response normalisation across channels"> {
  let description = "(C1) x has rank >= 2. (C2) size > 0.";
  let example = [{%y = tsr.lrn %x {size = 3 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>}];
  let arguments = (ins Tsr_Float:$x, Tsr_FloatDefault<"0.0001f">:$alpha, Tsr_FloatDefault<"0.75f">:$beta, Tsr_FloatDefault<"1.0f">:$bias,
                   I64Attr:$size);
}
def Tsr_LpNormOp : Tsr_NormOp<"lp_norm", "LpNormalization", "division by the p-norm along an axis", "Opaque", 8,
                              [Tsr_AxisOpInterface]> {
  let description = "(C1) axis is in [-rank, rank). (C2) p is 1 or 2.";
  let example = [{%y = tsr.lp_norm %input {p = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>}];
  let arguments = (ins Tsr_Float:$input, Tsr_IntDefault<"-1">:$axis, Tsr_IntDefault<"2">:$p);
}
def Tsr_MeanVarianceNormOp : Tsr_NormOp<"mean_variance_norm", "MeanVarianceNormalization", "(x - mean) / (standard deviation + 1e-9) over axes"> {
  let description = "(C1) axes are in [-rank, rank) and differ; [0, 2, 3] without the attribute.";
  let example = [{%y = tsr.mean_variance_norm %x : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>}];
  let arguments = (ins Tsr_Float:$x, Tsr_Ints:$axes);
  let extraClassDeclaration = kindDeclaration # [{
    /// The dimensions that share a mean, ascending, counted from the front.
    ::llvm::SmallVector<int64_t> getReducedDims();
  }];
}
def Tsr_ResizeOp : Tsr_Op<"resize", "Resize", "Injective", 4, [AttrSizedOperandSegments]> {
  let summary = "samples a tensor on another grid: nearest, linear or cubic";
  let description = [{
    (C1) Exactly one of scales and sizes is given (an empty tensor counts as absent), one entry for each of `axes`.
    (C2) mode, coordinate_transformation_mode and nearest_mode are names that ONNX defines. (C3) roi, with
    tf_crop_and_resize, has two entries for each of `axes`.
  }];
  let example = [{
    %scales = tsr.constant dense<[1.0, 1.0, 2.0, 0.5]> : tensor<4xf32> -> tensor<4xf32>
    %y = tsr.resize %x, %scales {operandSegmentSizes = array<i32: 1, 0, 1, 0>} :
      (tensor<1x3x4x5xf32>, tensor<4xf32>) -> tensor<1x3x8x2xf32>
  }];
  let arguments = (ins Tsr_Number:$x, Optional<Tsr_Float>:$roi, Optional<Tsr_Float>:$scales, Optional<Tsr_I64>:$sizes,
                   Tsr_IntDefault<"0">:$antialias, Tsr_Ints:$axes, Tsr_WordDefault<Tsr_CoordinateTransformation, "half_pixel">:$coordinate_transformation_mode,
                   Tsr_FloatDefault<"-0.75f">:$cubic_coeff_a, Tsr_IntDefault<"0">:$exclude_outside, Tsr_FloatDefault<"0.0f">:$extrapolation_value,
                   Tsr_WordDefault<Tsr_AspectRatioPolicy, "stretch">:$keep_aspect_ratio_policy,
                   Tsr_WordDefault<Tsr_ResizeMode, "nearest">:$mode,
                   Tsr_WordDefault<Tsr_NearestMode, "round_prefer_floor">:$nearest_mode);
  let results = (outs Tsr_Number:$y);
}

/// Recurrent layers; x: [T, N, I] (layout 0) or [N, T, I] (layout 1). `gates` row blocks in the weights; `activations` are
/// those of one direction where the attribute is absent.
class Tsr_RecurrentOp<string mnemonic, string onnx, string what, int gates, string activations>
    : Tsr_CountedOp<mnemonic, onnx, "Opaque", [AttrSizedOperandSegments, AttrSizedResultSegments, Tsr_RecurrentOpInterface]> {
  let summary = what;
  let extraClassDeclaration = kindDeclaration # "static constexpr int64_t kNumGates = " # gates # ";\n"
    # "static constexpr ::tessera::ir::spec::Activation kActivations[] = {" # activations # "};\n";
  let description = "(C1) x, w and r have rank 3. (C2) hidden_size, gates and directions agree with the shapes of w, r, b, "
    "sequence_lens and initial states. (C3) direction is forward, reverse or bidirectional, layout 0 or 1. (C4) All operands but "
    "sequence_lens have one element type. A sequence of length 0 ends in states of zeros, whatever the initial ones are.";
}
def Tsr_LstmOp : Tsr_RecurrentOp<"lstm", "LSTM", "long short-term memory layer", 4,
    "::tessera::ir::spec::Activation::kSigmoid, ::tessera::ir::spec::Activation::kTanh, ::tessera::ir::spec::Activation::kTanh"> {
  let example = [{
    %y = tsr.lstm %x, %w, %r {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0>} :
      (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> tensor<5x1x2x4xf32>
  }];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$w, Tsr_Float:$r, Optional<Tsr_Float>:$b, Optional<Tsr_Index>:$sequence_lens,
                   Optional<Tsr_Float>:$initial_h, Optional<Tsr_Float>:$initial_c, Optional<Tsr_Float>:$p,
                   OptionalAttr<F32ArrayAttr>:$activation_alpha, OptionalAttr<F32ArrayAttr>:$activation_beta, OptionalAttr<StrArrayAttr>:$activations,
                   OptionalAttr<F32Attr>:$clip, Tsr_WordDefault<Tsr_RecurrentDirection, "forward">:$direction, OptionalAttr<I64Attr>:$hidden_size,
                   Tsr_IntDefault<"0">:$input_forget, Tsr_IntDefault<"0">:$layout);
  let results = (outs Optional<Tsr_Float>:$y, Optional<Tsr_Float>:$y_h, Optional<Tsr_Float>:$y_c);
}
def Tsr_GruOp : Tsr_RecurrentOp<"gru", "GRU", "gated recurrent unit layer", 3,
    "::tessera::ir::spec::Activation::kSigmoid, ::tessera::ir::spec::Activation::kTanh"> {
  let example = [{
    %y = tsr.gru %x, %w, %r {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0>} :
      (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> tensor<5x1x2x4xf32>
  }];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$w, Tsr_Float:$r, Optional<Tsr_Float>:$b, Optional<Tsr_Index>:$sequence_lens,
                   Optional<Tsr_Float>:$initial_h, OptionalAttr<F32ArrayAttr>:$activation_alpha, OptionalAttr<F32ArrayAttr>:$activation_beta,
                   OptionalAttr<StrArrayAttr>:$activations, OptionalAttr<F32Attr>:$clip, Tsr_WordDefault<Tsr_RecurrentDirection, "forward">:$direction,
                   OptionalAttr<I64Attr>:$hidden_size, Tsr_IntDefault<"0">:$layout, Tsr_IntDefault<"0">:$linear_before_reset);
  let results = (outs Optional<Tsr_Float>:$y, Optional<Tsr_Float>:$y_h);
}
def Tsr_RnnOp : Tsr_RecurrentOp<"rnn", "RNN", "simple recurrent layer", 1, "::tessera::ir::spec::Activation::kTanh"> {
  let example = [{
    %y = tsr.rnn %x, %w, %r {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0>} :
      (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32>
  }];
  let arguments = (ins Tsr_Float:$x, Tsr_Float:$w, Tsr_Float:$r, Optional<Tsr_Float>:$b, Optional<Tsr_Index>:$sequence_lens,
                   Optional<Tsr_Float>:$initial_h, OptionalAttr<F32ArrayAttr>:$activation_alpha, OptionalAttr<F32ArrayAttr>:$activation_beta,
                   OptionalAttr<StrArrayAttr>:$activations, OptionalAttr<F32Attr>:$clip, Tsr_WordDefault<Tsr_RecurrentDirection, "forward">:$direction,
                   OptionalAttr<I64Attr>:$hidden_size, Tsr_IntDefault<"0">:$layout);
  let results = (outs Optional<Tsr_Float>:$y, Optional<Tsr_Float>:$y_h);
}

#endif
