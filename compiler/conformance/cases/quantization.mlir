// Linear quantisation.

func.func private @quantize_i8(%a: tensor<3x40xf32> {test.range = [-9.0, 9.0]}, %b: tensor<f32> {test.values = [0.05]}, %c: tensor<i8> {test.values = [3]}) -> tensor<3x40xi8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<3x40xf32>, tensor<f32>, tensor<i8>) -> tensor<3x40xi8>
  return %r : tensor<3x40xi8>
}

func.func private @quantize_axis_i8(%a: tensor<3x4x5xf32> {test.range = [-9.0, 9.0]}, %b: tensor<4xf32> {test.range = [0.02, 0.1]}, %c: tensor<4xi8> {test.range = [0, 9]}) -> tensor<3x4x5xi8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<3x4x5xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<3x4x5xi8>
  return %r : tensor<3x4x5xi8>
}

func.func private @quantize_last_i8(%a: tensor<3x4xf32> {test.range = [-9.0, 9.0]}, %b: tensor<4xf32> {test.range = [0.02, 0.1]}, %c: tensor<4xi8> {test.range = [0, 9]}) -> tensor<3x4xi8> {
  %r = tsr.quantize_linear %a, %b, %c {axis = -1 : i64} : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<3x4xi8>
  return %r : tensor<3x4xi8>
}

func.func private @quantize_block_i8(%a: tensor<3x5xf32> {test.range = [-9.0, 9.0]}, %b: tensor<3x3xf32> {test.range = [0.02, 0.1]}, %c: tensor<3x3xi8> {test.range = [0, 9]}) -> tensor<3x5xi8> {
  %r = tsr.quantize_linear %a, %b, %c {block_size = 2 : i64} : (tensor<3x5xf32>, tensor<3x3xf32>, tensor<3x3xi8>) -> tensor<3x5xi8>
  return %r : tensor<3x5xi8>
}

func.func private @quantize_f64_i8(%a: tensor<30xf64> {test.range = [-9.0, 9.0]}, %b: tensor<f64> {test.values = [0.05]}, %c: tensor<i8> {test.values = [3]}) -> tensor<30xi8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<30xf64>, tensor<f64>, tensor<i8>) -> tensor<30xi8>
  return %r : tensor<30xi8>
}

func.func private @quantize_i32_i8(%a: tensor<30xi32> {test.range = [-900, 900]}, %b: tensor<f32> {test.values = [4.0]}, %c: tensor<i8> {test.values = [3]}) -> tensor<30xi8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<30xi32>, tensor<f32>, tensor<i8>) -> tensor<30xi8>
  return %r : tensor<30xi8>
}

func.func private @dequantize_i8(%a: tensor<3x40xi8> {test.range = [-128, 127]}, %b: tensor<f32> {test.values = [0.05]}, %c: tensor<i8> {test.values = [3]}) -> tensor<3x40xf32> {
  %r = tsr.dequantize_linear %a, %b, %c : (tensor<3x40xi8>, tensor<f32>, tensor<i8>) -> tensor<3x40xf32>
  return %r : tensor<3x40xf32>
}

