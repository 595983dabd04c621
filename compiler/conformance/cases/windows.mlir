// Convolutions of any kind, transposed ones, pools.

func.func private @conv(%a: tensor<1x3x7x8xf32>, %b: tensor<4x3x3x3xf32>) -> tensor<1x4x5x6xf32> {
  %r = tsr.conv %a, %b : (tensor<1x3x7x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x6xf32>
  return %r : tensor<1x4x5x6xf32>
}

func.func private @conv_bias_pad(%a: tensor<2x3x7x8xf32>, %b: tensor<4x3x3x3xf32>, %c: tensor<4xf32>) -> tensor<2x4x7x8xf32> {
  %r = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x3x7x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x4x7x8xf32>
  return %r : tensor<2x4x7x8xf32>
}

func.func private @conv_strided(%a: tensor<1x3x9x8xf32>, %b: tensor<4x3x3x2xf32>, %c: tensor<4xf32>) -> tensor<1x4x5x4xf32> {
  %r = tsr.conv %a, %b, %c {pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 2, 2>} : (tensor<1x3x9x8xf32>, tensor<4x3x3x2xf32>, tensor<4xf32>) -> tensor<1x4x5x4xf32>
  return %r : tensor<1x4x5x4xf32>
}

func.func private @conv_dilated(%a: tensor<1x3x9x9xf32>, %b: tensor<4x3x3x3xf32>) -> tensor<1x4x9x9xf32> {
  %r = tsr.conv %a, %b {pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>} : (tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x9x9xf32>
  return %r : tensor<1x4x9x9xf32>
}

func.func private @conv_groups(%a: tensor<1x6x5x5xf32>, %b: tensor<4x3x3x3xf32>, %c: tensor<4xf32>) -> tensor<1x4x3x3xf32> {
  %r = tsr.conv %a, %b, %c {group = 2 : i64} : (tensor<1x6x5x5xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x3x3xf32>
  return %r : tensor<1x4x3x3xf32>
}

func.func private @conv_depthwise(%a: tensor<1x6x5x5xf32>, %b: tensor<6x1x3x3xf32>) -> tensor<1x6x5x5xf32> {
  %r = tsr.conv %a, %b {group = 6 : i64, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x6x5x5xf32>, tensor<6x1x3x3xf32>) -> tensor<1x6x5x5xf32>
  return %r : tensor<1x6x5x5xf32>
}

func.func private @conv_uneven_pads(%a: tensor<1x2x5x6xf32>, %b: tensor<3x2x2x3xf32>, %c: tensor<3xf32>) -> tensor<1x3x7x9xf32> {
  %r = tsr.conv %a, %b, %c {pads = array<i64: 1, 2, 2, 3>} : (tensor<1x2x5x6xf32>, tensor<3x2x2x3xf32>, tensor<3xf32>) -> tensor<1x3x7x9xf32>
  return %r : tensor<1x3x7x9xf32>
}

func.func private @conv_same_upper(%a: tensor<1x2x5x6xf32>, %b: tensor<3x2x2x3xf32>) -> tensor<1x3x3x3xf32> {
  %r = tsr.conv %a, %b {auto_pad = "SAME_UPPER", strides = array<i64: 2, 2>} : (tensor<1x2x5x6xf32>, tensor<3x2x2x3xf32>) -> tensor<1x3x3x3xf32>
  return %r : tensor<1x3x3x3xf32>
}

func.func private @conv_same_lower(%a: tensor<1x2x5x6xf32>, %b: tensor<3x2x2x3xf32>) -> tensor<1x3x3x3xf32> {
  %r = tsr.conv %a, %b {auto_pad = "SAME_LOWER", strides = array<i64: 2, 2>} : (tensor<1x2x5x6xf32>, tensor<3x2x2x3xf32>) -> tensor<1x3x3x3xf32>
  return %r : tensor<1x3x3x3xf32>
}

func.func private @conv_valid(%a: tensor<1x2x5x6xf32>, %b: tensor<3x2x2x3xf32>) -> tensor<1x3x4x4xf32> {
  %r = tsr.conv %a, %b {auto_pad = "VALID"} : (tensor<1x2x5x6xf32>, tensor<3x2x2x3xf32>) -> tensor<1x3x4x4xf32>
  return %r : tensor<1x3x4x4xf32>
}

func.func private @conv_1d(%a: tensor<2x3x12xf32>, %b: tensor<5x3x4xf32>, %c: tensor<5xf32>) -> tensor<2x5x5xf32> {
  %r = tsr.conv %a, %b, %c {strides = array<i64: 2>} : (tensor<2x3x12xf32>, tensor<5x3x4xf32>, tensor<5xf32>) -> tensor<2x5x5xf32>
  return %r : tensor<2x5x5xf32>
}

func.func private @conv_3d(%a: tensor<1x2x4x5x6xf32>, %b: tensor<3x2x2x3x2xf32>, %c: tensor<3xf32>) -> tensor<1x3x3x3x5xf32> {
  %r = tsr.conv %a, %b, %c : (tensor<1x2x4x5x6xf32>, tensor<3x2x2x3x2xf32>, tensor<3xf32>) -> tensor<1x3x3x3x5xf32>
  return %r : tensor<1x3x3x3x5xf32>
}

func.func private @conv_f64(%a: tensor<1x3x7x8xf64>, %b: tensor<4x3x3x3xf64>, %c: tensor<4xf64>) -> tensor<1x4x5x6xf64> {
  %r = tsr.conv %a, %b, %c : (tensor<1x3x7x8xf64>, tensor<4x3x3x3xf64>, tensor<4xf64>) -> tensor<1x4x5x6xf64>
  return %r : tensor<1x4x5x6xf64>
}

func.func private @conv_pointwise(%a: tensor<1x8x5x5xf32>, %b: tensor<4x8x1x1xf32>, %c: tensor<4xf32>) -> tensor<1x4x5x5xf32> {
  %r = tsr.conv %a, %b, %c : (tensor<1x8x5x5xf32>, tensor<4x8x1x1xf32>, tensor<4xf32>) -> tensor<1x4x5x5xf32>
  return %r : tensor<1x4x5x5xf32>
}

func.func private @conv_open(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 7, 8]}, %b: tensor<4x3x3x3xf32>, %c: tensor<4xf32>) -> tensor<?x4x?x?xf32> {
  %r = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<?x4x?x?xf32>
  return %r : tensor<?x4x?x?xf32>
}

func.func private @conv_open_groups(%a: tensor<?x4x?x?xf32> {test.dims = [2, 4, 7, 8]}, %b: tensor<4x1x3x3xf32>) -> tensor<?x4x?x?xf32> {
  %r = tsr.conv %a, %b {group = 4 : i64} : (tensor<?x4x?x?xf32>, tensor<4x1x3x3xf32>) -> tensor<?x4x?x?xf32>
  return %r : tensor<?x4x?x?xf32>
}

func.func private @conv_open_same(%a: tensor<1x3x?x?xf32> {test.dims = [1, 3, 7, 8]}, %b: tensor<4x3x3x2xf32>) -> tensor<1x4x?x?xf32> {
  %r = tsr.conv %a, %b {auto_pad = "SAME_UPPER", strides = array<i64: 2, 2>} : (tensor<1x3x?x?xf32>, tensor<4x3x3x2xf32>) -> tensor<1x4x?x?xf32>
  return %r : tensor<1x4x?x?xf32>
}

func.func private @transposed(%a: tensor<1x3x4x5xf32>, %b: tensor<3x4x3x3xf32>, %c: tensor<4xf32>) -> tensor<1x4x6x7xf32> {
  %r = tsr.conv_transpose %a, %b, %c : (tensor<1x3x4x5xf32>, tensor<3x4x3x3xf32>, tensor<4xf32>) -> tensor<1x4x6x7xf32>
  return %r : tensor<1x4x6x7xf32>
}

func.func private @transposed_strided(%a: tensor<2x3x4x5xf32>, %b: tensor<3x4x3x3xf32>) -> tensor<2x4x9x11xf32> {
  %r = tsr.conv_transpose %a, %b {strides = array<i64: 2, 2>} : (tensor<2x3x4x5xf32>, tensor<3x4x3x3xf32>) -> tensor<2x4x9x11xf32>
  return %r : tensor<2x4x9x11xf32>
}

func.func private @transposed_pads(%a: tensor<1x3x4x5xf32>, %b: tensor<3x4x3x3xf32>) -> tensor<1x4x7x9xf32> {
  %r = tsr.conv_transpose %a, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x4x5xf32>, tensor<3x4x3x3xf32>) -> tensor<1x4x7x9xf32>
  return %r : tensor<1x4x7x9xf32>
}

