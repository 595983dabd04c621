// Casts between all pairs of element types.

func.func private @cast_f32_f32(%a: tensor<33xf32> {test.range = [-300.0, 300.0]}) -> tensor<33xf32> {
  %r = tsr.cast %a {to = 1 : i64} : (tensor<33xf32>) -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func private @cast_f32_f64(%a: tensor<33xf32> {test.range = [-300.0, 300.0]}) -> tensor<33xf64> {
  %r = tsr.cast %a {to = 11 : i64} : (tensor<33xf32>) -> tensor<33xf64>
  return %r : tensor<33xf64>
}

func.func private @cast_f32_u8(%a: tensor<33xf32> {test.range = [-300.0, 300.0]}) -> tensor<33xui8> {
  %r = tsr.cast %a {to = 2 : i64} : (tensor<33xf32>) -> tensor<33xui8>
  return %r : tensor<33xui8>
}

func.func private @cast_f32_i8(%a: tensor<33xf32> {test.range = [-300.0, 300.0]}) -> tensor<33xi8> {
  %r = tsr.cast %a {to = 3 : i64} : (tensor<33xf32>) -> tensor<33xi8>
  return %r : tensor<33xi8>
}

func.func private @cast_f32_i32(%a: tensor<33xf32> {test.range = [-300.0, 300.0]}) -> tensor<33xi32> {
  %r = tsr.cast %a {to = 6 : i64} : (tensor<33xf32>) -> tensor<33xi32>
  return %r : tensor<33xi32>
}

func.func private @cast_f32_i64(%a: tensor<33xf32> {test.range = [-300.0, 300.0]}) -> tensor<33xi64> {
  %r = tsr.cast %a {to = 7 : i64} : (tensor<33xf32>) -> tensor<33xi64>
  return %r : tensor<33xi64>
}

func.func private @cast_f32_bool(%a: tensor<33xf32> {test.range = [-300.0, 300.0]}) -> tensor<33xi1> {
  %r = tsr.cast %a {to = 9 : i64} : (tensor<33xf32>) -> tensor<33xi1>
  return %r : tensor<33xi1>
}

func.func private @cast_f64_f32(%a: tensor<33xf64> {test.range = [-30000000000.0, 30000000000.0]}) -> tensor<33xf32> {
  %r = tsr.cast %a {to = 1 : i64} : (tensor<33xf64>) -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func private @cast_f64_f64(%a: tensor<33xf64> {test.range = [-30000000000.0, 30000000000.0]}) -> tensor<33xf64> {
  %r = tsr.cast %a {to = 11 : i64} : (tensor<33xf64>) -> tensor<33xf64>
  return %r : tensor<33xf64>
}

func.func private @cast_f64_u8(%a: tensor<33xf64> {test.range = [-30000000000.0, 30000000000.0]}) -> tensor<33xui8> {
  %r = tsr.cast %a {to = 2 : i64} : (tensor<33xf64>) -> tensor<33xui8>
  return %r : tensor<33xui8>
}

func.func private @cast_f64_i8(%a: tensor<33xf64> {test.range = [-30000000000.0, 30000000000.0]}) -> tensor<33xi8> {
  %r = tsr.cast %a {to = 3 : i64} : (tensor<33xf64>) -> tensor<33xi8>
  return %r : tensor<33xi8>
}

func.func private @cast_f64_i32(%a: tensor<33xf64> {test.range = [-30000000000.0, 30000000000.0]}) -> tensor<33xi32> {
  %r = tsr.cast %a {to = 6 : i64} : (tensor<33xf64>) -> tensor<33xi32>
  return %r : tensor<33xi32>
}

func.func private @cast_f64_i64(%a: tensor<33xf64> {test.range = [-30000000000.0, 30000000000.0]}) -> tensor<33xi64> {
  %r = tsr.cast %a {to = 7 : i64} : (tensor<33xf64>) -> tensor<33xi64>
  return %r : tensor<33xi64>
}

func.func private @cast_f64_bool(%a: tensor<33xf64> {test.range = [-30000000000.0, 30000000000.0]}) -> tensor<33xi1> {
  %r = tsr.cast %a {to = 9 : i64} : (tensor<33xf64>) -> tensor<33xi1>
  return %r : tensor<33xi1>
}

func.func private @cast_u8_f32(%a: tensor<33xui8> {test.range = [0, 255]}) -> tensor<33xf32> {
  %r = tsr.cast %a {to = 1 : i64} : (tensor<33xui8>) -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func private @cast_u8_f64(%a: tensor<33xui8> {test.range = [0, 255]}) -> tensor<33xf64> {
  %r = tsr.cast %a {to = 11 : i64} : (tensor<33xui8>) -> tensor<33xf64>
  return %r : tensor<33xf64>
}

func.func private @cast_u8_u8(%a: tensor<33xui8> {test.range = [0, 255]}) -> tensor<33xui8> {
  %r = tsr.cast %a {to = 2 : i64} : (tensor<33xui8>) -> tensor<33xui8>
  return %r : tensor<33xui8>
}

func.func private @cast_u8_i8(%a: tensor<33xui8> {test.range = [0, 255]}) -> tensor<33xi8> {
  %r = tsr.cast %a {to = 3 : i64} : (tensor<33xui8>) -> tensor<33xi8>
  return %r : tensor<33xi8>
}

func.func private @cast_u8_i32(%a: tensor<33xui8> {test.range = [0, 255]}) -> tensor<33xi32> {
  %r = tsr.cast %a {to = 6 : i64} : (tensor<33xui8>) -> tensor<33xi32>
  return %r : tensor<33xi32>
}

func.func private @cast_u8_i64(%a: tensor<33xui8> {test.range = [0, 255]}) -> tensor<33xi64> {
  %r = tsr.cast %a {to = 7 : i64} : (tensor<33xui8>) -> tensor<33xi64>
  return %r : tensor<33xi64>
}

func.func private @cast_u8_bool(%a: tensor<33xui8> {test.range = [0, 255]}) -> tensor<33xi1> {
  %r = tsr.cast %a {to = 9 : i64} : (tensor<33xui8>) -> tensor<33xi1>
  return %r : tensor<33xi1>
}

func.func private @cast_i8_f32(%a: tensor<33xi8> {test.range = [-128, 127]}) -> tensor<33xf32> {
  %r = tsr.cast %a {to = 1 : i64} : (tensor<33xi8>) -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func private @cast_i8_f64(%a: tensor<33xi8> {test.range = [-128, 127]}) -> tensor<33xf64> {
  %r = tsr.cast %a {to = 11 : i64} : (tensor<33xi8>) -> tensor<33xf64>
  return %r : tensor<33xf64>
}

func.func private @cast_i8_u8(%a: tensor<33xi8> {test.range = [-128, 127]}) -> tensor<33xui8> {
  %r = tsr.cast %a {to = 2 : i64} : (tensor<33xi8>) -> tensor<33xui8>
  return %r : tensor<33xui8>
}

func.func private @cast_i8_i8(%a: tensor<33xi8> {test.range = [-128, 127]}) -> tensor<33xi8> {
  %r = tsr.cast %a {to = 3 : i64} : (tensor<33xi8>) -> tensor<33xi8>
  return %r : tensor<33xi8>
}

func.func private @cast_i8_i32(%a: tensor<33xi8> {test.range = [-128, 127]}) -> tensor<33xi32> {
  %r = tsr.cast %a {to = 6 : i64} : (tensor<33xi8>) -> tensor<33xi32>
  return %r : tensor<33xi32>
}

func.func private @cast_i8_i64(%a: tensor<33xi8> {test.range = [-128, 127]}) -> tensor<33xi64> {
  %r = tsr.cast %a {to = 7 : i64} : (tensor<33xi8>) -> tensor<33xi64>
  return %r : tensor<33xi64>
}

func.func private @cast_i8_bool(%a: tensor<33xi8> {test.range = [-128, 127]}) -> tensor<33xi1> {
  %r = tsr.cast %a {to = 9 : i64} : (tensor<33xi8>) -> tensor<33xi1>
  return %r : tensor<33xi1>
}

func.func private @cast_i32_f32(%a: tensor<33xi32> {test.range = [-100000, 100000]}) -> tensor<33xf32> {
  %r = tsr.cast %a {to = 1 : i64} : (tensor<33xi32>) -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func private @cast_i32_f64(%a: tensor<33xi32> {test.range = [-100000, 100000]}) -> tensor<33xf64> {
  %r = tsr.cast %a {to = 11 : i64} : (tensor<33xi32>) -> tensor<33xf64>
  return %r : tensor<33xf64>
}

func.func private @cast_i32_u8(%a: tensor<33xi32> {test.range = [-100000, 100000]}) -> tensor<33xui8> {
  %r = tsr.cast %a {to = 2 : i64} : (tensor<33xi32>) -> tensor<33xui8>
  return %r : tensor<33xui8>
}

func.func private @cast_i32_i8(%a: tensor<33xi32> {test.range = [-100000, 100000]}) -> tensor<33xi8> {
  %r = tsr.cast %a {to = 3 : i64} : (tensor<33xi32>) -> tensor<33xi8>
  return %r : tensor<33xi8>
}

func.func private @cast_i32_i32(%a: tensor<33xi32> {test.range = [-100000, 100000]}) -> tensor<33xi32> {
  %r = tsr.cast %a {to = 6 : i64} : (tensor<33xi32>) -> tensor<33xi32>
  return %r : tensor<33xi32>
}

func.func private @cast_i32_i64(%a: tensor<33xi32> {test.range = [-100000, 100000]}) -> tensor<33xi64> {
  %r = tsr.cast %a {to = 7 : i64} : (tensor<33xi32>) -> tensor<33xi64>
  return %r : tensor<33xi64>
}

func.func private @cast_i32_bool(%a: tensor<33xi32> {test.range = [-100000, 100000]}) -> tensor<33xi1> {
  %r = tsr.cast %a {to = 9 : i64} : (tensor<33xi32>) -> tensor<33xi1>
  return %r : tensor<33xi1>
}

func.func private @cast_i64_f32(%a: tensor<33xi64> {test.range = [-1099511627776, 1099511627776]}) -> tensor<33xf32> {
  %r = tsr.cast %a {to = 1 : i64} : (tensor<33xi64>) -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func private @cast_i64_f64(%a: tensor<33xi64> {test.range = [-1099511627776, 1099511627776]}) -> tensor<33xf64> {
  %r = tsr.cast %a {to = 11 : i64} : (tensor<33xi64>) -> tensor<33xf64>
  return %r : tensor<33xf64>
}

func.func private @cast_i64_u8(%a: tensor<33xi64> {test.range = [-1099511627776, 1099511627776]}) -> tensor<33xui8> {
  %r = tsr.cast %a {to = 2 : i64} : (tensor<33xi64>) -> tensor<33xui8>
  return %r : tensor<33xui8>
}

func.func private @cast_i64_i8(%a: tensor<33xi64> {test.range = [-1099511627776, 1099511627776]}) -> tensor<33xi8> {
  %r = tsr.cast %a {to = 3 : i64} : (tensor<33xi64>) -> tensor<33xi8>
  return %r : tensor<33xi8>
}

func.func private @cast_i64_i32(%a: tensor<33xi64> {test.range = [-1099511627776, 1099511627776]}) -> tensor<33xi32> {
  %r = tsr.cast %a {to = 6 : i64} : (tensor<33xi64>) -> tensor<33xi32>
  return %r : tensor<33xi32>
}

func.func private @cast_i64_i64(%a: tensor<33xi64> {test.range = [-1099511627776, 1099511627776]}) -> tensor<33xi64> {
  %r = tsr.cast %a {to = 7 : i64} : (tensor<33xi64>) -> tensor<33xi64>
  return %r : tensor<33xi64>
}

func.func private @cast_i64_bool(%a: tensor<33xi64> {test.range = [-1099511627776, 1099511627776]}) -> tensor<33xi1> {
  %r = tsr.cast %a {to = 9 : i64} : (tensor<33xi64>) -> tensor<33xi1>
  return %r : tensor<33xi1>
}

func.func private @cast_bool_f32(%a: tensor<33xi1>) -> tensor<33xf32> {
  %r = tsr.cast %a {to = 1 : i64} : (tensor<33xi1>) -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func private @cast_bool_f64(%a: tensor<33xi1>) -> tensor<33xf64> {
  %r = tsr.cast %a {to = 11 : i64} : (tensor<33xi1>) -> tensor<33xf64>
  return %r : tensor<33xf64>
}

func.func private @cast_bool_u8(%a: tensor<33xi1>) -> tensor<33xui8> {
  %r = tsr.cast %a {to = 2 : i64} : (tensor<33xi1>) -> tensor<33xui8>
  return %r : tensor<33xui8>
}

func.func private @cast_bool_i8(%a: tensor<33xi1>) -> tensor<33xi8> {
  %r = tsr.cast %a {to = 3 : i64} : (tensor<33xi1>) -> tensor<33xi8>
  return %r : tensor<33xi8>
}

func.func private @cast_bool_i32(%a: tensor<33xi1>) -> tensor<33xi32> {
  %r = tsr.cast %a {to = 6 : i64} : (tensor<33xi1>) -> tensor<33xi32>
  return %r : tensor<33xi32>
}

func.func private @cast_bool_i64(%a: tensor<33xi1>) -> tensor<33xi64> {
  %r = tsr.cast %a {to = 7 : i64} : (tensor<33xi1>) -> tensor<33xi64>
  return %r : tensor<33xi64>
}

func.func private @cast_bool_bool(%a: tensor<33xi1>) -> tensor<33xi1> {
  %r = tsr.cast %a {to = 9 : i64} : (tensor<33xi1>) -> tensor<33xi1>
  return %r : tensor<33xi1>
}
