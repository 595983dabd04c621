// Contractions in the layouts for vectors of LANES lanes, with tails: for 8 and for 16.
// Images of 5 rows are for direct sums: squares of 4x4 would lie outside by half.

func.func private @conv(%a: tensor<1x32x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_strided(%a: tensor<2x32x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<16x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<16xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<2x32x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<16x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<16xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<2x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_1x1(%a: tensor<1x64x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<32x64x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c : (tensor<1x64x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<32x64x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x32x7x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_ragged(%a: tensor<1x20x5x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<27x20x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<27xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x27x5x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x20x5x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<27x20x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<27xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x27x5x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x27x5x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_dilated(%a: tensor<1x16x9x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<16x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<16xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x16x5x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {dilations = array<i64: 2, 2>} : (tensor<1x16x9x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<16x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<16xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x16x5x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x16x5x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_no_bias(%a: tensor<1x16x5x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<16x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<1x16x3x3xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b : (tensor<1x16x5x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<16x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<1x16x3x3xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x16x3x3xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_plain_input(%a: tensor<1x3x16x17xf32>, %b: tensor<32x3x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x3x16x17xf32>, tensor<32x3x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x32x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_depthwise(%a: tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<32x1x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>, group = 32 : i64} : (tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<32x1x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_depthwise_ragged(%a: tensor<1x20x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<20x1x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<20xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x20x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>, group = 20 : i64} : (tensor<1x20x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<20x1x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<20xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x20x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x20x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_groups(%a: tensor<1x64x6x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<64x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<64xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x64x6x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>, group = 2 : i64} : (tensor<1x64x6x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<64x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<64xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x64x6x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x64x6x6xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_line(%a: tensor<1x32x40xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<16x32x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<16xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x16x38xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c : (tensor<1x32x40xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<16x32x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<16xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x16x38xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<1x16x38xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_relu(%a: tensor<1x32x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.relu %0 : (tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_silu(%a: tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c : (tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.sigmoid %0 : (tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %2 = tsr.mul %1, %0 : (tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %2 : tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_residual_relu(%a: tensor<1x32x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.add %0, %d : (tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %2 = tsr.relu %1 : (tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %2 : tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_scale_shift(%a: tensor<1x32x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<1x48x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %e: tensor<48x1x1xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.mul %0, %d : (tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<1x48x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %2 = tsr.add %1, %e : (tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x1x1xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %2 : tensor<1x48x5x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_gate(%a: tensor<2x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<2x48x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c : (tensor<2x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.mul %0, %d : (tensor<2x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<2x48x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<2x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_clip(%a: tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c : (tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %k0_0 = tsr.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %k0_1 = tsr.constant dense<6.0> : tensor<f32> -> tensor<f32>
  %1 = tsr.clip %0, %k0_0, %k0_1 {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<f32>, tensor<f32>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_scalar_argument(%a: tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<1xf32>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c : (tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.mul %0, %d : (tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<1xf32>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_depthwise_relu(%a: tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<32x1x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>, group = 32 : i64} : (tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<32x1x3x3xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<32xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.hard_swish %0 : (tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_image_tail(%a: tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<1x1x7x9xf32>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c : (tensor<1x32x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x1x1xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.mul %0, %d : (tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<1x1x7x9xf32>) -> tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<1x48x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @matmul_packed(%a: tensor<37x40xf32>, %b: tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<37x50xf32> {
  %0 = tsr.matmul %a, %b : (tensor<37x40xf32>, tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<37x50xf32>
  return %0 : tensor<37x50xf32>
}

func.func private @matmul_packed_batch(%a: tensor<2x5x40xf32>, %b: tensor<40x48xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x5x48xf32> {
  %0 = tsr.matmul %a, %b : (tensor<2x5x40xf32>, tensor<40x48xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x5x48xf32>
  return %0 : tensor<2x5x48xf32>
}

func.func private @matmul_bias_gelu(%a: tensor<1x13x40xf32>, %b: tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<50xf32>) -> tensor<1x13x50xf32> {
  %0 = tsr.matmul %a, %b : (tensor<1x13x40xf32>, tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x13x50xf32>
  %1 = tsr.add %0, %c : (tensor<1x13x50xf32>, tensor<50xf32>) -> tensor<1x13x50xf32>
  %2 = tsr.gelu %1 : (tensor<1x13x50xf32>) -> tensor<1x13x50xf32>
  return %2 : tensor<1x13x50xf32>
}

func.func private @matmul_residual(%a: tensor<2x13x40xf32>, %b: tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<50xf32>, %d: tensor<2x13x50xf32>) -> tensor<2x13x50xf32> {
  %0 = tsr.matmul %a, %b : (tensor<2x13x40xf32>, tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x13x50xf32>
  %1 = tsr.add %0, %c : (tensor<2x13x50xf32>, tensor<50xf32>) -> tensor<2x13x50xf32>
  %2 = tsr.add %1, %d : (tensor<2x13x50xf32>, tensor<2x13x50xf32>) -> tensor<2x13x50xf32>
  return %2 : tensor<2x13x50xf32>
}

func.func private @matmul_plain(%a: tensor<2x3x17x20xf32>, %b: tensor<2x3x20x33xf32>) -> tensor<2x3x17x33xf32> {
  %0 = tsr.matmul %a, %b : (tensor<2x3x17x20xf32>, tensor<2x3x20x33xf32>) -> tensor<2x3x17x33xf32>
  return %0 : tensor<2x3x17x33xf32>
}

func.func private @matmul_scores(%a: tensor<2x3x17x20xf32>, %b: tensor<2x3x20x17xf32>, %c: tensor<2x1x1x17xf32>) -> tensor<2x3x17x17xf32> {
  %0 = tsr.matmul %a, %b : (tensor<2x3x17x20xf32>, tensor<2x3x20x17xf32>) -> tensor<2x3x17x17xf32>
  %1 = tsr.add %0, %c : (tensor<2x3x17x17xf32>, tensor<2x1x1x17xf32>) -> tensor<2x3x17x17xf32>
  return %1 : tensor<2x3x17x17xf32>
}

func.func private @matmul_rows(%a: tensor<2x17x20xf32>, %b: tensor<20x18xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<2x17x1xf32>) -> tensor<2x17x18xf32> {
  %0 = tsr.matmul %a, %b : (tensor<2x17x20xf32>, tensor<20x18xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x17x18xf32>
  %1 = tsr.mul %0, %c : (tensor<2x17x18xf32>, tensor<2x17x1xf32>) -> tensor<2x17x18xf32>
  return %1 : tensor<2x17x18xf32>
}

func.func private @matmul_broadcast(%a: tensor<1x3x17x20xf32>, %b: tensor<2x3x20x33xf32>) -> tensor<2x3x17x33xf32> {
  %0 = tsr.matmul %a, %b : (tensor<1x3x17x20xf32>, tensor<2x3x20x33xf32>) -> tensor<2x3x17x33xf32>
  return %0 : tensor<2x3x17x33xf32>
}

func.func private @matmul_open(%a: tensor<?x?x40xf32> {test.dims = [2, 7, 40]}, %b: tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<50xf32>) -> tensor<?x?x50xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?x40xf32>, tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<?x?x50xf32>
  %1 = tsr.add %0, %c : (tensor<?x?x50xf32>, tensor<50xf32>) -> tensor<?x?x50xf32>
  %2 = tsr.relu %1 : (tensor<?x?x50xf32>) -> tensor<?x?x50xf32>
  return %2 : tensor<?x?x50xf32>
}

func.func private @matmul_open_residual(%a: tensor<?x?x40xf32, #tsr.layout<dims = ["n", "s", ""]>> {test.dims = [2, 7, 40]}, %b: tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<?x?x50xf32, #tsr.layout<dims = ["n", "s", ""]>> {test.dims = [2, 7, 50]}) -> tensor<?x?x50xf32, #tsr.layout<dims = ["n", "s", ""]>> {
  %0 = tsr.matmul %a, %b : (tensor<?x?x40xf32, #tsr.layout<dims = ["n", "s", ""]>>, tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<?x?x50xf32, #tsr.layout<dims = ["n", "s", ""]>>
  %1 = tsr.add %0, %c : (tensor<?x?x50xf32, #tsr.layout<dims = ["n", "s", ""]>>, tensor<?x?x50xf32, #tsr.layout<dims = ["n", "s", ""]>>) -> tensor<?x?x50xf32, #tsr.layout<dims = ["n", "s", ""]>>
  return %1 : tensor<?x?x50xf32, #tsr.layout<dims = ["n", "s", ""]>>
}

func.func private @matmul_row(%a: tensor<1x64xf32>, %b: tensor<64x100xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x100xf32> {
  %0 = tsr.matmul %a, %b : (tensor<1x64xf32>, tensor<64x100xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x100xf32>
  return %0 : tensor<1x100xf32>
}

func.func private @gemm_packed(%a: tensor<5x40xf32>, %b: tensor<50x40xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<50xf32>) -> tensor<5x50xf32> {
  %0 = tsr.gemm %a, %b, %c {transB = 1 : i64} : (tensor<5x40xf32>, tensor<50x40xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<50xf32>) -> tensor<5x50xf32>
  return %0 : tensor<5x50xf32>
}

func.func private @gemm_packed_scaled(%a: tensor<5x40xf32>, %b: tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<5x50xf32>) -> tensor<5x50xf32> {
  %0 = tsr.gemm %a, %b, %c {alpha = 0.5 : f32, beta = 2.0 : f32} : (tensor<5x40xf32>, tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, tensor<5x50xf32>) -> tensor<5x50xf32>
  %1 = tsr.tanh %0 : (tensor<5x50xf32>) -> tensor<5x50xf32>
  return %1 : tensor<5x50xf32>
}

func.func private @gemm_plain(%a: tensor<40x5xf32>, %b: tensor<50x40xf32>, %c: tensor<5x1xf32>) -> tensor<5x50xf32> {
  %0 = tsr.gemm %a, %b, %c {transA = 1 : i64, transB = 1 : i64} : (tensor<40x5xf32>, tensor<50x40xf32>, tensor<5x1xf32>) -> tensor<5x50xf32>
  return %0 : tensor<5x50xf32>
}

func.func private @gemm_open(%a: tensor<?x40xf32> {test.dims = [3, 40]}, %b: tensor<50x40xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %c: tensor<50xf32>) -> tensor<?x50xf32> {
  %0 = tsr.gemm %a, %b, %c {transB = 1 : i64} : (tensor<?x40xf32>, tensor<50x40xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, tensor<50xf32>) -> tensor<?x50xf32>
  %1 = tsr.relu %0 : (tensor<?x50xf32>) -> tensor<?x50xf32>
  return %1 : tensor<?x50xf32>
}

func.func private @matmul_row_factors(%a: tensor<2x3x17x20xf32>, %b: tensor<2x3x20x33xf32>, %c: tensor<3x17x1xf32>) -> tensor<2x3x17x33xf32> {
  %0 = tsr.matmul %a, %b : (tensor<2x3x17x20xf32>, tensor<2x3x20x33xf32>) -> tensor<2x3x17x33xf32>
  %1 = tsr.mul %0, %c : (tensor<2x3x17x33xf32>, tensor<3x17x1xf32>) -> tensor<2x3x17x33xf32>
  return %1 : tensor<2x3x17x33xf32>
}

func.func private @matmul_open_named_batch(%a: tensor<?x3x17x20xf32, #tsr.layout<dims = ["n", "", "", ""]>> {test.dims = [2, 3, 17, 20]}, %b: tensor<?x3x20x33xf32, #tsr.layout<dims = ["n", "", "", ""]>> {test.dims = [2, 3, 20, 33]}) -> tensor<?x3x17x33xf32, #tsr.layout<dims = ["n", "", "", ""]>> {
  %0 = tsr.matmul %a, %b : (tensor<?x3x17x20xf32, #tsr.layout<dims = ["n", "", "", ""]>>, tensor<?x3x20x33xf32, #tsr.layout<dims = ["n", "", "", ""]>>) -> tensor<?x3x17x33xf32, #tsr.layout<dims = ["n", "", "", ""]>>
  return %0 : tensor<?x3x17x33xf32, #tsr.layout<dims = ["n", "", "", ""]>>
}

func.func private @conv_pointwise_groups(%a: tensor<2x24x7x5xf32>, %b: tensor<40x3x1x1xf32>, %c: tensor<40xf32>, %d: tensor<2x40x7x5xf32>) -> tensor<2x40x7x5xf32> {
  %0 = tsr.conv %a, %b, %c {group = 8 : i64} : (tensor<2x24x7x5xf32>, tensor<40x3x1x1xf32>, tensor<40xf32>) -> tensor<2x40x7x5xf32>
  %1 = tsr.add %0, %d : (tensor<2x40x7x5xf32>, tensor<2x40x7x5xf32>) -> tensor<2x40x7x5xf32>
  %2 = tsr.relu %1 : (tensor<2x40x7x5xf32>) -> tensor<2x40x7x5xf32>
  return %2 : tensor<2x40x7x5xf32>
}

func.func private @conv_pointwise_scale(%a: tensor<2x6x7x5xf32>, %b: tensor<9x2x1x1xf32>, %c: tensor<1x9x1x1xf32>, %d: tensor<2x9x1x1xf32>, %e: tensor<7x5xf32>) -> tensor<2x9x7x5xf32> {
  %0 = tsr.conv %a, %b {group = 3 : i64} : (tensor<2x6x7x5xf32>, tensor<9x2x1x1xf32>) -> tensor<2x9x7x5xf32>
  %1 = tsr.mul %0, %c : (tensor<2x9x7x5xf32>, tensor<1x9x1x1xf32>) -> tensor<2x9x7x5xf32>
  %2 = tsr.add %1, %d : (tensor<2x9x7x5xf32>, tensor<2x9x1x1xf32>) -> tensor<2x9x7x5xf32>
  %3 = tsr.mul %2, %e : (tensor<2x9x7x5xf32>, tensor<7x5xf32>) -> tensor<2x9x7x5xf32>
  return %3 : tensor<2x9x7x5xf32>
}

func.func private @conv_pointwise_column(%a: tensor<1x6x7x5xf32>, %b: tensor<9x2x1x1xf32>, %c: tensor<1x5xf32>) -> tensor<1x9x7x5xf32> {
  %0 = tsr.conv %a, %b {group = 3 : i64} : (tensor<1x6x7x5xf32>, tensor<9x2x1x1xf32>) -> tensor<1x9x7x5xf32>
  %1 = tsr.mul %0, %c : (tensor<1x9x7x5xf32>, tensor<1x5xf32>) -> tensor<1x9x7x5xf32>
  return %1 : tensor<1x9x7x5xf32>
}

func.func private @matmul_open_unnamed_residual(%a: tensor<?x?x20xf32> {test.dims = [2, 7, 20]}, %b: tensor<20x33xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<?x?x33xf32> {test.dims = [2, 7, 33]}) -> tensor<?x?x33xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?x20xf32>, tensor<20x33xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<?x?x33xf32>
  %1 = tsr.add %0, %c : (tensor<?x?x33xf32>, tensor<?x?x33xf32>) -> tensor<?x?x33xf32>
  %2 = tsr.relu %1 : (tensor<?x?x33xf32>) -> tensor<?x?x33xf32>
  return %2 : tensor<?x?x33xf32>
}

func.func private @matmul_open_broadcast_residual(%a: tensor<?x?x20xf32> {test.dims = [2, 7, 20]}, %b: tensor<20x33xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<?x?x33xf32> {test.dims = [1, 7, 33]}, %d: tensor<?x1xf32> {test.dims = [7, 1]}) -> tensor<?x?x33xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?x20xf32>, tensor<20x33xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<?x?x33xf32>
  %1 = tsr.add %0, %c : (tensor<?x?x33xf32>, tensor<?x?x33xf32>) -> tensor<?x?x33xf32>
  %2 = tsr.mul %1, %d : (tensor<?x?x33xf32>, tensor<?x1xf32>) -> tensor<?x?x33xf32>
  return %2 : tensor<?x?x33xf32>
}

func.func private @matmul_one_batch_open_rows(%a: tensor<1x?x40xf32> {test.dims = [1, 7, 40]}, %b: tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>, %c: tensor<50xf32>) -> tensor<1x?x50xf32> {
  %0 = tsr.matmul %a, %b : (tensor<1x?x40xf32>, tensor<40x50xf32, #tsr.layout<order = [1, 0], blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x?x50xf32>
  %1 = tsr.add %0, %c : (tensor<1x?x50xf32>, tensor<50xf32>) -> tensor<1x?x50xf32>
  return %1 : tensor<1x?x50xf32>
}

func.func private @conv_4d(%a: tensor<2x20x3x2x4x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<24x20x2x1x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<24xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x24x2x2x4x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 0, 1, 1, 0, 0, 1, 1>, strides = array<i64: 2, 1, 1, 1>} : (tensor<2x20x3x2x4x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<24x20x2x1x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<24xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x24x2x2x4x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<2x24x2x2x4x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_transpose_4d(%a: tensor<2x20x3x2x4x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<20x24x3x1x2x3xf32, #tsr.layout<order = [1, 0, 2, 3, 4, 5], blockDims = [0, 1], blockSizes = [LANES, LANES]>>) -> tensor<2x24x6x2x5x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv_transpose %a, %b {pads = array<i64: 1, 0, 0, 1, 0, 0, 0, 1>, strides = array<i64: 2, 1, 1, 2>} : (tensor<2x20x3x2x4x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<20x24x3x1x2x3xf32, #tsr.layout<order = [1, 0, 2, 3, 4, 5], blockDims = [0, 1], blockSizes = [LANES, LANES]>>) -> tensor<2x24x6x2x5x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<2x24x6x2x5x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_max_pool(%a: tensor<2x32x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<2x48x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x32x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x48x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.add %0, %d : (tensor<2x48x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<2x48x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x48x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %2 = tsr.relu %1 : (tensor<2x48x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x48x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %3 = tsr.max_pool %2 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x48x15x17xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %3 : tensor<2x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_average_pool(%a: tensor<1x32x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.add %0, %d : (tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %2 = tsr.relu %1 : (tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %3 = tsr.average_pool %2 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %3 : tensor<1x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_max_pool_whole(%a: tensor<1x32x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<48x32x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<48xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.add %0, %d : (tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %2 = tsr.relu %1 : (tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %3 = tsr.max_pool %2 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x48x14x16xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<1x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %3 : tensor<1x48x7x8xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

// One element for all channels of a position, an image, a row or a column.
func.func private @conv_position_mask(%a: tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<32x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %m: tensor<1x1x5x7xf32>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<32x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.mul %0, %m : (tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<1x1x5x7xf32>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_position_mask_ragged(%a: tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<19x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %m: tensor<2x1x5x7xf32>) -> tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<19x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.add %0, %m : (tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<2x1x5x7xf32>) -> tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_image_factor(%a: tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<32x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %m: tensor<2x1x1x1xf32>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<32x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.mul %0, %m : (tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<2x1x1x1xf32>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_row_factor(%a: tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<32x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %m: tensor<5x1xf32>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<32x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.mul %0, %m : (tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<5x1xf32>) -> tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<2x32x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

func.func private @conv_column_factor(%a: tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<19x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %m: tensor<7xf32>) -> tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x16x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<19x16x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.sub %0, %m : (tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<7xf32>) -> tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %1 : tensor<2x19x5x7xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}

// Planes in front and behind are not the same; a residual operand behind it.
func.func private @conv_planes(%a: tensor<2x20x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<27x20x3x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, %c: tensor<27xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>, %d: tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 0, 1, 1, 2, 1, 1>} : (tensor<2x20x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<27x20x3x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>, tensor<27xf32, #tsr.layout<blockDims = [0], blockSizes = [LANES]>>) -> tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %1 = tsr.add %0, %d : (tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  %2 = tsr.relu %1 : (tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>) -> tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %2 : tensor<2x27x3x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}
func.func private @conv_planes_step_2(%a: tensor<2x16x7x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, %b: tensor<19x16x3x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<2x19x4x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 1, 1, 1>, strides = array<i64: 2, 1, 1>} : (tensor<2x16x7x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>, tensor<19x16x3x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [LANES, LANES]>>) -> tensor<2x19x4x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
  return %0 : tensor<2x19x4x8x9xf32, #tsr.layout<blockDims = [1], blockSizes = [LANES]>>
}