func.func private @transposed_output_padding(%a: tensor<1x3x4x5xf32>, %b: tensor<3x4x3x3xf32>) -> tensor<1x4x8x10xf32> {
  %r = tsr.conv_transpose %a, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>} : (tensor<1x3x4x5xf32>, tensor<3x4x3x3xf32>) -> tensor<1x4x8x10xf32>
  return %r : tensor<1x4x8x10xf32>
}

func.func private @transposed_dilated(%a: tensor<1x2x3x3xf32>, %b: tensor<2x2x2x2xf32>) -> tensor<1x2x5x5xf32> {
  %r = tsr.conv_transpose %a, %b {dilations = array<i64: 2, 2>} : (tensor<1x2x3x3xf32>, tensor<2x2x2x2xf32>) -> tensor<1x2x5x5xf32>
  return %r : tensor<1x2x5x5xf32>
}

func.func private @transposed_groups(%a: tensor<1x4x3x3xf32>, %b: tensor<4x2x3x3xf32>, %c: tensor<4xf32>) -> tensor<1x4x5x5xf32> {
  %r = tsr.conv_transpose %a, %b, %c {group = 2 : i64} : (tensor<1x4x3x3xf32>, tensor<4x2x3x3xf32>, tensor<4xf32>) -> tensor<1x4x5x5xf32>
  return %r : tensor<1x4x5x5xf32>
}

