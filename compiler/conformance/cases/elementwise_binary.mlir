// Elementwise operators of several operands: every one, element types, broadcasting, open sizes; small chains.

func.func private @add(%a: tensor<4x19xf32>, %b: tensor<4x19xf32> {test.range = [0.5, 2.0]}) -> tensor<4x19xf32> {
  %r = tsr.add %a, %b : (tensor<4x19xf32>, tensor<4x19xf32>) -> tensor<4x19xf32>
  return %r : tensor<4x19xf32>
}

func.func private @add_f64(%a: tensor<4x5xf64>, %b: tensor<5xf64> {test.range = [0.5, 2.0]}) -> tensor<4x5xf64> {
  %r = tsr.add %a, %b : (tensor<4x5xf64>, tensor<5xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}

func.func private @add_i32(%a: tensor<4x5xi32> {test.range = [-100, 100]}, %b: tensor<5xi32> {test.range = [1, 5]}) -> tensor<4x5xi32> {
  %r = tsr.add %a, %b : (tensor<4x5xi32>, tensor<5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

func.func private @add_i64(%a: tensor<4x5xi64> {test.range = [-100, 100]}, %b: tensor<5xi64> {test.range = [1, 5]}) -> tensor<4x5xi64> {
  %r = tsr.add %a, %b : (tensor<4x5xi64>, tensor<5xi64>) -> tensor<4x5xi64>
  return %r : tensor<4x5xi64>
}

func.func private @add_i8(%a: tensor<4x5xi8> {test.range = [-100, 100]}, %b: tensor<5xi8> {test.range = [1, 5]}) -> tensor<4x5xi8> {
  %r = tsr.add %a, %b : (tensor<4x5xi8>, tensor<5xi8>) -> tensor<4x5xi8>
  return %r : tensor<4x5xi8>
}

func.func private @add_u8(%a: tensor<4x5xui8> {test.range = [0, 100]}, %b: tensor<5xui8> {test.range = [1, 5]}) -> tensor<4x5xui8> {
  %r = tsr.add %a, %b : (tensor<4x5xui8>, tensor<5xui8>) -> tensor<4x5xui8>
  return %r : tensor<4x5xui8>
}

func.func private @sub(%a: tensor<4x19xf32>, %b: tensor<4x19xf32> {test.range = [0.5, 2.0]}) -> tensor<4x19xf32> {
  %r = tsr.sub %a, %b : (tensor<4x19xf32>, tensor<4x19xf32>) -> tensor<4x19xf32>
  return %r : tensor<4x19xf32>
}

func.func private @sub_f64(%a: tensor<4x5xf64>, %b: tensor<5xf64> {test.range = [0.5, 2.0]}) -> tensor<4x5xf64> {
  %r = tsr.sub %a, %b : (tensor<4x5xf64>, tensor<5xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}

func.func private @sub_i32(%a: tensor<4x5xi32> {test.range = [-100, 100]}, %b: tensor<5xi32> {test.range = [1, 5]}) -> tensor<4x5xi32> {
  %r = tsr.sub %a, %b : (tensor<4x5xi32>, tensor<5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

func.func private @sub_i64(%a: tensor<4x5xi64> {test.range = [-100, 100]}, %b: tensor<5xi64> {test.range = [1, 5]}) -> tensor<4x5xi64> {
  %r = tsr.sub %a, %b : (tensor<4x5xi64>, tensor<5xi64>) -> tensor<4x5xi64>
  return %r : tensor<4x5xi64>
}

func.func private @sub_i8(%a: tensor<4x5xi8> {test.range = [-100, 100]}, %b: tensor<5xi8> {test.range = [1, 5]}) -> tensor<4x5xi8> {
  %r = tsr.sub %a, %b : (tensor<4x5xi8>, tensor<5xi8>) -> tensor<4x5xi8>
  return %r : tensor<4x5xi8>
}

func.func private @sub_u8(%a: tensor<4x5xui8> {test.range = [0, 100]}, %b: tensor<5xui8> {test.range = [1, 5]}) -> tensor<4x5xui8> {
  %r = tsr.sub %a, %b : (tensor<4x5xui8>, tensor<5xui8>) -> tensor<4x5xui8>
  return %r : tensor<4x5xui8>
}

func.func private @mul(%a: tensor<4x19xf32>, %b: tensor<4x19xf32> {test.range = [0.5, 2.0]}) -> tensor<4x19xf32> {
  %r = tsr.mul %a, %b : (tensor<4x19xf32>, tensor<4x19xf32>) -> tensor<4x19xf32>
  return %r : tensor<4x19xf32>
}

func.func private @mul_f64(%a: tensor<4x5xf64>, %b: tensor<5xf64> {test.range = [0.5, 2.0]}) -> tensor<4x5xf64> {
  %r = tsr.mul %a, %b : (tensor<4x5xf64>, tensor<5xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}

func.func private @mul_i32(%a: tensor<4x5xi32> {test.range = [-100, 100]}, %b: tensor<5xi32> {test.range = [1, 5]}) -> tensor<4x5xi32> {
  %r = tsr.mul %a, %b : (tensor<4x5xi32>, tensor<5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

func.func private @mul_i64(%a: tensor<4x5xi64> {test.range = [-100, 100]}, %b: tensor<5xi64> {test.range = [1, 5]}) -> tensor<4x5xi64> {
  %r = tsr.mul %a, %b : (tensor<4x5xi64>, tensor<5xi64>) -> tensor<4x5xi64>
  return %r : tensor<4x5xi64>
}

func.func private @mul_i8(%a: tensor<4x5xi8> {test.range = [-100, 100]}, %b: tensor<5xi8> {test.range = [1, 5]}) -> tensor<4x5xi8> {
  %r = tsr.mul %a, %b : (tensor<4x5xi8>, tensor<5xi8>) -> tensor<4x5xi8>
  return %r : tensor<4x5xi8>
}

func.func private @mul_u8(%a: tensor<4x5xui8> {test.range = [0, 100]}, %b: tensor<5xui8> {test.range = [1, 5]}) -> tensor<4x5xui8> {
  %r = tsr.mul %a, %b : (tensor<4x5xui8>, tensor<5xui8>) -> tensor<4x5xui8>
  return %r : tensor<4x5xui8>
}

func.func private @div(%a: tensor<4x19xf32>, %b: tensor<4x19xf32> {test.range = [0.5, 2.0]}) -> tensor<4x19xf32> {
  %r = tsr.div %a, %b : (tensor<4x19xf32>, tensor<4x19xf32>) -> tensor<4x19xf32>
  return %r : tensor<4x19xf32>
}

func.func private @div_f64(%a: tensor<4x5xf64>, %b: tensor<5xf64> {test.range = [0.5, 2.0]}) -> tensor<4x5xf64> {
  %r = tsr.div %a, %b : (tensor<4x5xf64>, tensor<5xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}

func.func private @div_i32(%a: tensor<4x5xi32> {test.range = [-100, 100]}, %b: tensor<5xi32> {test.range = [1, 5]}) -> tensor<4x5xi32> {
  %r = tsr.div %a, %b : (tensor<4x5xi32>, tensor<5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

func.func private @div_i64(%a: tensor<4x5xi64> {test.range = [-100, 100]}, %b: tensor<5xi64> {test.range = [1, 5]}) -> tensor<4x5xi64> {
  %r = tsr.div %a, %b : (tensor<4x5xi64>, tensor<5xi64>) -> tensor<4x5xi64>
  return %r : tensor<4x5xi64>
}

func.func private @div_i8(%a: tensor<4x5xi8> {test.range = [-100, 100]}, %b: tensor<5xi8> {test.range = [1, 5]}) -> tensor<4x5xi8> {
  %r = tsr.div %a, %b : (tensor<4x5xi8>, tensor<5xi8>) -> tensor<4x5xi8>
  return %r : tensor<4x5xi8>
}

func.func private @div_u8(%a: tensor<4x5xui8> {test.range = [0, 100]}, %b: tensor<5xui8> {test.range = [1, 5]}) -> tensor<4x5xui8> {
  %r = tsr.div %a, %b : (tensor<4x5xui8>, tensor<5xui8>) -> tensor<4x5xui8>
  return %r : tensor<4x5xui8>
}

func.func private @add_row(%a: tensor<4x5xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %r = tsr.add %a, %b : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func private @add_column(%a: tensor<4x5xf32>, %b: tensor<4x1xf32>) -> tensor<4x5xf32> {
  %r = tsr.add %a, %b : (tensor<4x5xf32>, tensor<4x1xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func private @add_scalar(%a: tensor<4x5xf32>, %b: tensor<f32>) -> tensor<4x5xf32> {
  %r = tsr.add %a, %b : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func private @add_both(%a: tensor<4x1x3xf32>, %b: tensor<1x5x1xf32>) -> tensor<4x5x3xf32> {
  %r = tsr.add %a, %b : (tensor<4x1x3xf32>, tensor<1x5x1xf32>) -> tensor<4x5x3xf32>
  return %r : tensor<4x5x3xf32>
}

func.func private @add_rank(%a: tensor<3xf32>, %b: tensor<2x1x3xf32>) -> tensor<2x1x3xf32> {
  %r = tsr.add %a, %b : (tensor<3xf32>, tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  return %r : tensor<2x1x3xf32>
}

func.func private @add_ones(%a: tensor<1x1xf32>, %b: tensor<1xf32>) -> tensor<1x1xf32> {
  %r = tsr.add %a, %b : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

func.func private @add_channel(%a: tensor<2x6x5x7xf32>, %b: tensor<6x1x1xf32>) -> tensor<2x6x5x7xf32> {
  %r = tsr.add %a, %b : (tensor<2x6x5x7xf32>, tensor<6x1x1xf32>) -> tensor<2x6x5x7xf32>
  return %r : tensor<2x6x5x7xf32>
}

func.func private @add_image(%a: tensor<2x6x5x7xf32>, %b: tensor<2x1x5x7xf32>) -> tensor<2x6x5x7xf32> {
  %r = tsr.add %a, %b : (tensor<2x6x5x7xf32>, tensor<2x1x5x7xf32>) -> tensor<2x6x5x7xf32>
  return %r : tensor<2x6x5x7xf32>
}

func.func private @add_empty(%a: tensor<0x3xf32>, %b: tensor<3xf32>) -> tensor<0x3xf32> {
  %r = tsr.add %a, %b : (tensor<0x3xf32>, tensor<3xf32>) -> tensor<0x3xf32>
  return %r : tensor<0x3xf32>
}

func.func private @add_open(%a: tensor<?x5xf32> {test.dims = [3, 5]}, %b: tensor<5xf32>) -> tensor<?x5xf32> {
  %r = tsr.add %a, %b : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

func.func private @add_open_same(%a: tensor<?x?xf32> {test.dims = [3, 5]}, %b: tensor<?x?xf32> {test.dims = [3, 5]}) -> tensor<?x?xf32> {
  %r = tsr.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @add_open_one_left(%a: tensor<?x?xf32> {test.dims = [1, 5]}, %b: tensor<?x?xf32> {test.dims = [3, 1]}) -> tensor<?x?xf32> {
  %r = tsr.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @add_open_against_static(%a: tensor<?x4xf32> {test.dims = [1, 4]}, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = tsr.add %a, %b : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func private @add_open_empty(%a: tensor<?x4xf32> {test.dims = [0, 4]}, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %r = tsr.add %a, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func private @relu_open(%a: tensor<?x?x3xf32> {test.dims = [2, 17, 3]}) -> tensor<?x?x3xf32> {
  %r = tsr.relu %a : (tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  return %r : tensor<?x?x3xf32>
}

func.func private @div_by_zero(%a: tensor<4xi32> {test.values = [-7, 7, -2147483648, 5]}, %b: tensor<4xi32> {test.values = [2, -2, -1, 1]}) -> tensor<4xi32> {
  %r = tsr.div %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

func.func private @mod_i32(%a: tensor<30xi32> {test.range = [-20, 20]}, %b: tensor<30xi32> {test.values = [3, -4, 1, -1, 7]}) -> tensor<30xi32> {
  %r = tsr.mod %a, %b : (tensor<30xi32>, tensor<30xi32>) -> tensor<30xi32>
  return %r : tensor<30xi32>
}

func.func private @fmod_i32(%a: tensor<30xi32> {test.range = [-20, 20]}, %b: tensor<30xi32> {test.values = [3, -4, 1, -1, 7]}) -> tensor<30xi32> {
  %r = tsr.mod %a, %b {fmod = 1 : i64} : (tensor<30xi32>, tensor<30xi32>) -> tensor<30xi32>
  return %r : tensor<30xi32>
}

func.func private @mod_i64(%a: tensor<30xi64> {test.range = [-20, 20]}, %b: tensor<30xi64> {test.values = [3, -4, 1, -1, 7]}) -> tensor<30xi64> {
  %r = tsr.mod %a, %b : (tensor<30xi64>, tensor<30xi64>) -> tensor<30xi64>
  return %r : tensor<30xi64>
}

func.func private @fmod_i64(%a: tensor<30xi64> {test.range = [-20, 20]}, %b: tensor<30xi64> {test.values = [3, -4, 1, -1, 7]}) -> tensor<30xi64> {
  %r = tsr.mod %a, %b {fmod = 1 : i64} : (tensor<30xi64>, tensor<30xi64>) -> tensor<30xi64>
  return %r : tensor<30xi64>
}

func.func private @mod_i8(%a: tensor<30xi8> {test.range = [-20, 20]}, %b: tensor<30xi8> {test.values = [3, -4, 1, -1, 7]}) -> tensor<30xi8> {
  %r = tsr.mod %a, %b : (tensor<30xi8>, tensor<30xi8>) -> tensor<30xi8>
  return %r : tensor<30xi8>
}

func.func private @fmod_i8(%a: tensor<30xi8> {test.range = [-20, 20]}, %b: tensor<30xi8> {test.values = [3, -4, 1, -1, 7]}) -> tensor<30xi8> {
  %r = tsr.mod %a, %b {fmod = 1 : i64} : (tensor<30xi8>, tensor<30xi8>) -> tensor<30xi8>
  return %r : tensor<30xi8>
}

func.func private @mod_u8(%a: tensor<30xui8> {test.range = [0, 200]}, %b: tensor<30xui8> {test.range = [1, 9]}) -> tensor<30xui8> {
  %r = tsr.mod %a, %b : (tensor<30xui8>, tensor<30xui8>) -> tensor<30xui8>
  return %r : tensor<30xui8>
}

func.func private @fmod_f32(%a: tensor<30xf32> {test.range = [-9.0, 9.0]}, %b: tensor<30xf32> {test.range = [0.5, 2.0]}) -> tensor<30xf32> {
  %r = tsr.mod %a, %b {fmod = 1 : i64} : (tensor<30xf32>, tensor<30xf32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @pow(%a: tensor<30xf32> {test.range = [0.1, 3.0]}, %b: tensor<30xf32> {test.range = [-2.0, 2.0]}) -> tensor<30xf32> {
  %r = tsr.pow %a, %b : (tensor<30xf32>, tensor<30xf32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @pow_mixed(%a: tensor<30xf32> {test.range = [-3.0, 3.0]}, %b: tensor<30xi64> {test.range = [0, 4]}) -> tensor<30xf32> {
  %r = tsr.pow %a, %b : (tensor<30xf32>, tensor<30xi64>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @pow_i32(%a: tensor<30xi32> {test.range = [-5, 5]}, %b: tensor<30xi32> {test.range = [0, 5]}) -> tensor<30xi32> {
  %r = tsr.pow %a, %b : (tensor<30xi32>, tensor<30xi32>) -> tensor<30xi32>
  return %r : tensor<30xi32>
}

func.func private @pow_i64_f32(%a: tensor<30xi64> {test.range = [0, 9]}, %b: tensor<30xf32> {test.range = [0.0, 3.0]}) -> tensor<30xi64> {
  %r = tsr.pow %a, %b : (tensor<30xi64>, tensor<30xf32>) -> tensor<30xi64>
  return %r : tensor<30xi64>
}

func.func private @pow_const_2(%a: tensor<30xf32> {test.range = [0.1, 3.0]}) -> tensor<30xf32> {
  %k0 = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %r = tsr.pow %a, %k0 : (tensor<30xf32>, tensor<f32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @pow_const_3(%a: tensor<30xf32> {test.range = [0.1, 3.0]}) -> tensor<30xf32> {
  %k0 = tsr.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %r = tsr.pow %a, %k0 : (tensor<30xf32>, tensor<f32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @pow_const_half(%a: tensor<30xf32> {test.range = [0.1, 3.0]}) -> tensor<30xf32> {
  %k0 = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %r = tsr.pow %a, %k0 : (tensor<30xf32>, tensor<f32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @pow_const_minus_half(%a: tensor<30xf32> {test.range = [0.1, 3.0]}) -> tensor<30xf32> {
  %k0 = tsr.constant dense<-0.5> : tensor<f32> -> tensor<f32>
  %r = tsr.pow %a, %k0 : (tensor<30xf32>, tensor<f32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @pow_const_other(%a: tensor<30xf32> {test.range = [0.1, 3.0]}) -> tensor<30xf32> {
  %k0 = tsr.constant dense<1.7> : tensor<f32> -> tensor<f32>
  %r = tsr.pow %a, %k0 : (tensor<30xf32>, tensor<f32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @pow_const_negative_base(%a: tensor<30xf32> {test.range = [-3.0, 3.0]}) -> tensor<30xf32> {
  %k0 = tsr.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %r = tsr.pow %a, %k0 : (tensor<30xf32>, tensor<f32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @prelu(%a: tensor<2x3x5xf32>, %b: tensor<3x1xf32>) -> tensor<2x3x5xf32> {
  %r = tsr.prelu %a, %b : (tensor<2x3x5xf32>, tensor<3x1xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

func.func private @and(%a: tensor<3x7xi1>, %b: tensor<7xi1>) -> tensor<3x7xi1> {
  %r = tsr.and %a, %b : (tensor<3x7xi1>, tensor<7xi1>) -> tensor<3x7xi1>
  return %r : tensor<3x7xi1>
}

func.func private @or(%a: tensor<3x7xi1>, %b: tensor<7xi1>) -> tensor<3x7xi1> {
  %r = tsr.or %a, %b : (tensor<3x7xi1>, tensor<7xi1>) -> tensor<3x7xi1>
  return %r : tensor<3x7xi1>
}

func.func private @xor(%a: tensor<3x7xi1>, %b: tensor<7xi1>) -> tensor<3x7xi1> {
  %r = tsr.xor %a, %b : (tensor<3x7xi1>, tensor<7xi1>) -> tensor<3x7xi1>
  return %r : tensor<3x7xi1>
}

func.func private @bitwise_and_i32(%a: tensor<3x7xi32> {test.range = [0, 100]}, %b: tensor<7xi32> {test.range = [0, 100]}) -> tensor<3x7xi32> {
  %r = tsr.bitwise_and %a, %b : (tensor<3x7xi32>, tensor<7xi32>) -> tensor<3x7xi32>
  return %r : tensor<3x7xi32>
}

func.func private @bitwise_and_u8(%a: tensor<3x7xui8> {test.range = [0, 100]}, %b: tensor<7xui8> {test.range = [0, 100]}) -> tensor<3x7xui8> {
  %r = tsr.bitwise_and %a, %b : (tensor<3x7xui8>, tensor<7xui8>) -> tensor<3x7xui8>
  return %r : tensor<3x7xui8>
}

func.func private @bitwise_and_i64(%a: tensor<3x7xi64> {test.range = [0, 100]}, %b: tensor<7xi64> {test.range = [0, 100]}) -> tensor<3x7xi64> {
  %r = tsr.bitwise_and %a, %b : (tensor<3x7xi64>, tensor<7xi64>) -> tensor<3x7xi64>
  return %r : tensor<3x7xi64>
}

func.func private @bitwise_and_i8(%a: tensor<3x7xi8> {test.range = [0, 100]}, %b: tensor<7xi8> {test.range = [0, 100]}) -> tensor<3x7xi8> {
  %r = tsr.bitwise_and %a, %b : (tensor<3x7xi8>, tensor<7xi8>) -> tensor<3x7xi8>
  return %r : tensor<3x7xi8>
}

func.func private @bitwise_or_i32(%a: tensor<3x7xi32> {test.range = [0, 100]}, %b: tensor<7xi32> {test.range = [0, 100]}) -> tensor<3x7xi32> {
  %r = tsr.bitwise_or %a, %b : (tensor<3x7xi32>, tensor<7xi32>) -> tensor<3x7xi32>
  return %r : tensor<3x7xi32>
}

func.func private @bitwise_or_u8(%a: tensor<3x7xui8> {test.range = [0, 100]}, %b: tensor<7xui8> {test.range = [0, 100]}) -> tensor<3x7xui8> {
  %r = tsr.bitwise_or %a, %b : (tensor<3x7xui8>, tensor<7xui8>) -> tensor<3x7xui8>
  return %r : tensor<3x7xui8>
}

func.func private @bitwise_or_i64(%a: tensor<3x7xi64> {test.range = [0, 100]}, %b: tensor<7xi64> {test.range = [0, 100]}) -> tensor<3x7xi64> {
  %r = tsr.bitwise_or %a, %b : (tensor<3x7xi64>, tensor<7xi64>) -> tensor<3x7xi64>
  return %r : tensor<3x7xi64>
}

func.func private @bitwise_or_i8(%a: tensor<3x7xi8> {test.range = [0, 100]}, %b: tensor<7xi8> {test.range = [0, 100]}) -> tensor<3x7xi8> {
  %r = tsr.bitwise_or %a, %b : (tensor<3x7xi8>, tensor<7xi8>) -> tensor<3x7xi8>
  return %r : tensor<3x7xi8>
}

func.func private @bitwise_xor_i32(%a: tensor<3x7xi32> {test.range = [0, 100]}, %b: tensor<7xi32> {test.range = [0, 100]}) -> tensor<3x7xi32> {
  %r = tsr.bitwise_xor %a, %b : (tensor<3x7xi32>, tensor<7xi32>) -> tensor<3x7xi32>
  return %r : tensor<3x7xi32>
}

func.func private @bitwise_xor_u8(%a: tensor<3x7xui8> {test.range = [0, 100]}, %b: tensor<7xui8> {test.range = [0, 100]}) -> tensor<3x7xui8> {
  %r = tsr.bitwise_xor %a, %b : (tensor<3x7xui8>, tensor<7xui8>) -> tensor<3x7xui8>
  return %r : tensor<3x7xui8>
}

func.func private @bitwise_xor_i64(%a: tensor<3x7xi64> {test.range = [0, 100]}, %b: tensor<7xi64> {test.range = [0, 100]}) -> tensor<3x7xi64> {
  %r = tsr.bitwise_xor %a, %b : (tensor<3x7xi64>, tensor<7xi64>) -> tensor<3x7xi64>
  return %r : tensor<3x7xi64>
}

func.func private @bitwise_xor_i8(%a: tensor<3x7xi8> {test.range = [0, 100]}, %b: tensor<7xi8> {test.range = [0, 100]}) -> tensor<3x7xi8> {
  %r = tsr.bitwise_xor %a, %b : (tensor<3x7xi8>, tensor<7xi8>) -> tensor<3x7xi8>
  return %r : tensor<3x7xi8>
}

func.func private @shift_left(%a: tensor<12xui8> {test.range = [0, 255]}, %b: tensor<12xui8> {test.range = [0, 9]}) -> tensor<12xui8> {
  %r = tsr.bit_shift %a, %b {direction = "LEFT"} : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xui8>
  return %r : tensor<12xui8>
}

func.func private @shift_right(%a: tensor<12xui8> {test.range = [0, 255]}, %b: tensor<12xui8> {test.range = [0, 9]}) -> tensor<12xui8> {
  %r = tsr.bit_shift %a, %b {direction = "RIGHT"} : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xui8>
  return %r : tensor<12xui8>
}

func.func private @equal_f32(%a: tensor<5x9xf32>, %b: tensor<9xf32>) -> tensor<5x9xi1> {
  %r = tsr.equal %a, %b : (tensor<5x9xf32>, tensor<9xf32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @equal_f64(%a: tensor<5x9xf64>, %b: tensor<9xf64>) -> tensor<5x9xi1> {
  %r = tsr.equal %a, %b : (tensor<5x9xf64>, tensor<9xf64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @equal_i32(%a: tensor<5x9xi32> {test.range = [-2, 2]}, %b: tensor<9xi32> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.equal %a, %b : (tensor<5x9xi32>, tensor<9xi32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @equal_i64(%a: tensor<5x9xi64> {test.range = [-2, 2]}, %b: tensor<9xi64> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.equal %a, %b : (tensor<5x9xi64>, tensor<9xi64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @equal_u8(%a: tensor<5x9xui8> {test.range = [100, 200]}, %b: tensor<9xui8> {test.range = [100, 200]}) -> tensor<5x9xi1> {
  %r = tsr.equal %a, %b : (tensor<5x9xui8>, tensor<9xui8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @equal_i8(%a: tensor<5x9xi8> {test.range = [-2, 2]}, %b: tensor<9xi8> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.equal %a, %b : (tensor<5x9xi8>, tensor<9xi8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_f32(%a: tensor<5x9xf32>, %b: tensor<9xf32>) -> tensor<5x9xi1> {
  %r = tsr.greater %a, %b : (tensor<5x9xf32>, tensor<9xf32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_f64(%a: tensor<5x9xf64>, %b: tensor<9xf64>) -> tensor<5x9xi1> {
  %r = tsr.greater %a, %b : (tensor<5x9xf64>, tensor<9xf64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_i32(%a: tensor<5x9xi32> {test.range = [-2, 2]}, %b: tensor<9xi32> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.greater %a, %b : (tensor<5x9xi32>, tensor<9xi32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_i64(%a: tensor<5x9xi64> {test.range = [-2, 2]}, %b: tensor<9xi64> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.greater %a, %b : (tensor<5x9xi64>, tensor<9xi64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_u8(%a: tensor<5x9xui8> {test.range = [100, 200]}, %b: tensor<9xui8> {test.range = [100, 200]}) -> tensor<5x9xi1> {
  %r = tsr.greater %a, %b : (tensor<5x9xui8>, tensor<9xui8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_i8(%a: tensor<5x9xi8> {test.range = [-2, 2]}, %b: tensor<9xi8> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.greater %a, %b : (tensor<5x9xi8>, tensor<9xi8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_or_equal_f32(%a: tensor<5x9xf32>, %b: tensor<9xf32>) -> tensor<5x9xi1> {
  %r = tsr.greater_or_equal %a, %b : (tensor<5x9xf32>, tensor<9xf32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_or_equal_f64(%a: tensor<5x9xf64>, %b: tensor<9xf64>) -> tensor<5x9xi1> {
  %r = tsr.greater_or_equal %a, %b : (tensor<5x9xf64>, tensor<9xf64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_or_equal_i32(%a: tensor<5x9xi32> {test.range = [-2, 2]}, %b: tensor<9xi32> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.greater_or_equal %a, %b : (tensor<5x9xi32>, tensor<9xi32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_or_equal_i64(%a: tensor<5x9xi64> {test.range = [-2, 2]}, %b: tensor<9xi64> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.greater_or_equal %a, %b : (tensor<5x9xi64>, tensor<9xi64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_or_equal_u8(%a: tensor<5x9xui8> {test.range = [100, 200]}, %b: tensor<9xui8> {test.range = [100, 200]}) -> tensor<5x9xi1> {
  %r = tsr.greater_or_equal %a, %b : (tensor<5x9xui8>, tensor<9xui8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @greater_or_equal_i8(%a: tensor<5x9xi8> {test.range = [-2, 2]}, %b: tensor<9xi8> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.greater_or_equal %a, %b : (tensor<5x9xi8>, tensor<9xi8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_f32(%a: tensor<5x9xf32>, %b: tensor<9xf32>) -> tensor<5x9xi1> {
  %r = tsr.less %a, %b : (tensor<5x9xf32>, tensor<9xf32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_f64(%a: tensor<5x9xf64>, %b: tensor<9xf64>) -> tensor<5x9xi1> {
  %r = tsr.less %a, %b : (tensor<5x9xf64>, tensor<9xf64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_i32(%a: tensor<5x9xi32> {test.range = [-2, 2]}, %b: tensor<9xi32> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.less %a, %b : (tensor<5x9xi32>, tensor<9xi32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_i64(%a: tensor<5x9xi64> {test.range = [-2, 2]}, %b: tensor<9xi64> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.less %a, %b : (tensor<5x9xi64>, tensor<9xi64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_u8(%a: tensor<5x9xui8> {test.range = [100, 200]}, %b: tensor<9xui8> {test.range = [100, 200]}) -> tensor<5x9xi1> {
  %r = tsr.less %a, %b : (tensor<5x9xui8>, tensor<9xui8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_i8(%a: tensor<5x9xi8> {test.range = [-2, 2]}, %b: tensor<9xi8> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.less %a, %b : (tensor<5x9xi8>, tensor<9xi8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_or_equal_f32(%a: tensor<5x9xf32>, %b: tensor<9xf32>) -> tensor<5x9xi1> {
  %r = tsr.less_or_equal %a, %b : (tensor<5x9xf32>, tensor<9xf32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_or_equal_f64(%a: tensor<5x9xf64>, %b: tensor<9xf64>) -> tensor<5x9xi1> {
  %r = tsr.less_or_equal %a, %b : (tensor<5x9xf64>, tensor<9xf64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_or_equal_i32(%a: tensor<5x9xi32> {test.range = [-2, 2]}, %b: tensor<9xi32> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.less_or_equal %a, %b : (tensor<5x9xi32>, tensor<9xi32>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_or_equal_i64(%a: tensor<5x9xi64> {test.range = [-2, 2]}, %b: tensor<9xi64> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.less_or_equal %a, %b : (tensor<5x9xi64>, tensor<9xi64>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_or_equal_u8(%a: tensor<5x9xui8> {test.range = [100, 200]}, %b: tensor<9xui8> {test.range = [100, 200]}) -> tensor<5x9xi1> {
  %r = tsr.less_or_equal %a, %b : (tensor<5x9xui8>, tensor<9xui8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @less_or_equal_i8(%a: tensor<5x9xi8> {test.range = [-2, 2]}, %b: tensor<9xi8> {test.range = [-2, 2]}) -> tensor<5x9xi1> {
  %r = tsr.less_or_equal %a, %b : (tensor<5x9xi8>, tensor<9xi8>) -> tensor<5x9xi1>
  return %r : tensor<5x9xi1>
}

func.func private @equal_bool(%a: tensor<9xi1>, %b: tensor<9xi1>) -> tensor<9xi1> {
  %r = tsr.equal %a, %b : (tensor<9xi1>, tensor<9xi1>) -> tensor<9xi1>
  return %r : tensor<9xi1>
}

func.func private @min_f32(%a: tensor<5x9xf32>, %b: tensor<9xf32>, %c: tensor<f32>) -> tensor<5x9xf32> {
  %r = tsr.min %a, %b, %c : (tensor<5x9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<5x9xf32>
  return %r : tensor<5x9xf32>
}

func.func private @min_f64(%a: tensor<5x9xf64>, %b: tensor<9xf64>, %c: tensor<f64>) -> tensor<5x9xf64> {
  %r = tsr.min %a, %b, %c : (tensor<5x9xf64>, tensor<9xf64>, tensor<f64>) -> tensor<5x9xf64>
  return %r : tensor<5x9xf64>
}

func.func private @min_i32(%a: tensor<5x9xi32> {test.range = [-20, 20]}, %b: tensor<9xi32> {test.range = [-20, 20]}, %c: tensor<i32> {test.range = [-20, 20]}) -> tensor<5x9xi32> {
  %r = tsr.min %a, %b, %c : (tensor<5x9xi32>, tensor<9xi32>, tensor<i32>) -> tensor<5x9xi32>
  return %r : tensor<5x9xi32>
}

func.func private @min_i64(%a: tensor<5x9xi64> {test.range = [-20, 20]}, %b: tensor<9xi64> {test.range = [-20, 20]}, %c: tensor<i64> {test.range = [-20, 20]}) -> tensor<5x9xi64> {
  %r = tsr.min %a, %b, %c : (tensor<5x9xi64>, tensor<9xi64>, tensor<i64>) -> tensor<5x9xi64>
  return %r : tensor<5x9xi64>
}

func.func private @min_u8(%a: tensor<5x9xui8> {test.range = [100, 200]}, %b: tensor<9xui8> {test.range = [100, 200]}, %c: tensor<ui8> {test.range = [100, 200]}) -> tensor<5x9xui8> {
  %r = tsr.min %a, %b, %c : (tensor<5x9xui8>, tensor<9xui8>, tensor<ui8>) -> tensor<5x9xui8>
  return %r : tensor<5x9xui8>
}

func.func private @min_i8(%a: tensor<5x9xi8> {test.range = [-20, 20]}, %b: tensor<9xi8> {test.range = [-20, 20]}, %c: tensor<i8> {test.range = [-20, 20]}) -> tensor<5x9xi8> {
  %r = tsr.min %a, %b, %c : (tensor<5x9xi8>, tensor<9xi8>, tensor<i8>) -> tensor<5x9xi8>
  return %r : tensor<5x9xi8>
}

func.func private @max_f32(%a: tensor<5x9xf32>, %b: tensor<9xf32>, %c: tensor<f32>) -> tensor<5x9xf32> {
  %r = tsr.max %a, %b, %c : (tensor<5x9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<5x9xf32>
  return %r : tensor<5x9xf32>
}

func.func private @max_f64(%a: tensor<5x9xf64>, %b: tensor<9xf64>, %c: tensor<f64>) -> tensor<5x9xf64> {
  %r = tsr.max %a, %b, %c : (tensor<5x9xf64>, tensor<9xf64>, tensor<f64>) -> tensor<5x9xf64>
  return %r : tensor<5x9xf64>
}

func.func private @max_i32(%a: tensor<5x9xi32> {test.range = [-20, 20]}, %b: tensor<9xi32> {test.range = [-20, 20]}, %c: tensor<i32> {test.range = [-20, 20]}) -> tensor<5x9xi32> {
  %r = tsr.max %a, %b, %c : (tensor<5x9xi32>, tensor<9xi32>, tensor<i32>) -> tensor<5x9xi32>
  return %r : tensor<5x9xi32>
}

func.func private @max_i64(%a: tensor<5x9xi64> {test.range = [-20, 20]}, %b: tensor<9xi64> {test.range = [-20, 20]}, %c: tensor<i64> {test.range = [-20, 20]}) -> tensor<5x9xi64> {
  %r = tsr.max %a, %b, %c : (tensor<5x9xi64>, tensor<9xi64>, tensor<i64>) -> tensor<5x9xi64>
  return %r : tensor<5x9xi64>
}

func.func private @max_u8(%a: tensor<5x9xui8> {test.range = [100, 200]}, %b: tensor<9xui8> {test.range = [100, 200]}, %c: tensor<ui8> {test.range = [100, 200]}) -> tensor<5x9xui8> {
  %r = tsr.max %a, %b, %c : (tensor<5x9xui8>, tensor<9xui8>, tensor<ui8>) -> tensor<5x9xui8>
  return %r : tensor<5x9xui8>
}

func.func private @max_i8(%a: tensor<5x9xi8> {test.range = [-20, 20]}, %b: tensor<9xi8> {test.range = [-20, 20]}, %c: tensor<i8> {test.range = [-20, 20]}) -> tensor<5x9xi8> {
  %r = tsr.max %a, %b, %c : (tensor<5x9xi8>, tensor<9xi8>, tensor<i8>) -> tensor<5x9xi8>
  return %r : tensor<5x9xi8>
}

func.func private @sum(%a: tensor<5x9xf32>, %b: tensor<9xf32>, %c: tensor<5x1xf32>) -> tensor<5x9xf32> {
  %r = tsr.sum %a, %b, %c : (tensor<5x9xf32>, tensor<9xf32>, tensor<5x1xf32>) -> tensor<5x9xf32>
  return %r : tensor<5x9xf32>
}

func.func private @mean(%a: tensor<5x9xf32>, %b: tensor<9xf32>, %c: tensor<5x1xf32>) -> tensor<5x9xf32> {
  %r = tsr.mean %a, %b, %c : (tensor<5x9xf32>, tensor<9xf32>, tensor<5x1xf32>) -> tensor<5x9xf32>
  return %r : tensor<5x9xf32>
}

func.func private @max_one(%a: tensor<5x9xf32>) -> tensor<5x9xf32> {
  %r = tsr.max %a : (tensor<5x9xf32>) -> tensor<5x9xf32>
  return %r : tensor<5x9xf32>
}

func.func private @where(%a: tensor<4x1xi1>, %b: tensor<4x5xf32>, %c: tensor<5xf32>) -> tensor<4x5xf32> {
  %r = tsr.where %a, %b, %c : (tensor<4x1xi1>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func private @where_i64(%a: tensor<4x5xi1>, %b: tensor<5xi64>, %c: tensor<i64>) -> tensor<4x5xi64> {
  %r = tsr.where %a, %b, %c : (tensor<4x5xi1>, tensor<5xi64>, tensor<i64>) -> tensor<4x5xi64>
  return %r : tensor<4x5xi64>
}

func.func private @where_bool(%a: tensor<4x5xi1>, %b: tensor<5xi1>, %c: tensor<i1>) -> tensor<4x5xi1> {
  %r = tsr.where %a, %b, %c : (tensor<4x5xi1>, tensor<5xi1>, tensor<i1>) -> tensor<4x5xi1>
  return %r : tensor<4x5xi1>
}

func.func private @where_open(%a: tensor<?x?xi1> {test.dims = [1, 5]}, %b: tensor<?x?xf32> {test.dims = [4, 5]}, %c: tensor<?x1xf32> {test.dims = [4, 1]}) -> tensor<?x?xf32> {
  %r = tsr.where %a, %b, %c : (tensor<?x?xi1>, tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @clip(%a: tensor<40xf32> {test.range = [-9.0, 9.0]}) -> tensor<40xf32> {
  %k0 = tsr.constant dense<-1.0> : tensor<f32> -> tensor<f32>
  %k1 = tsr.constant dense<6.0> : tensor<f32> -> tensor<f32>
  %r = tsr.clip %a, %k0, %k1 {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<40xf32>, tensor<f32>, tensor<f32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

func.func private @clip_low(%a: tensor<40xf32> {test.range = [-9.0, 9.0]}, %b: tensor<f32>) -> tensor<40xf32> {
  %r = tsr.clip %a, %b {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

func.func private @clip_high(%a: tensor<40xi64> {test.range = [-9, 9]}, %b: tensor<i64>) -> tensor<40xi64> {
  %r = tsr.clip %a, %b {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<40xi64>, tensor<i64>) -> tensor<40xi64>
  return %r : tensor<40xi64>
}

func.func private @clip_none(%a: tensor<40xi8> {test.range = [-9, 9]}) -> tensor<40xi8> {
  %r = tsr.clip %a {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<40xi8>) -> tensor<40xi8>
  return %r : tensor<40xi8>
}

func.func private @clip_crossed(%a: tensor<40xf32> {test.range = [-9.0, 9.0]}) -> tensor<40xf32> {
  %k0 = tsr.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %k1 = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %r = tsr.clip %a, %k0, %k1 {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<40xf32>, tensor<f32>, tensor<f32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

func.func private @batch_norm(%a: tensor<2x5x3x4xf32>, %b: tensor<5xf32>, %c: tensor<5xf32>, %d: tensor<5xf32>, %e: tensor<5xf32> {test.range = [0.1, 2.0]}) -> tensor<2x5x3x4xf32> {
  %r = tsr.batch_norm %a, %b, %c, %d, %e : (tensor<2x5x3x4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x5x3x4xf32>
  return %r : tensor<2x5x3x4xf32>
}

func.func private @batch_norm_matrix(%a: tensor<?x5xf32> {test.dims = [3, 5]}, %b: tensor<5xf32>, %c: tensor<5xf32>, %d: tensor<5xf32>, %e: tensor<5xf32> {test.range = [0.1, 2.0]}) -> tensor<?x5xf32> {
  %r = tsr.batch_norm %a, %b, %c, %d, %e {epsilon = 0.01 : f32} : (tensor<?x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

func.func private @dropout(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = tsr.dropout %a {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func private @chain(%a: tensor<4x33xf32>, %b: tensor<33xf32>) -> tensor<4x33xf32> {
  %0 = tsr.add %a, %b : (tensor<4x33xf32>, tensor<33xf32>) -> tensor<4x33xf32>
  %1 = tsr.sigmoid %0 : (tensor<4x33xf32>) -> tensor<4x33xf32>
  %2 = tsr.mul %0, %1 : (tensor<4x33xf32>, tensor<4x33xf32>) -> tensor<4x33xf32>
  return %2 : tensor<4x33xf32>
}

func.func private @chain_open(%a: tensor<?x?xf32> {test.dims = [6, 7]}, %b: tensor<?xf32> {test.dims = [7]}) -> tensor<?x?xf32> {
  %0 = tsr.add %a, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %1 = tsr.sigmoid %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = tsr.mul %a, %1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

func.func private @two_results(%a: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xi1>) {
  %0 = tsr.exp %a : (tensor<40xf32>) -> tensor<40xf32>
  %k = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %1 = tsr.greater %0, %k : (tensor<40xf32>, tensor<f32>) -> tensor<40xi1>
  return %0, %1 : tensor<40xf32>, tensor<40xi1>
}

func.func private @composite(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tsr.composite "silu"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%x: tensor<4x8xf32>):
    %1 = tsr.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = tsr.mul %x, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    tsr.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

func.func private @returns_argument(%a: tensor<7xf32>) -> tensor<7xf32> {
  return %a : tensor<7xf32>
}
