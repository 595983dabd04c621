// NaN, infinities and the sign of zero: x is nan, inf, -inf, -0.0, 0, 1, -2 and a denormal number.

func.func private @clip_without_bounds(%x: tensor<8xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40]}) -> tensor<8xf32> {
  %y = tsr.clip %x {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

func.func private @clip_by_infinity(%x: tensor<8xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40]}) -> (tensor<8xf32>, tensor<8xf32>) {
  %high = tsr.constant dense<0x7F800000> : tensor<f32> -> tensor<f32>
  %low = tsr.constant dense<0xFF800000> : tensor<f32> -> tensor<f32>
  %y = tsr.clip %x, %high, %high {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %z = tsr.clip %x, %low, %low {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

func.func private @clip_by_nan(%x: tensor<8xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40]}, %bound: tensor<f32> {test.values = [0x7FF8000000000000 : f64]}) -> tensor<8xf32> {
  %y = tsr.clip %x, %bound, %bound {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

func.func private @clip_where_min_is_above_max(%x: tensor<8xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40]}) -> tensor<8xf32> {
  %two = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %one = tsr.constant dense<1.0> : tensor<f32> -> tensor<f32>
  %y = tsr.clip %x, %two, %one {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

func.func private @clip_doubles(%x: tensor<4xf64> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, 1.0e300]}) -> tensor<4xf64> {
  %y = tsr.clip %x {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @min_and_max(%x: tensor<8xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 1.0e-40]}, %b: tensor<3x1xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64]}) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
  %y = tsr.min %x, %b : (tensor<8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %z = tsr.max %x, %b : (tensor<8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  return %y, %z : tensor<3x8xf32>, tensor<3x8xf32>
}

func.func private @powers_to_a_half(%x: tensor<8xf32> {test.values = [0x7FF8000000000000 : f64, 0x7FF0000000000000 : f64, 0xFFF0000000000000 : f64, -0.0, 0.0, 1.0, -2.0, 4.0]}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %half = tsr.constant dense<0.5> : tensor<f32> -> tensor<f32>
  %minus_half = tsr.constant dense<-0.5> : tensor<f32> -> tensor<f32>
  %y = tsr.pow %x, %half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %z = tsr.pow %x, %minus_half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  // The sign of a zero shows in its reciprocal.
  %r = tsr.reciprocal %y : (tensor<8xf32>) -> tensor<8xf32>
  %s = tsr.reciprocal %z : (tensor<8xf32>) -> tensor<8xf32>
  return %y, %z, %r, %s : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

func.func private @argmax_of_axis_1(%x: tensor<4x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 3.0, 1.0, 3.0, 0x7FF8000000000000 : f64, 2.0, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0x7FF8000000000000 : f64]}) -> tensor<4x1xi64> {
  %y = tsr.argmax %x {axis = 1 : i64, select_last_index = 0 : i64} : (tensor<4x3xf32>) -> tensor<4x1xi64>
  return %y : tensor<4x1xi64>
}

func.func private @argmax_of_axis_0(%x: tensor<4x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 3.0, 1.0, 3.0, 0x7FF8000000000000 : f64, 2.0, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0x7FF8000000000000 : f64]}) -> tensor<1x3xi64> {
  %y = tsr.argmax %x {axis = 0 : i64, select_last_index = 0 : i64} : (tensor<4x3xf32>) -> tensor<1x3xi64>
  return %y : tensor<1x3xi64>
}

func.func private @argmax_of_axis_1_last(%x: tensor<4x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 3.0, 1.0, 3.0, 0x7FF8000000000000 : f64, 2.0, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0x7FF8000000000000 : f64]}) -> tensor<4x1xi64> {
  %y = tsr.argmax %x {axis = 1 : i64, select_last_index = 1 : i64} : (tensor<4x3xf32>) -> tensor<4x1xi64>
  return %y : tensor<4x1xi64>
}

func.func private @argmax_of_axis_0_last(%x: tensor<4x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 3.0, 1.0, 3.0, 0x7FF8000000000000 : f64, 2.0, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0x7FF8000000000000 : f64]}) -> tensor<1x3xi64> {
  %y = tsr.argmax %x {axis = 0 : i64, select_last_index = 1 : i64} : (tensor<4x3xf32>) -> tensor<1x3xi64>
  return %y : tensor<1x3xi64>
}