func.func private @transposed_output_shape(%a: tensor<1x2x3x3xf32>, %b: tensor<2x2x3x3xf32>) -> tensor<1x2x10x8xf32> {
  %r = tsr.conv_transpose %a, %b {strides = array<i64: 3, 2>, output_shape = array<i64: 10, 8>} : (tensor<1x2x3x3xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x10x8xf32>
  return %r : tensor<1x2x10x8xf32>
}

func.func private @transposed_same(%a: tensor<1x2x3x3xf32>, %b: tensor<2x2x3x3xf32>) -> tensor<1x2x6x6xf32> {
  %r = tsr.conv_transpose %a, %b {strides = array<i64: 2, 2>, auto_pad = "SAME_UPPER"} : (tensor<1x2x3x3xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return %r : tensor<1x2x6x6xf32>
}

func.func private @transposed_1d(%a: tensor<1x2x5xf32>, %b: tensor<2x3x4xf32>) -> tensor<1x3x11xf32> {
  %r = tsr.conv_transpose %a, %b {strides = array<i64: 2>, pads = array<i64: 1, 0>} : (tensor<1x2x5xf32>, tensor<2x3x4xf32>) -> tensor<1x3x11xf32>
  return %r : tensor<1x3x11xf32>
}

func.func private @transposed_3d(%a: tensor<1x2x3x3x2xf32>, %b: tensor<2x2x2x2x2xf32>) -> tensor<1x2x4x4x3xf32> {
  %r = tsr.conv_transpose %a, %b : (tensor<1x2x3x3x2xf32>, tensor<2x2x2x2x2xf32>) -> tensor<1x2x4x4x3xf32>
  return %r : tensor<1x2x4x4x3xf32>
}

func.func private @transposed_large_pads(%a: tensor<1x1x5x5xf32>, %b: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %r = tsr.conv_transpose %a, %b {pads = array<i64: 2, 2, 2, 2>} : (tensor<1x1x5x5xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %r : tensor<1x1x2x2xf32>
}

func.func private @transposed_gaps(%a: tensor<1x1x3x3xf32>, %b: tensor<1x1x1x1xf32>) -> tensor<1x1x7x7xf32> {
  %r = tsr.conv_transpose %a, %b {strides = array<i64: 3, 3>} : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x7x7xf32>
  return %r : tensor<1x1x7x7xf32>
}

func.func private @transposed_open(%a: tensor<?x3x?x5xf32> {test.dims = [1, 3, 4, 5]}, %b: tensor<3x4x3x3xf32>) -> tensor<?x4x?x11xf32> {
  %r = tsr.conv_transpose %a, %b {strides = array<i64: 2, 2>} : (tensor<?x3x?x5xf32>, tensor<3x4x3x3xf32>) -> tensor<?x4x?x11xf32>
  return %r : tensor<?x4x?x11xf32>
}

func.func private @max_pool(%a: tensor<1x3x7x8xf32>) -> tensor<1x3x5x6xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x7x8xf32>) -> tensor<1x3x5x6xf32>
  return %r : tensor<1x3x5x6xf32>
}

func.func private @max_pool_strided(%a: tensor<2x3x7x8xf32>) -> tensor<2x3x3x4xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, ceil_mode = 0 : i64} : (tensor<2x3x7x8xf32>) -> tensor<2x3x3x4xf32>
  return %r : tensor<2x3x3x4xf32>
}

