// Positions of extremes.

// Lines side by side: more steps than are gone along at once, a part of a vector at the end.
func.func private @argmax_across(%a: tensor<2x21x75xf32> {test.values = [1.0, 0x7FF8000000000000 : f64, 3.0, -1.0, 3.0, 0xFFF0000000000000 : f64, 2.0]}) -> tensor<2x75xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<2x21x75xf32>) -> tensor<2x75xi64>
  return %r : tensor<2x75xi64>
}

func.func private @argmax_of_no_neighbours(%a: tensor<2x3x0xf32>) -> tensor<2x0xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<2x3x0xf32>) -> tensor<2x0xi64>
  return %r : tensor<2x0xi64>
}

func.func private @hardmax_of_no_neighbours(%a: tensor<2x3x0xf32>) -> tensor<2x3x0xf32> {
  %r = tsr.hardmax %a {axis = 1 : i64} : (tensor<2x3x0xf32>) -> tensor<2x3x0xf32>
  return %r : tensor<2x3x0xf32>
}

func.func private @argmin_across_last_index(%a: tensor<2x16x37xf32> {test.values = [1.0, 0xFFF0000000000000 : f64, 3.0, -1.0, 0xFFF0000000000000 : f64]}) -> tensor<2x1x37xi64> {
  %r = tsr.argmin %a {axis = 1 : i64, select_last_index = 1 : i64} : (tensor<2x16x37xf32>) -> tensor<2x1x37xi64>
  return %r : tensor<2x1x37xi64>
}

func.func private @argmax_across_open(%a: tensor<?x?x?xi32> {test.range = [0, 5], test.dims = [2, 20, 1050]}) -> tensor<?x?xi64> {
  %r = tsr.argmax %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<?x?x?xi32>) -> tensor<?x?xi64>
  return %r : tensor<?x?xi64>
}

func.func private @argmin_across_u8(%a: tensor<3x17x5xui8> {test.range = [0, 250]}) -> tensor<3x5xi64> {
  %r = tsr.argmin %a {axis = 1 : i64, keepdims = 0 : i64} : (tensor<3x17x5xui8>) -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}
