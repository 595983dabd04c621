// Convolutions and products whose sizes are no multiples of tiles, with and without tails.

func.func private @conv_tiles(%x: tensor<2x5x9x13xf32>, %w: tensor<19x5x3x3xf32>, %b: tensor<19xf32>) -> tensor<2x19x9x13xf32> {
  %0 = tsr.conv %x, %w, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x5x9x13xf32>, tensor<19x5x3x3xf32>, tensor<19xf32>) -> tensor<2x19x9x13xf32>
  return %0 : tensor<2x19x9x13xf32>
}
func.func private @conv_deep(%x: tensor<1x129x4x4xf32>, %w: tensor<3x129x3x3xf32>) -> tensor<1x3x2x2xf32> {
  %0 = tsr.conv %x, %w : (tensor<1x129x4x4xf32>, tensor<3x129x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}
func.func private @conv_many_filters(%x: tensor<1x3x1x50xf32>, %w: tensor<270x3x1x1xf32>, %b: tensor<270xf32>) -> tensor<1x270x1x50xf32> {
  %0 = tsr.conv %x, %w, %b : (tensor<1x3x1x50xf32>, tensor<270x3x1x1xf32>, tensor<270xf32>) -> tensor<1x270x1x50xf32>
  return %0 : tensor<1x270x1x50xf32>
}
func.func private @conv_stride_pad_dilation(%x: tensor<1x4x11x10xf32>, %w: tensor<6x2x3x2xf32>) -> tensor<1x6x5x5xf32> {
  %0 = tsr.conv %x, %w {group = 2 : i64, strides = array<i64: 2, 2>, pads = array<i64: 1, 0, 2, 2>, dilations = array<i64: 2, 3>} : (tensor<1x4x11x10xf32>, tensor<6x2x3x2xf32>) -> tensor<1x6x5x5xf32>
  return %0 : tensor<1x6x5x5xf32>
}
func.func private @conv_whole_input(%x: tensor<3x4x2x3xf32>, %w: tensor<6x2x2x3xf32>, %b: tensor<6xf32>) -> tensor<3x6x1x1xf32> {
  %0 = tsr.conv %x, %w, %b {group = 2 : i64} : (tensor<3x4x2x3xf32>, tensor<6x2x2x3xf32>, tensor<6xf32>) -> tensor<3x6x1x1xf32>
  return %0 : tensor<3x6x1x1xf32>
}
func.func private @depthwise_multiplied(%x: tensor<2x3x7x7xf32>, %w: tensor<6x1x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x4xf32> {
  %0 = tsr.conv %x, %w, %b {group = 3 : i64, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x3x7x7xf32>, tensor<6x1x3x3xf32>, tensor<6xf32>) -> tensor<2x6x4x4xf32>
  return %0 : tensor<2x6x4x4xf32>
}
func.func private @depthwise_pad_wider_than_input(%x: tensor<1x2x3x2xf32>, %w: tensor<2x1x3x7xf32>) -> tensor<1x2x3x4xf32> {
  %0 = tsr.conv %x, %w {group = 2 : i64, pads = array<i64: 1, 4, 1, 4>} : (tensor<1x2x3x2xf32>, tensor<2x1x3x7xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}
func.func private @conv_residual(%x: tensor<2x4x5x5xf32>, %w: tensor<4x4x3x3xf32>, %b: tensor<4xf32>, %r: tensor<2x4x5x5xf32>, %s: tensor<4x1x1xf32>) -> tensor<2x4x5x5xf32> {
  %0 = tsr.conv %x, %w, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x4x5x5xf32>, tensor<4x4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x5x5xf32>
  %1 = tsr.mul %0, %s : (tensor<2x4x5x5xf32>, tensor<4x1x1xf32>) -> tensor<2x4x5x5xf32>
  %2 = tsr.add %r, %1 : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %3 = tsr.relu %2 : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  return %3 : tensor<2x4x5x5xf32>
}
// What is added varies inside of a position's row: it is no part of the convolution's tail.
func.func private @conv_then_columns(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>, %c: tensor<4xf32>) -> tensor<1x2x4x4xf32> {
  %0 = tsr.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = tsr.add %0, %c : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}
func.func private @conv_read_twice(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %0 = tsr.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = tsr.sigmoid %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = tsr.mul %0, %1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %0, %2 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}
func.func private @two_convs_summed(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>, %v: tensor<2x2x3x3xf32>) -> tensor<1x2x4x4xf32> {
  %0 = tsr.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = tsr.conv %x, %v {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x4x4xf32>
  %2 = tsr.add %0, %1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}
func.func private @matmul_tiles(%a: tensor<19x390xf32>, %b: tensor<390x101xf32>) -> tensor<19x101xf32> {
  %0 = tsr.matmul %a, %b : (tensor<19x390xf32>, tensor<390x101xf32>) -> tensor<19x101xf32>
  return %0 : tensor<19x101xf32>
}
func.func private @matmul_row(%a: tensor<1x390xf32>, %b: tensor<390x101xf32>, %c: tensor<101xf32>) -> tensor<1x101xf32> {
  %0 = tsr.matmul %a, %b : (tensor<1x390xf32>, tensor<390x101xf32>) -> tensor<1x101xf32>
  %1 = tsr.add %0, %c : (tensor<1x101xf32>, tensor<101xf32>) -> tensor<1x101xf32>
  return %1 : tensor<1x101xf32>
}
func.func private @matmul_shared_right(%a: tensor<3x2x5x7xf32>, %b: tensor<7x6xf32>, %c: tensor<6xf32>) -> tensor<3x2x5x6xf32> {
  %0 = tsr.matmul %a, %b : (tensor<3x2x5x7xf32>, tensor<7x6xf32>) -> tensor<3x2x5x6xf32>
  %1 = tsr.add %0, %c : (tensor<3x2x5x6xf32>, tensor<6xf32>) -> tensor<3x2x5x6xf32>
  return %1 : tensor<3x2x5x6xf32>
}
func.func private @matmul_rows_of_batches(%a: tensor<3x2x5x7xf32>, %b: tensor<7x6xf32>, %c: tensor<5x1xf32>) -> tensor<3x2x5x6xf32> {
  %0 = tsr.matmul %a, %b : (tensor<3x2x5x7xf32>, tensor<7x6xf32>) -> tensor<3x2x5x6xf32>
  %1 = tsr.add %0, %c : (tensor<3x2x5x6xf32>, tensor<5x1xf32>) -> tensor<3x2x5x6xf32>
  return %1 : tensor<3x2x5x6xf32>
}
func.func private @matmul_broadcast(%a: tensor<1x3x9x4xf32>, %b: tensor<2x1x4x50xf32>) -> tensor<2x3x9x50xf32> {
  %0 = tsr.matmul %a, %b : (tensor<1x3x9x4xf32>, tensor<2x1x4x50xf32>) -> tensor<2x3x9x50xf32>
  return %0 : tensor<2x3x9x50xf32>
}
func.func private @gemm_transposed(%a: tensor<7x9xf32>, %b: tensor<60x7xf32>, %c: tensor<9x1xf32>) -> tensor<9x60xf32> {
  %0 = tsr.gemm %a, %b, %c {transA = 1 : i64, transB = 1 : i64, alpha = 0.5 : f32, beta = -2.0 : f32} : (tensor<7x9xf32>, tensor<60x7xf32>, tensor<9x1xf32>) -> tensor<9x60xf32>
  %1 = tsr.neg %0 : (tensor<9x60xf32>) -> tensor<9x60xf32>
  return %1 : tensor<9x60xf32>
}
func.func private @gemm_one_row(%a: tensor<1x70xf32>, %b: tensor<5x70xf32>, %c: tensor<5xf32>) -> tensor<1x5xf32> {
  %0 = tsr.gemm %a, %b, %c {transB = 1 : i64} : (tensor<1x70xf32>, tensor<5x70xf32>, tensor<5xf32>) -> tensor<1x5xf32>
  return %0 : tensor<1x5xf32>
}