func.func private @max_pool_padded(%a: tensor<1x3x7x8xf32>) -> tensor<1x3x4x5xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x7x8xf32>) -> tensor<1x3x4x5xf32>
  return %r : tensor<1x3x4x5xf32>
}

func.func private @max_pool_ceil(%a: tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, ceil_mode = 1 : i64} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  return %r : tensor<1x2x3x3xf32>
}

func.func private @max_pool_ceil_padded(%a: tensor<1x2x6x7xf32>) -> tensor<1x2x4x4xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, ceil_mode = 1 : i64} : (tensor<1x2x6x7xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}

func.func private @max_pool_same(%a: tensor<1x2x6x7xf32>) -> tensor<1x2x3x4xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, auto_pad = "SAME_UPPER"} : (tensor<1x2x6x7xf32>) -> tensor<1x2x3x4xf32>
  return %r : tensor<1x2x3x4xf32>
}

func.func private @max_pool_dilated(%a: tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 2, 2>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}

func.func private @max_pool_dilated_padded(%a: tensor<1x2x8x8xf32>) -> tensor<1x2x6x6xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x6x6xf32>
  return %r : tensor<1x2x6x6xf32>
}

func.func private @max_pool_1d(%a: tensor<2x3x11xf32>) -> tensor<2x3x9xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3>} : (tensor<2x3x11xf32>) -> tensor<2x3x9xf32>
  return %r : tensor<2x3x9xf32>
}

func.func private @max_pool_3d(%a: tensor<1x2x4x5x6xf32>) -> tensor<1x2x3x4x5xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 2, 2, 2>} : (tensor<1x2x4x5x6xf32>) -> tensor<1x2x3x4x5xf32>
  return %r : tensor<1x2x3x4x5xf32>
}

func.func private @max_pool_f64(%a: tensor<1x3x7x8xf64>) -> tensor<1x3x5x6xf64> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x7x8xf64>) -> tensor<1x3x5x6xf64>
  return %r : tensor<1x3x5x6xf64>
}

