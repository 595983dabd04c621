// Permuted dimensions.

func.func private @transpose(%a: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %r = tsr.transpose %a : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  return %r : tensor<4x3x2xf32>
}

func.func private @transpose_102(%a: tensor<2x3x4xf32>) -> tensor<3x2x4xf32> {
  %r = tsr.transpose %a {perm = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  return %r : tensor<3x2x4xf32>
}

func.func private @transpose_021(%a: tensor<2x3x4xf32>) -> tensor<2x4x3xf32> {
  %r = tsr.transpose %a {perm = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

func.func private @transpose_201(%a: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %r = tsr.transpose %a {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// Squares of vectors, and what is left at both borders.
func.func private @transpose_squares(%a: tensor<2x37x19x21xf32>) -> tensor<2x19x21x37xf32> {
  %r = tsr.transpose %a {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x37x19x21xf32>) -> tensor<2x19x21x37xf32>
  return %r : tensor<2x19x21x37xf32>
}

func.func private @transpose_colours(%a: tensor<1x40x48x3xf32>) -> tensor<1x3x40x48xf32> {
  %r = tsr.transpose %a {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x40x48x3xf32>) -> tensor<1x3x40x48xf32>
  return %r : tensor<1x3x40x48xf32>
}

func.func private @transpose_open(%a: tensor<?x3x?xf32> {test.dims = [2, 3, 5]}) -> tensor<?x?x3xf32> {
  %r = tsr.transpose %a {perm = array<i64: 2, 0, 1>} : (tensor<?x3x?xf32>) -> tensor<?x?x3xf32>
  return %r : tensor<?x?x3xf32>
}

// Channels of four groups take turns.
func.func private @channel_shuffle(%x: tensor<2x20x5x6xf32>) -> tensor<2x20x5x6xf32> {
  %0 = tsr.constant dense<[2, 4, 5, 5, 6]> : tensor<5xi64> -> tensor<5xi64>
  %1 = tsr.constant dense<[2, 20, 5, 6]> : tensor<4xi64> -> tensor<4xi64>
  %2 = tsr.reshape %x, %0 : (tensor<2x20x5x6xf32>, tensor<5xi64>) -> tensor<2x4x5x5x6xf32>
  %3 = tsr.transpose %2 {perm = array<i64: 0, 2, 1, 3, 4>} : (tensor<2x4x5x5x6xf32>) -> tensor<2x5x4x5x6xf32>
  %4 = tsr.reshape %3, %1 : (tensor<2x5x4x5x6xf32>, tensor<4xi64>) -> tensor<2x20x5x6xf32>
  return %4 : tensor<2x20x5x6xf32>
}
