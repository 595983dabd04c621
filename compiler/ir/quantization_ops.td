// Linear quantisation.
#ifndef TESSERA_COMPILER_IR_QUANTIZATION_OPS_TD
#define TESSERA_COMPILER_IR_QUANTIZATION_OPS_TD

include "compiler/ir/tsr_base.td"

def Tsr_QuantizeLinearOp : Tsr_Op<"quantize_linear", "QuantizeLinear", "Elementwise", 3, [Tsr_AxisOpInterface]> {
  let summary = "saturate(round(x / y_scale) + y_zero_point)";
  let description = "(C1) scale and zero point are scalars, or [x.shape[axis]], or, with block_size, have the rank of x. "
    "(C2) axis is in [-rank, rank). (C3) output_dtype and zero point agree.";
  let example = [{
    %y = tsr.quantize_linear %x, %y_scale, %y_zero_point :
      (tensor<2x3xf32>, tensor<f32>, tensor<i8>) -> tensor<2x3xi8>
  }];
  let arguments = (ins Tsr_Number:$x, Tsr_Float:$y_scale, Optional<Tsr_Integer>:$y_zero_point, Tsr_IntDefault<"1">:$axis,
                   Tsr_IntDefault<"0">:$block_size, Tsr_IntDefault<"0">:$output_dtype, Tsr_IntDefault<"0">:$precision, Tsr_IntDefault<"1">:$saturate);
  let results = (outs Tsr_Integer:$y);
}
def Tsr_DequantizeLinearOp : Tsr_Op<"dequantize_linear", "DequantizeLinear", "Elementwise", 2, [Tsr_AxisOpInterface]> {
  let summary = "(x - x_zero_point) * x_scale";
  let description = "(C1) scale and zero point are scalars, or [x.shape[axis]], or, with block_size, have the rank of x. "
    "(C2) axis is in [-rank, rank). (C3) output_dtype and zero point agree.";
  let example = [{
    %y = tsr.dequantize_linear %x, %x_scale, %x_zero_point :
      (tensor<2x3xui8>, tensor<f16>, tensor<ui8>) -> tensor<2x3xf16>
  }];
  let arguments = (ins Tsr_Integer:$x, Tsr_Float:$x_scale, Optional<Tsr_Integer>:$x_zero_point, Tsr_IntDefault<"1">:$axis,
                   Tsr_IntDefault<"0">:$block_size, Tsr_IntDefault<"0">:$output_dtype);
  let results = (outs Tsr_Float:$y);
}
def Tsr_DynamicQuantizeLinearOp : Tsr_Op<"dynamic_quantize_linear", "DynamicQuantizeLinear", "Opaque", 6> {
  let summary = "quantisation to u8 with scale and zero point from the range of the data";
  let example = [{
    %r:3 = tsr.dynamic_quantize_linear %x : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<f32>, tensor<ui8>)
  }];
  let arguments = (ins Tsr_Float:$x);
  let results = (outs Tsr_Integer:$y, Tsr_Float:$y_scale, Tsr_Integer:$y_zero_point);
}

#endif