func.func private @max_pool_open(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 7, 8]}) -> tensor<?x3x?x?xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %r : tensor<?x3x?x?xf32>
}

func.func private @max_pool_blocked(%a: tensor<1x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @average_pool(%a: tensor<1x3x7x8xf32>) -> tensor<1x3x5x6xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x7x8xf32>) -> tensor<1x3x5x6xf32>
  return %r : tensor<1x3x5x6xf32>
}

func.func private @average_pool_strided(%a: tensor<2x3x7x8xf32>) -> tensor<2x3x3x4xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, ceil_mode = 0 : i64} : (tensor<2x3x7x8xf32>) -> tensor<2x3x3x4xf32>
  return %r : tensor<2x3x3x4xf32>
}

func.func private @average_pool_padded(%a: tensor<1x3x7x8xf32>) -> tensor<1x3x4x5xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x7x8xf32>) -> tensor<1x3x4x5xf32>
  return %r : tensor<1x3x4x5xf32>
}

func.func private @average_pool_ceil(%a: tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, ceil_mode = 1 : i64} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  return %r : tensor<1x2x3x3xf32>
}

func.func private @average_pool_ceil_padded(%a: tensor<1x2x6x7xf32>) -> tensor<1x2x4x4xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, ceil_mode = 1 : i64} : (tensor<1x2x6x7xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}

func.func private @average_pool_same(%a: tensor<1x2x6x7xf32>) -> tensor<1x2x3x4xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, auto_pad = "SAME_UPPER"} : (tensor<1x2x6x7xf32>) -> tensor<1x2x3x4xf32>
  return %r : tensor<1x2x3x4xf32>
}

func.func private @average_pool_dilated(%a: tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 2, 2>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}

func.func private @average_pool_dilated_padded(%a: tensor<1x2x8x8xf32>) -> tensor<1x2x6x6xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x6x6xf32>
  return %r : tensor<1x2x6x6xf32>
}

func.func private @average_pool_1d(%a: tensor<2x3x11xf32>) -> tensor<2x3x9xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3>} : (tensor<2x3x11xf32>) -> tensor<2x3x9xf32>
  return %r : tensor<2x3x9xf32>
}

func.func private @average_pool_3d(%a: tensor<1x2x4x5x6xf32>) -> tensor<1x2x3x4x5xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 2, 2, 2>} : (tensor<1x2x4x5x6xf32>) -> tensor<1x2x3x4x5xf32>
  return %r : tensor<1x2x3x4x5xf32>
}

func.func private @average_pool_f64(%a: tensor<1x3x7x8xf64>) -> tensor<1x3x5x6xf64> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x7x8xf64>) -> tensor<1x3x5x6xf64>
  return %r : tensor<1x3x5x6xf64>
}

func.func private @average_pool_open(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 7, 8]}) -> tensor<?x3x?x?xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %r : tensor<?x3x?x?xf32>
}

func.func private @average_pool_blocked(%a: tensor<1x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @max_pool_volume_blocked(%a: tensor<1x16x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x3x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 3>, strides = array<i64: 2, 2, 2>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x16x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x3x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x16x3x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @average_pool_volume_blocked(%a: tensor<1x12x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x12x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x12x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x12x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x12x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @average_pool_volume_blocked_padding_counts(%a: tensor<1x16x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x3x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, strides = array<i64: 2, 2, 2>, pads = array<i64: 1, 1, 1, 1, 1, 1>, count_include_pad = 1 : i64} : (tensor<1x16x5x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x3x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x16x3x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @lp_pool(%a: tensor<1x3x7x8xf32>) -> tensor<1x3x5x6xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x7x8xf32>) -> tensor<1x3x5x6xf32>
  return %r : tensor<1x3x5x6xf32>
}

func.func private @lp_pool_strided(%a: tensor<2x3x7x8xf32>) -> tensor<2x3x3x4xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, ceil_mode = 0 : i64} : (tensor<2x3x7x8xf32>) -> tensor<2x3x3x4xf32>
  return %r : tensor<2x3x3x4xf32>
}