func.func private @argmin_of_axis_1(%x: tensor<4x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 3.0, 1.0, 3.0, 0x7FF8000000000000 : f64, 2.0, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0x7FF8000000000000 : f64]}) -> tensor<4x1xi64> {
  %y = tsr.argmin %x {axis = 1 : i64, select_last_index = 0 : i64} : (tensor<4x3xf32>) -> tensor<4x1xi64>
  return %y : tensor<4x1xi64>
}

func.func private @argmin_of_axis_0(%x: tensor<4x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 3.0, 1.0, 3.0, 0x7FF8000000000000 : f64, 2.0, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0x7FF8000000000000 : f64]}) -> tensor<1x3xi64> {
  %y = tsr.argmin %x {axis = 0 : i64, select_last_index = 0 : i64} : (tensor<4x3xf32>) -> tensor<1x3xi64>
  return %y : tensor<1x3xi64>
}

func.func private @argmin_of_axis_1_last(%x: tensor<4x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 3.0, 1.0, 3.0, 0x7FF8000000000000 : f64, 2.0, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0x7FF8000000000000 : f64]}) -> tensor<4x1xi64> {
  %y = tsr.argmin %x {axis = 1 : i64, select_last_index = 1 : i64} : (tensor<4x3xf32>) -> tensor<4x1xi64>
  return %y : tensor<4x1xi64>
}

func.func private @argmin_of_axis_0_last(%x: tensor<4x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 3.0, 1.0, 3.0, 0x7FF8000000000000 : f64, 2.0, 0x7FF8000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0x7FF8000000000000 : f64]}) -> tensor<1x3xi64> {
  %y = tsr.argmin %x {axis = 0 : i64, select_last_index = 1 : i64} : (tensor<4x3xf32>) -> tensor<1x3xi64>
  return %y : tensor<1x3xi64>
}

// A line with NaN, one without, one of nothing but the start of a maximum; each of several vectors.
func.func private @argmax_of_long_lines(%x: tensor<3x67xf32> {test.values = [0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 0x7FF8000000000000 : f64, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 0x7FF8000000000000 : f64, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64]}) -> tensor<3x1xi64> {
  %y = tsr.argmax %x {axis = 1 : i64, select_last_index = 0 : i64} : (tensor<3x67xf32>) -> tensor<3x1xi64>
  return %y : tensor<3x1xi64>
}

func.func private @argmax_of_long_lines_last(%x: tensor<3x67xf32> {test.values = [0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 0x7FF8000000000000 : f64, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 0x7FF8000000000000 : f64, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64]}) -> tensor<3x1xi64> {
  %y = tsr.argmax %x {axis = 1 : i64, select_last_index = 1 : i64} : (tensor<3x67xf32>) -> tensor<3x1xi64>
  return %y : tensor<3x1xi64>
}

func.func private @argmin_of_long_lines(%x: tensor<3x67xf32> {test.values = [0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 0x7FF8000000000000 : f64, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 0x7FF8000000000000 : f64, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64]}) -> tensor<3x1xi64> {
  %y = tsr.argmin %x {axis = 1 : i64, select_last_index = 0 : i64} : (tensor<3x67xf32>) -> tensor<3x1xi64>
  return %y : tensor<3x1xi64>
}

func.func private @argmin_of_long_lines_last(%x: tensor<3x67xf32> {test.values = [0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 0x7FF8000000000000 : f64, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 0x7FF8000000000000 : f64, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 1.0, 8.0, 2.0, 9.0, 3.0, 10.0, 4.0, 11.0, 5.0, 12.0, 6.0, 0.0, 7.0, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64]}) -> tensor<3x1xi64> {
  %y = tsr.argmin %x {axis = 1 : i64, select_last_index = 1 : i64} : (tensor<3x67xf32>) -> tensor<3x1xi64>
  return %y : tensor<3x1xi64>
}

func.func private @hardmax(%x: tensor<3x3xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, 0x7FF8000000000000 : f64, 1.0, 2.0, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64]}) -> tensor<3x3xf32> {
  %y = tsr.hardmax %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}

