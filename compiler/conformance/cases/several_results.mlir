// Results whose computations start from one value keep apart.
func.func private @two_of_one_fill(%x: tensor<4x3xf32>) -> (tensor<4x1xi64>, tensor<4x1xi64>) {
  %a = tsr.argmax %x {axis = 1 : i64} : (tensor<4x3xf32>) -> tensor<4x1xi64>
  %b = tsr.argmin %x {axis = 1 : i64} : (tensor<4x3xf32>) -> tensor<4x1xi64>
  return %a, %b : tensor<4x1xi64>, tensor<4x1xi64>
}
func.func private @two_of_one_input(%x: tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x3xf32>) {
  %axes = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %a = tsr.reduce_sum %x, %axes : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %b = tsr.reduce_sum_square %x, %axes : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %c = tsr.exp %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %a, %b, %c : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x3xf32>
}