func.func private @lp_pool_padded(%a: tensor<1x3x7x8xf32>) -> tensor<1x3x4x5xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x7x8xf32>) -> tensor<1x3x4x5xf32>
  return %r : tensor<1x3x4x5xf32>
}

func.func private @lp_pool_ceil(%a: tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, ceil_mode = 1 : i64} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  return %r : tensor<1x2x3x3xf32>
}

func.func private @lp_pool_ceil_padded(%a: tensor<1x2x6x7xf32>) -> tensor<1x2x4x4xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, ceil_mode = 1 : i64} : (tensor<1x2x6x7xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}

func.func private @lp_pool_same(%a: tensor<1x2x6x7xf32>) -> tensor<1x2x3x4xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, auto_pad = "SAME_UPPER"} : (tensor<1x2x6x7xf32>) -> tensor<1x2x3x4xf32>
  return %r : tensor<1x2x3x4xf32>
}

func.func private @lp_pool_dilated(%a: tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 2, 2>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}

func.func private @lp_pool_dilated_padded(%a: tensor<1x2x8x8xf32>) -> tensor<1x2x6x6xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x8x8xf32>) -> tensor<1x2x6x6xf32>
  return %r : tensor<1x2x6x6xf32>
}

func.func private @lp_pool_1d(%a: tensor<2x3x11xf32>) -> tensor<2x3x9xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3>} : (tensor<2x3x11xf32>) -> tensor<2x3x9xf32>
  return %r : tensor<2x3x9xf32>
}

func.func private @lp_pool_3d(%a: tensor<1x2x4x5x6xf32>) -> tensor<1x2x3x4x5xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 2, 2, 2>} : (tensor<1x2x4x5x6xf32>) -> tensor<1x2x3x4x5xf32>
  return %r : tensor<1x2x3x4x5xf32>
}

func.func private @lp_pool_f64(%a: tensor<1x3x7x8xf64>) -> tensor<1x3x5x6xf64> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>} : (tensor<1x3x7x8xf64>) -> tensor<1x3x5x6xf64>
  return %r : tensor<1x3x5x6xf64>
}

func.func private @lp_pool_open(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 7, 8]}) -> tensor<?x3x?x?xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %r : tensor<?x3x?x?xf32>
}

func.func private @lp_pool_blocked(%a: tensor<1x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x16x4x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @average_pool_with_padding(%a: tensor<1x3x7x8xf32>) -> tensor<1x3x4x5xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, count_include_pad = 1 : i64} : (tensor<1x3x7x8xf32>) -> tensor<1x3x4x5xf32>
  return %r : tensor<1x3x4x5xf32>
}

func.func private @average_pool_with_padding_ceil(%a: tensor<1x2x6x7xf32>) -> tensor<1x2x4x4xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, ceil_mode = 1 : i64, count_include_pad = 1 : i64} : (tensor<1x2x6x7xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}

func.func private @lp_pool_3(%a: tensor<1x3x7x8xf32>) -> tensor<1x3x5x6xf32> {
  %r = tsr.lp_pool %a {kernel_shape = array<i64: 3, 3>, p = 3 : i64} : (tensor<1x3x7x8xf32>) -> tensor<1x3x5x6xf32>
  return %r : tensor<1x3x5x6xf32>
}

func.func private @max_pool_i8(%a: tensor<1x3x7x8xi8> {test.range = [0, 100]}) -> tensor<1x3x4x5xi8> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x7x8xi8>) -> tensor<1x3x4x5xi8>
  return %r : tensor<1x3x4x5xi8>
}

func.func private @max_pool_u8(%a: tensor<1x3x7x8xui8> {test.range = [0, 100]}) -> tensor<1x3x4x5xui8> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x7x8xui8>) -> tensor<1x3x4x5xui8>
  return %r : tensor<1x3x4x5xui8>
}