// The sign of a zero shows in its reciprocal.
func.func private @sign(%x: tensor<4xf32> {test.values = [0x7FF8000000000000 : f64, -0.0, 0.0, -3.0]}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tsr.sign %x : (tensor<4xf32>) -> tensor<4xf32>
  %z = tsr.reciprocal %y : (tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

func.func private @shrink_with_negative_limit(%x: tensor<3xf32> {test.values = [-2.0, 0.0, 2.0]}) -> tensor<3xf32> {
  %y = tsr.shrink %x {lambd = -1.0 : f32, bias = 5.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func private @dynamic_quantize_zeros(%x: tensor<3xf32> {test.values = [0.0]}) -> (tensor<3xui8>, tensor<f32>, tensor<ui8>) {
  %y:3 = tsr.dynamic_quantize_linear %x : (tensor<3xf32>) -> (tensor<3xui8>, tensor<f32>, tensor<ui8>)
  return %y#0, %y#1, %y#2 : tensor<3xui8>, tensor<f32>, tensor<ui8>
}

// Lines by turns: with NaN, inf and -inf, of -inf alone, of numbers far apart, of NaN alone, of numbers.
func.func private @softmax_of_short_lines(%x: tensor<20x16xf32> {test.values = [-1.05, 0.18, -0.52, 0.42, 0.50, -1.74, -1.95, 1.35, -0.96, 0x7FF8000000000000 : f64, 1.98, -0.12, 1.35, -0.09, 0.56, -1.40, 0x7FF0000000000000 : f64, 1.47, 0.09, 0.97, 0.69, -1.74, 1.03, 0.36, -0.79, -1.88, 1.46, -0.11, 0.88, 1.52, 0.86, 1.68, -0.42, 1.20, -0.22, 0xFFF0000000000000 : f64, 1.52, -1.61, -1.46, -1.13, 1.86, -0.26, 0.51, -0.80, 0.03, -0.46, -0.60, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 25.28, 121.26, 54.59, 128.68, 106.92, 147.30, 51.38, -101.07, 108.19, 139.39, 121.41, 20.73, 64.15, -86.66, 99.48, 22.06, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, -0.86, -1.75, 1.42, 1.96, -1.65, 1.20, -0.36, -1.40, -0.82, 1.08, 1.49, -1.82, 0.46, -1.82, 0.87, -0.68]}) -> tensor<20x16xf32> {
  %y = tsr.softmax %x {axis = 1 : i64} : (tensor<20x16xf32>) -> tensor<20x16xf32>
  return %y : tensor<20x16xf32>
}

func.func private @log_softmax_of_short_lines(%x: tensor<20x16xf32> {test.values = [-1.05, 0.18, -0.52, 0.42, 0.50, -1.74, -1.95, 1.35, -0.96, 0x7FF8000000000000 : f64, 1.98, -0.12, 1.35, -0.09, 0.56, -1.40, 0x7FF0000000000000 : f64, 1.47, 0.09, 0.97, 0.69, -1.74, 1.03, 0.36, -0.79, -1.88, 1.46, -0.11, 0.88, 1.52, 0.86, 1.68, -0.42, 1.20, -0.22, 0xFFF0000000000000 : f64, 1.52, -1.61, -1.46, -1.13, 1.86, -0.26, 0.51, -0.80, 0.03, -0.46, -0.60, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 0xFFF0000000000000 : f64, 25.28, 121.26, 54.59, 128.68, 106.92, 147.30, 51.38, -101.07, 108.19, 139.39, 121.41, 20.73, 64.15, -86.66, 99.48, 22.06, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, 0x7FF8000000000000 : f64, -0.86, -1.75, 1.42, 1.96, -1.65, 1.20, -0.36, -1.40, -0.82, 1.08, 1.49, -1.82, 0.46, -1.82, 0.87, -0.68]}) -> tensor<20x16xf32> {
  %y = tsr.log_softmax %x {axis = 1 : i64} : (tensor<20x16xf32>) -> tensor<20x16xf32>
  return %y : tensor<20x16xf32>
}