func.func private @dequantize_axis_i8(%a: tensor<3x4x5xi8> {test.range = [-128, 127]}, %b: tensor<4xf32> {test.range = [0.02, 0.1]}, %c: tensor<4xi8> {test.range = [0, 9]}) -> tensor<3x4x5xf32> {
  %r = tsr.dequantize_linear %a, %b, %c : (tensor<3x4x5xi8>, tensor<4xf32>, tensor<4xi8>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}

func.func private @dequantize_block_i8(%a: tensor<3x5xi8> {test.range = [-128, 127]}, %b: tensor<3x3xf32> {test.range = [0.02, 0.1]}, %c: tensor<3x3xi8> {test.range = [0, 9]}) -> tensor<3x5xf32> {
  %r = tsr.dequantize_linear %a, %b, %c {block_size = 2 : i64} : (tensor<3x5xi8>, tensor<3x3xf32>, tensor<3x3xi8>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func private @quantize_u8(%a: tensor<3x40xf32> {test.range = [-9.0, 9.0]}, %b: tensor<f32> {test.values = [0.05]}, %c: tensor<ui8> {test.values = [3]}) -> tensor<3x40xui8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<3x40xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x40xui8>
  return %r : tensor<3x40xui8>
}

func.func private @quantize_axis_u8(%a: tensor<3x4x5xf32> {test.range = [-9.0, 9.0]}, %b: tensor<4xf32> {test.range = [0.02, 0.1]}, %c: tensor<4xui8> {test.range = [0, 9]}) -> tensor<3x4x5xui8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<3x4x5xf32>, tensor<4xf32>, tensor<4xui8>) -> tensor<3x4x5xui8>
  return %r : tensor<3x4x5xui8>
}

func.func private @quantize_last_u8(%a: tensor<3x4xf32> {test.range = [-9.0, 9.0]}, %b: tensor<4xf32> {test.range = [0.02, 0.1]}, %c: tensor<4xui8> {test.range = [0, 9]}) -> tensor<3x4xui8> {
  %r = tsr.quantize_linear %a, %b, %c {axis = -1 : i64} : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xui8>) -> tensor<3x4xui8>
  return %r : tensor<3x4xui8>
}

func.func private @quantize_block_u8(%a: tensor<3x5xf32> {test.range = [-9.0, 9.0]}, %b: tensor<3x3xf32> {test.range = [0.02, 0.1]}, %c: tensor<3x3xui8> {test.range = [0, 9]}) -> tensor<3x5xui8> {
  %r = tsr.quantize_linear %a, %b, %c {block_size = 2 : i64} : (tensor<3x5xf32>, tensor<3x3xf32>, tensor<3x3xui8>) -> tensor<3x5xui8>
  return %r : tensor<3x5xui8>
}

func.func private @quantize_f64_u8(%a: tensor<30xf64> {test.range = [-9.0, 9.0]}, %b: tensor<f64> {test.values = [0.05]}, %c: tensor<ui8> {test.values = [3]}) -> tensor<30xui8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<30xf64>, tensor<f64>, tensor<ui8>) -> tensor<30xui8>
  return %r : tensor<30xui8>
}

func.func private @quantize_i32_u8(%a: tensor<30xi32> {test.range = [-900, 900]}, %b: tensor<f32> {test.values = [4.0]}, %c: tensor<ui8> {test.values = [3]}) -> tensor<30xui8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<30xi32>, tensor<f32>, tensor<ui8>) -> tensor<30xui8>
  return %r : tensor<30xui8>
}

func.func private @dequantize_u8(%a: tensor<3x40xui8> {test.range = [0, 255]}, %b: tensor<f32> {test.values = [0.05]}, %c: tensor<ui8> {test.values = [3]}) -> tensor<3x40xf32> {
  %r = tsr.dequantize_linear %a, %b, %c : (tensor<3x40xui8>, tensor<f32>, tensor<ui8>) -> tensor<3x40xf32>
  return %r : tensor<3x40xf32>
}