func.func private @max_pool_indices(%a: tensor<2x3x7x8xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xi64>) {
  %r:2 = tsr.max_pool %a {kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x3x7x8xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xi64>)
  return %r#0, %r#1 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xi64>
}

func.func private @max_pool_indices_columns(%a: tensor<2x3x7x8xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xi64>) {
  %r:2 = tsr.max_pool %a {kernel_shape = array<i64: 3, 2>, storage_order = 1 : i64, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x3x7x8xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xi64>)
  return %r#0, %r#1 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xi64>
}

func.func private @global_average_pool(%a: tensor<2x3x7x8xf32>) -> tensor<2x3x1x1xf32> {
  %r = tsr.global_average_pool %a : (tensor<2x3x7x8xf32>) -> tensor<2x3x1x1xf32>
  return %r : tensor<2x3x1x1xf32>
}

func.func private @global_average_pool_1d(%a: tensor<2x3x70xf32>) -> tensor<2x3x1xf32> {
  %r = tsr.global_average_pool %a : (tensor<2x3x70xf32>) -> tensor<2x3x1xf32>
  return %r : tensor<2x3x1xf32>
}

func.func private @global_average_pool_open(%a: tensor<?x3x?x8xf32> {test.dims = [2, 3, 7, 8]}) -> tensor<?x3x1x1xf32> {
  %r = tsr.global_average_pool %a : (tensor<?x3x?x8xf32>) -> tensor<?x3x1x1xf32>
  return %r : tensor<?x3x1x1xf32>
}

func.func private @global_average_pool_blocked(%a: tensor<2x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.global_average_pool %a : (tensor<2x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @global_max_pool(%a: tensor<2x3x7x8xf32>) -> tensor<2x3x1x1xf32> {
  %r = tsr.global_max_pool %a : (tensor<2x3x7x8xf32>) -> tensor<2x3x1x1xf32>
  return %r : tensor<2x3x1x1xf32>
}

func.func private @global_max_pool_1d(%a: tensor<2x3x70xf32>) -> tensor<2x3x1xf32> {
  %r = tsr.global_max_pool %a : (tensor<2x3x70xf32>) -> tensor<2x3x1xf32>
  return %r : tensor<2x3x1xf32>
}

func.func private @global_max_pool_open(%a: tensor<?x3x?x8xf32> {test.dims = [2, 3, 7, 8]}) -> tensor<?x3x1x1xf32> {
  %r = tsr.global_max_pool %a : (tensor<?x3x?x8xf32>) -> tensor<?x3x1x1xf32>
  return %r : tensor<?x3x1x1xf32>
}

func.func private @global_max_pool_blocked(%a: tensor<2x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.global_max_pool %a : (tensor<2x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @global_lp_pool(%a: tensor<2x3x7x8xf32>) -> tensor<2x3x1x1xf32> {
  %r = tsr.global_lp_pool %a : (tensor<2x3x7x8xf32>) -> tensor<2x3x1x1xf32>
  return %r : tensor<2x3x1x1xf32>
}

func.func private @global_lp_pool_1d(%a: tensor<2x3x70xf32>) -> tensor<2x3x1xf32> {
  %r = tsr.global_lp_pool %a : (tensor<2x3x70xf32>) -> tensor<2x3x1xf32>
  return %r : tensor<2x3x1xf32>
}

func.func private @global_lp_pool_open(%a: tensor<?x3x?x8xf32> {test.dims = [2, 3, 7, 8]}) -> tensor<?x3x1x1xf32> {
  %r = tsr.global_lp_pool %a : (tensor<?x3x?x8xf32>) -> tensor<?x3x1x1xf32>
  return %r : tensor<?x3x1x1xf32>
}

func.func private @global_lp_pool_blocked(%a: tensor<2x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.global_lp_pool %a : (tensor<2x16x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}