func.func private @dequantize_axis_u8(%a: tensor<3x4x5xui8> {test.range = [0, 255]}, %b: tensor<4xf32> {test.range = [0.02, 0.1]}, %c: tensor<4xui8> {test.range = [0, 9]}) -> tensor<3x4x5xf32> {
  %r = tsr.dequantize_linear %a, %b, %c : (tensor<3x4x5xui8>, tensor<4xf32>, tensor<4xui8>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}

func.func private @dequantize_block_u8(%a: tensor<3x5xui8> {test.range = [0, 255]}, %b: tensor<3x3xf32> {test.range = [0.02, 0.1]}, %c: tensor<3x3xui8> {test.range = [0, 9]}) -> tensor<3x5xf32> {
  %r = tsr.dequantize_linear %a, %b, %c {block_size = 2 : i64} : (tensor<3x5xui8>, tensor<3x3xf32>, tensor<3x3xui8>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func private @quantize_without_zero(%a: tensor<30xf32> {test.range = [-9.0, 9.0]}, %b: tensor<f32> {test.values = [0.05]}) -> tensor<30xui8> {
  %r = tsr.quantize_linear %a, %b : (tensor<30xf32>, tensor<f32>) -> tensor<30xui8>
  return %r : tensor<30xui8>
}

func.func private @quantize_output_type(%a: tensor<30xf32> {test.range = [-9.0, 9.0]}, %b: tensor<f32> {test.values = [0.05]}) -> tensor<30xi8> {
  %r = tsr.quantize_linear %a, %b {output_dtype = 3 : i64} : (tensor<30xf32>, tensor<f32>) -> tensor<30xi8>
  return %r : tensor<30xi8>
}

func.func private @quantize_open(%a: tensor<?x4x?xf32> {test.dims = [3, 4, 5]}, %b: tensor<4xf32> {test.range = [0.02, 0.1]}, %c: tensor<4xui8> {test.range = [0, 9]}) -> tensor<?x4x?xui8> {
  %r = tsr.quantize_linear %a, %b, %c : (tensor<?x4x?xf32>, tensor<4xf32>, tensor<4xui8>) -> tensor<?x4x?xui8>
  return %r : tensor<?x4x?xui8>
}

func.func private @dequantize_i32(%a: tensor<3x4xi32> {test.range = [-100000, 100000]}, %b: tensor<4xf32> {test.range = [0.02, 0.1]}) -> tensor<3x4xf32> {
  %r = tsr.dequantize_linear %a, %b : (tensor<3x4xi32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func private @dequantize_without_zero(%a: tensor<3x4xui8> {test.range = [0, 255]}, %b: tensor<f32> {test.values = [0.05]}) -> tensor<3x4xf32> {
  %r = tsr.dequantize_linear %a, %b : (tensor<3x4xui8>, tensor<f32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func private @dynamic_quantize(%a: tensor<3x40xf32> {test.range = [-3.0, 9.0]}) -> (tensor<3x40xui8>, tensor<f32>, tensor<ui8>) {
  %r:3 = tsr.dynamic_quantize_linear %a : (tensor<3x40xf32>) -> (tensor<3x40xui8>, tensor<f32>, tensor<ui8>)
  return %r#0, %r#1, %r#2 : tensor<3x40xui8>, tensor<f32>, tensor<ui8>
}

func.func private @dynamic_quantize_positive(%a: tensor<30xf32> {test.range = [1.0, 9.0]}) -> (tensor<30xui8>, tensor<f32>, tensor<ui8>) {
  %r:3 = tsr.dynamic_quantize_linear %a : (tensor<30xf32>) -> (tensor<30xui8>, tensor<f32>, tensor<ui8>)
  return %r#0, %r#1, %r#2 : tensor<30xui8>, tensor<f32>, tensor<ui8>
}

func.func private @dynamic_quantize_zeros(%a: tensor<5xf32> {test.values = [0.0]}) -> (tensor<5xui8>, tensor<f32>, tensor<ui8>) {
  %r:3 = tsr.dynamic_quantize_linear %a : (tensor<5xf32>) -> (tensor<5xui8>, tensor<f32>, tensor<ui8>)
  return %r#0, %r#1, %r#2 : tensor<5xui8>, tensor<f32>, tensor<ui8>
}

func.func private @dynamic_quantize_open(%a: tensor<?x?xf32> {test.dims = [3, 5]}) -> (tensor<?x?xui8>, tensor<f32>, tensor<ui8>) {
  %r:3 = tsr.dynamic_quantize_linear %a : (tensor<?x?xf32>) -> (tensor<?x?xui8>, tensor<f32>, tensor<ui8>)
  return %r#0, %r#1, %r#2 : tensor<?x?xui8>, tensor<f32>, tensor<ui8>
}
