// Resize in all modes.

func.func private @nearest_half_pixel_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @nearest_half_pixel_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @nearest_half_pixel_symmetric_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "half_pixel_symmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @nearest_half_pixel_symmetric_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "half_pixel_symmetric", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @nearest_pytorch_half_pixel_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "pytorch_half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @nearest_pytorch_half_pixel_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "pytorch_half_pixel", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @nearest_align_corners_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @nearest_align_corners_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @nearest_asymmetric_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @nearest_asymmetric_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @nearest_crop(%a: tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32> {
  %k0 = tsr.constant dense<[0.0, 0.0, 0.4, 0.6, 1.0, 1.0, 1.2, 1.7]> : tensor<8xf32> -> tensor<8xf32>
  %k1 = tsr.constant dense<[1, 1, 3, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0, %k1 {mode = "nearest", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 10.0 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<1x1x4x4xf32>, tensor<8xf32>, tensor<4xi64>) -> tensor<1x1x3x3xf32>
  return %r : tensor<1x1x3x3xf32>
}

func.func private @nearest_double(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x8x10xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x4x5xf32>, tensor<4xf32>) -> tensor<1x2x8x10xf32>
  return %r : tensor<1x2x8x10xf32>
}

func.func private @nearest_one(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x1x1xf32> {
  %k0 = tsr.constant dense<[1, 2, 1, 1]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x1x1xf32>
  return %r : tensor<1x2x1x1xf32>
}

func.func private @nearest_f64(%a: tensor<1x2x4x5xf64>) -> tensor<1x2x8x7xf64> {
  %k0 = tsr.constant dense<[1, 2, 8, 7]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf64>, tensor<4xi64>) -> tensor<1x2x8x7xf64>
  return %r : tensor<1x2x8x7xf64>
}

func.func private @nearest_i32(%a: tensor<1x2x4x5xi32> {test.range = [0, 100]}) -> tensor<1x2x8x7xi32> {
  %k0 = tsr.constant dense<[1, 2, 8, 7]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xi32>, tensor<4xi64>) -> tensor<1x2x8x7xi32>
  return %r : tensor<1x2x8x7xi32>
}

func.func private @nearest_open(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 4, 5]}) -> tensor<?x2x?x?xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 1.5]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<?x2x?x?xf32>, tensor<4xf32>) -> tensor<?x2x?x?xf32>
  return %r : tensor<?x2x?x?xf32>
}

func.func private @nearest_sizes_by_value(%a: tensor<1x2x4x5xf32>, %b: tensor<4xi64> {test.values = [1, 2, 7, 9]}) -> tensor<?x?x?x?xf32> {
  %r = tsr.resize %a, %b {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func private @nearest_blocked(%a: tensor<1x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<4xf32>) -> tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @linear_half_pixel_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @linear_half_pixel_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @linear_half_pixel_symmetric_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel_symmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @linear_half_pixel_symmetric_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel_symmetric", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @linear_pytorch_half_pixel_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "pytorch_half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @linear_pytorch_half_pixel_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "pytorch_half_pixel", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @linear_align_corners_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @linear_align_corners_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @linear_asymmetric_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @linear_asymmetric_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @linear_crop(%a: tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32> {
  %k0 = tsr.constant dense<[0.0, 0.0, 0.4, 0.6, 1.0, 1.0, 1.2, 1.7]> : tensor<8xf32> -> tensor<8xf32>
  %k1 = tsr.constant dense<[1, 1, 3, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0, %k1 {mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 10.0 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<1x1x4x4xf32>, tensor<8xf32>, tensor<4xi64>) -> tensor<1x1x3x3xf32>
  return %r : tensor<1x1x3x3xf32>
}

func.func private @linear_double(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x8x10xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x4x5xf32>, tensor<4xf32>) -> tensor<1x2x8x10xf32>
  return %r : tensor<1x2x8x10xf32>
}

func.func private @linear_one(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x1x1xf32> {
  %k0 = tsr.constant dense<[1, 2, 1, 1]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x1x1xf32>
  return %r : tensor<1x2x1x1xf32>
}

func.func private @linear_f64(%a: tensor<1x2x4x5xf64>) -> tensor<1x2x8x7xf64> {
  %k0 = tsr.constant dense<[1, 2, 8, 7]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf64>, tensor<4xi64>) -> tensor<1x2x8x7xf64>
  return %r : tensor<1x2x8x7xf64>
}

func.func private @linear_i32(%a: tensor<1x2x4x5xi32> {test.range = [0, 100]}) -> tensor<1x2x8x7xi32> {
  %k0 = tsr.constant dense<[1, 2, 8, 7]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xi32>, tensor<4xi64>) -> tensor<1x2x8x7xi32>
  return %r : tensor<1x2x8x7xi32>
}

func.func private @linear_open(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 4, 5]}) -> tensor<?x2x?x?xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 1.5]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<?x2x?x?xf32>, tensor<4xf32>) -> tensor<?x2x?x?xf32>
  return %r : tensor<?x2x?x?xf32>
}

func.func private @linear_sizes_by_value(%a: tensor<1x2x4x5xf32>, %b: tensor<4xi64> {test.values = [1, 2, 7, 9]}) -> tensor<?x?x?x?xf32> {
  %r = tsr.resize %a, %b {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func private @linear_blocked(%a: tensor<1x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<4xf32>) -> tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @cubic_half_pixel_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @cubic_half_pixel_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @cubic_half_pixel_symmetric_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel_symmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @cubic_half_pixel_symmetric_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel_symmetric", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @cubic_pytorch_half_pixel_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "pytorch_half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @cubic_pytorch_half_pixel_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "pytorch_half_pixel", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @cubic_align_corners_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @cubic_align_corners_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @cubic_asymmetric_up(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x9x11xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 11]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x9x11xf32>
  return %r : tensor<1x2x9x11xf32>
}

func.func private @cubic_asymmetric_down(%a: tensor<1x2x9x11xf32>) -> tensor<1x2x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.4]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x9x11xf32>, tensor<4xf32>) -> tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func private @cubic_crop(%a: tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32> {
  %k0 = tsr.constant dense<[0.0, 0.0, 0.4, 0.6, 1.0, 1.0, 1.2, 1.7]> : tensor<8xf32> -> tensor<8xf32>
  %k1 = tsr.constant dense<[1, 1, 3, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0, %k1 {mode = "cubic", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 10.0 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<1x1x4x4xf32>, tensor<8xf32>, tensor<4xi64>) -> tensor<1x1x3x3xf32>
  return %r : tensor<1x1x3x3xf32>
}

func.func private @cubic_double(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x8x10xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x2x4x5xf32>, tensor<4xf32>) -> tensor<1x2x8x10xf32>
  return %r : tensor<1x2x8x10xf32>
}

func.func private @cubic_one(%a: tensor<1x2x4x5xf32>) -> tensor<1x2x1x1xf32> {
  %k0 = tsr.constant dense<[1, 2, 1, 1]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x2x1x1xf32>
  return %r : tensor<1x2x1x1xf32>
}

func.func private @cubic_f64(%a: tensor<1x2x4x5xf64>) -> tensor<1x2x8x7xf64> {
  %k0 = tsr.constant dense<[1, 2, 8, 7]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf64>, tensor<4xi64>) -> tensor<1x2x8x7xf64>
  return %r : tensor<1x2x8x7xf64>
}

func.func private @cubic_i32(%a: tensor<1x2x4x5xi32> {test.range = [0, 100]}) -> tensor<1x2x8x7xi32> {
  %k0 = tsr.constant dense<[1, 2, 8, 7]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xi32>, tensor<4xi64>) -> tensor<1x2x8x7xi32>
  return %r : tensor<1x2x8x7xi32>
}

func.func private @cubic_open(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 4, 5]}) -> tensor<?x2x?x?xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 1.5]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<?x2x?x?xf32>, tensor<4xf32>) -> tensor<?x2x?x?xf32>
  return %r : tensor<?x2x?x?xf32>
}

func.func private @cubic_sizes_by_value(%a: tensor<1x2x4x5xf32>, %b: tensor<4xi64> {test.values = [1, 2, 7, 9]}) -> tensor<?x?x?x?xf32> {
  %r = tsr.resize %a, %b {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func private @cubic_blocked(%a: tensor<1x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x16x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<4xf32>) -> tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x16x8x10xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @nearest_round_prefer_floor(%a: tensor<1x1x6x6xf32>) -> tensor<1x1x4x13xf32> {
  %k0 = tsr.constant dense<[1, 1, 4, 13]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {nearest_mode = "round_prefer_floor", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x6x6xf32>, tensor<4xi64>) -> tensor<1x1x4x13xf32>
  return %r : tensor<1x1x4x13xf32>
}

func.func private @nearest_round_prefer_ceil(%a: tensor<1x1x6x6xf32>) -> tensor<1x1x4x13xf32> {
  %k0 = tsr.constant dense<[1, 1, 4, 13]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {nearest_mode = "round_prefer_ceil", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x6x6xf32>, tensor<4xi64>) -> tensor<1x1x4x13xf32>
  return %r : tensor<1x1x4x13xf32>
}

func.func private @nearest_floor(%a: tensor<1x1x6x6xf32>) -> tensor<1x1x4x13xf32> {
  %k0 = tsr.constant dense<[1, 1, 4, 13]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {nearest_mode = "floor", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x6x6xf32>, tensor<4xi64>) -> tensor<1x1x4x13xf32>
  return %r : tensor<1x1x4x13xf32>
}

func.func private @nearest_ceil(%a: tensor<1x1x6x6xf32>) -> tensor<1x1x4x13xf32> {
  %k0 = tsr.constant dense<[1, 1, 4, 13]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {nearest_mode = "ceil", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x6x6xf32>, tensor<4xi64>) -> tensor<1x1x4x13xf32>
  return %r : tensor<1x1x4x13xf32>
}

func.func private @cubic_exclude_outside(%a: tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", exclude_outside = 1 : i64, cubic_coeff_a = -0.5 : f32, operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x1x4x4xf32>, tensor<4xf32>) -> tensor<1x1x8x8xf32>
  return %r : tensor<1x1x8x8xf32>
}

func.func private @linear_antialias(%a: tensor<1x1x9x8xf32>) -> tensor<1x1x4x3xf32> {
  %k0 = tsr.constant dense<[1, 1, 4, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", antialias = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x9x8xf32>, tensor<4xi64>) -> tensor<1x1x4x3xf32>
  return %r : tensor<1x1x4x3xf32>
}

func.func private @linear_antialias_scales(%a: tensor<1x1x9x8xf32>) -> tensor<1x1x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.6]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", antialias = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x1x9x8xf32>, tensor<4xf32>) -> tensor<1x1x5x4xf32>
  return %r : tensor<1x1x5x4xf32>
}

func.func private @cubic_antialias(%a: tensor<1x1x9x8xf32>) -> tensor<1x1x4x3xf32> {
  %k0 = tsr.constant dense<[1, 1, 4, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", antialias = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x9x8xf32>, tensor<4xi64>) -> tensor<1x1x4x3xf32>
  return %r : tensor<1x1x4x3xf32>
}

func.func private @cubic_antialias_scales(%a: tensor<1x1x9x8xf32>) -> tensor<1x1x5x4xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 0.6, 0.6]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "cubic", antialias = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x1x9x8xf32>, tensor<4xf32>) -> tensor<1x1x5x4xf32>
  return %r : tensor<1x1x5x4xf32>
}

func.func private @axes(%a: tensor<2x4x5xf32>) -> tensor<2x8x5xf32> {
  %k0 = tsr.constant dense<[2.0]> : tensor<1xf32> -> tensor<1xf32>
  %r = tsr.resize %a, %k0 {mode = "linear", axes = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<2x4x5xf32>, tensor<1xf32>) -> tensor<2x8x5xf32>
  return %r : tensor<2x8x5xf32>
}

func.func private @not_larger(%a: tensor<1x1x2x2xf32>) -> tensor<1x1x7x7xf32> {
  %k0 = tsr.constant dense<[7, 8]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.resize %a, %k0 {axes = array<i64: 2, 3>, keep_aspect_ratio_policy = "not_larger", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x2x2xf32>, tensor<2xi64>) -> tensor<1x1x7x7xf32>
  return %r : tensor<1x1x7x7xf32>
}

func.func private @not_smaller(%a: tensor<1x1x2x2xf32>) -> tensor<1x1x8x8xf32> {
  %k0 = tsr.constant dense<[7, 8]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.resize %a, %k0 {axes = array<i64: 2, 3>, keep_aspect_ratio_policy = "not_smaller", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x2x2xf32>, tensor<2xi64>) -> tensor<1x1x8x8xf32>
  return %r : tensor<1x1x8x8xf32>
}

func.func private @u8(%a: tensor<1x1x2x2xui8> {test.range = [0, 255]}) -> tensor<1x1x4x4xui8> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x1x2x2xui8>, tensor<4xf32>) -> tensor<1x1x4x4xui8>
  return %r : tensor<1x1x4x4xui8>
}

func.func private @line(%a: tensor<1x2x5xf32>) -> tensor<1x2x9xf32> {
  %k0 = tsr.constant dense<[1, 2, 9]> : tensor<3xi64> -> tensor<3xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x5xf32>, tensor<3xi64>) -> tensor<1x2x9xf32>
  return %r : tensor<1x2x9xf32>
}

func.func private @rounded_scales(%a: tensor<1x20x30x10xf32>) -> tensor<1x14x39x12xf32> {
  %k0 = tsr.constant dense<[1.0, 0.7, 1.3, 1.2]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {nearest_mode = "floor", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<1x20x30x10xf32>, tensor<4xf32>) -> tensor<1x14x39x12xf32>
  return %r : tensor<1x14x39x12xf32>
}

func.func private @rounded_scales_by_value(%a: tensor<?x20x30x10xf32> {test.dims = [2, 20, 30, 10]}, %b: tensor<4xf32> {test.values = [1.0, 0.7, 1.3, 1.6]}) -> tensor<?x?x?x?xf32> {
  %r = tsr.resize %a, %b {nearest_mode = "round_prefer_ceil", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<?x20x30x10xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func private @linear_antialias_keeps_aspect(%a: tensor<1x1x9x8xf32>) -> tensor<1x1x3x3xf32> {
  %k0 = tsr.constant dense<[4, 3]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", antialias = 1 : i64, axes = array<i64: 2, 3>, keep_aspect_ratio_policy = "not_larger", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x9x8xf32>, tensor<2xi64>) -> tensor<1x1x3x3xf32>
  return %r : tensor<1x1x3x3xf32>
}

func.func private @cubic_antialias_keeps_aspect(%a: tensor<1x1x9x8xf32>) -> tensor<1x1x4x4xf32> {
  %k0 = tsr.constant dense<[4, 3]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", antialias = 1 : i64, exclude_outside = 1 : i64, axes = array<i64: 2, 3>, keep_aspect_ratio_policy = "not_smaller", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x1x9x8xf32>, tensor<2xi64>) -> tensor<1x1x4x4xf32>
  return %r : tensor<1x1x4x4xf32>
}

func.func private @linear_antialias_open(%a: tensor<?x1x?x?xf32> {test.dims = [2, 1, 19, 8]}) -> tensor<?x1x4x11xf32> {
  %k0 = tsr.constant dense<[4, 11]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", antialias = 1 : i64, axes = array<i64: 2, 3>, operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<?x1x?x?xf32>, tensor<2xi64>) -> tensor<?x1x4x11xf32>
  return %r : tensor<?x1x4x11xf32>
}

func.func private @cubic_antialias_open(%a: tensor<?x1x?x?xf32> {test.dims = [2, 1, 19, 8]}) -> tensor<?x1x?x?xf32> {
  %k0 = tsr.constant dense<[4, 3]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", antialias = 1 : i64, axes = array<i64: 2, 3>, keep_aspect_ratio_policy = "not_larger", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<?x1x?x?xf32>, tensor<2xi64>) -> tensor<?x1x?x?xf32>
  return %r : tensor<?x1x?x?xf32>
}

// Innermost dimensions that grow by a whole number of times.
func.func private @whole_nearest_floor_asymmetric(%a: tensor<1x3x4x19xf32>) -> tensor<1x3x8x38xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 38]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x19xf32>, tensor<4xi64>) -> tensor<1x3x8x38xf32>
  return %r : tensor<1x3x8x38xf32>
}

func.func private @whole_nearest_floor_half_pixel(%a: tensor<1x3x4x19xf32>) -> tensor<1x3x8x38xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 38]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x19xf32>, tensor<4xi64>) -> tensor<1x3x8x38xf32>
  return %r : tensor<1x3x8x38xf32>
}

func.func private @whole_nearest_ceil_asymmetric(%a: tensor<1x3x4x19xf32>) -> tensor<1x3x8x76xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 76]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", nearest_mode = "ceil", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x19xf32>, tensor<4xi64>) -> tensor<1x3x8x76xf32>
  return %r : tensor<1x3x8x76xf32>
}

func.func private @whole_nearest_ceil_half_pixel(%a: tensor<1x3x4x19xf32>) -> tensor<1x3x8x76xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 76]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", nearest_mode = "ceil", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x19xf32>, tensor<4xi64>) -> tensor<1x3x8x76xf32>
  return %r : tensor<1x3x8x76xf32>
}

func.func private @whole_nearest_round_prefer_ceil_asymmetric(%a: tensor<1x3x4x19xf32>) -> tensor<1x3x8x152xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 152]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", nearest_mode = "round_prefer_ceil", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x19xf32>, tensor<4xi64>) -> tensor<1x3x8x152xf32>
  return %r : tensor<1x3x8x152xf32>
}

func.func private @whole_nearest_round_prefer_ceil_half_pixel(%a: tensor<1x3x4x19xf32>) -> tensor<1x3x8x152xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 152]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", nearest_mode = "round_prefer_ceil", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x19xf32>, tensor<4xi64>) -> tensor<1x3x8x152xf32>
  return %r : tensor<1x3x8x152xf32>
}

func.func private @whole_nearest_round_prefer_floor_asymmetric(%a: tensor<1x3x4x19xf32>) -> tensor<1x3x8x38xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 38]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", nearest_mode = "round_prefer_floor", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x19xf32>, tensor<4xi64>) -> tensor<1x3x8x38xf32>
  return %r : tensor<1x3x8x38xf32>
}

func.func private @whole_nearest_round_prefer_floor_half_pixel(%a: tensor<1x3x4x19xf32>) -> tensor<1x3x8x38xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 38]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", nearest_mode = "round_prefer_floor", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x19xf32>, tensor<4xi64>) -> tensor<1x3x8x38xf32>
  return %r : tensor<1x3x8x38xf32>
}

func.func private @whole_linear_half_pixel_2(%a: tensor<2x3x5x11xf32>) -> tensor<2x3x10x22xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 22]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x11xf32>, tensor<4xi64>) -> tensor<2x3x10x22xf32>
  return %r : tensor<2x3x10x22xf32>
}

func.func private @whole_linear_asymmetric_2(%a: tensor<2x3x5x11xf32>) -> tensor<2x3x10x22xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 22]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x11xf32>, tensor<4xi64>) -> tensor<2x3x10x22xf32>
  return %r : tensor<2x3x10x22xf32>
}

func.func private @whole_linear_pytorch_half_pixel_4(%a: tensor<2x3x5x11xf32>) -> tensor<2x3x10x44xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 44]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "pytorch_half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x11xf32>, tensor<4xi64>) -> tensor<2x3x10x44xf32>
  return %r : tensor<2x3x10x44xf32>
}

func.func private @whole_linear_half_pixel_8(%a: tensor<2x3x5x11xf32>) -> tensor<2x3x10x88xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 88]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x11xf32>, tensor<4xi64>) -> tensor<2x3x10x88xf32>
  return %r : tensor<2x3x10x88xf32>
}

func.func private @whole_cubic_half_pixel_2(%a: tensor<2x3x5x11xf32>) -> tensor<2x3x10x22xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 22]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x11xf32>, tensor<4xi64>) -> tensor<2x3x10x22xf32>
  return %r : tensor<2x3x10x22xf32>
}

func.func private @whole_cubic_asymmetric_2(%a: tensor<2x3x5x11xf32>) -> tensor<2x3x10x22xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 22]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x11xf32>, tensor<4xi64>) -> tensor<2x3x10x22xf32>
  return %r : tensor<2x3x10x22xf32>
}

func.func private @whole_cubic_pytorch_half_pixel_4(%a: tensor<2x3x5x11xf32>) -> tensor<2x3x10x44xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 44]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "pytorch_half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x11xf32>, tensor<4xi64>) -> tensor<2x3x10x44xf32>
  return %r : tensor<2x3x10x44xf32>
}

func.func private @whole_cubic_half_pixel_8(%a: tensor<2x3x5x11xf32>) -> tensor<2x3x10x88xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 88]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x11xf32>, tensor<4xi64>) -> tensor<2x3x10x88xf32>
  return %r : tensor<2x3x10x88xf32>
}

func.func private @whole_linear_narrow(%a: tensor<1x2x9x1xf32>) -> tensor<1x2x9x4xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 4]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x9x1xf32>, tensor<4xi64>) -> tensor<1x2x9x4xf32>
  return %r : tensor<1x2x9x4xf32>
}

func.func private @whole_cubic_f64(%a: tensor<3x17xf64>) -> tensor<3x34xf64> {
  %k0 = tsr.constant dense<[3, 34]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<3x17xf64>, tensor<2xi64>) -> tensor<3x34xf64>
  return %r : tensor<3x34xf64>
}

func.func private @whole_nearest_u8(%a: tensor<2x40xui8>) -> tensor<2x80xui8> {
  %k0 = tsr.constant dense<[2, 80]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x40xui8>, tensor<2xi64>) -> tensor<2x80xui8>
  return %r : tensor<2x80xui8>
}

func.func private @nearest_open_doubled(%a: tensor<?x2x?x?xf32> {test.dims = [2, 2, 5, 21]}) -> tensor<?x2x?x?xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<?x2x?x?xf32>, tensor<4xf32>) -> tensor<?x2x?x?xf32>
  return %r : tensor<?x2x?x?xf32>
}

func.func private @nearest_open_grown(%a: tensor<?x2x?x?xf32> {test.dims = [2, 2, 5, 21]}) -> tensor<?x2x?x?xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 4.0, 2.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {coordinate_transformation_mode = "half_pixel", mode = "nearest", nearest_mode = "round_prefer_floor", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<?x2x?x?xf32>, tensor<4xf32>) -> tensor<?x2x?x?xf32>
  return %r : tensor<?x2x?x?xf32>
}

func.func private @nearest_open_rows_grown(%a: tensor<?x2x?x?xf32> {test.dims = [2, 2, 5, 21]}) -> tensor<?x2x?x?xf32> {
  %k0 = tsr.constant dense<[1.0, 1.0, 8.0, 1.0]> : tensor<4xf32> -> tensor<4xf32>
  %r = tsr.resize %a, %k0 {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor", operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<?x2x?x?xf32>, tensor<4xf32>) -> tensor<?x2x?x?xf32>
  return %r : tensor<?x2x?x?xf32>
}

func.func private @nearest_open_to_sizes_twice(%a: tensor<1x2x?x?xf32> {test.dims = [1, 2, 6, 10]}) -> tensor<1x2x12x20xf32> {
  %k0 = tsr.constant dense<[1, 2, 12, 20]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x?x?xf32>, tensor<4xi64>) -> tensor<1x2x12x20xf32>
  return %r : tensor<1x2x12x20xf32>
}

func.func private @nearest_open_to_sizes_otherwise(%a: tensor<1x2x?x?xf32> {test.dims = [1, 2, 5, 10]}) -> tensor<1x2x12x20xf32> {
  %k0 = tsr.constant dense<[1, 2, 12, 20]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x?x?xf32>, tensor<4xi64>) -> tensor<1x2x12x20xf32>
  return %r : tensor<1x2x12x20xf32>
}

func.func private @linear_kept_by_value(%a: tensor<1x3x1x2xf32> {test.values = [1.0, 2.0, 0x7FF0000000000000 : f64, 4.0, 5.0, -6.0]}, %b: tensor<4xi64> {test.values = [1, 3, 1, 4]}) -> tensor<?x?x?x?xf32> {
  %r = tsr.resize %a, %b {mode = "linear", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x1x2xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func private @cubic_kept_by_value(%a: tensor<1x3x1x2xf32> {test.values = [1.0, 2.0, 0x7FF0000000000000 : f64, 4.0, 5.0, -6.0]}, %b: tensor<4xi64> {test.values = [1, 3, 1, 4]}) -> tensor<?x?x?x?xf32> {
  %r = tsr.resize %a, %b {mode = "cubic", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x1x2xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func private @antialias_kept_by_value(%a: tensor<1x3x1x2xf32> {test.values = [1.0, 2.0, 0x7FF0000000000000 : f64, 4.0, 5.0, -6.0]}, %b: tensor<4xi64> {test.values = [1, 3, 1, 4]}) -> tensor<?x?x?x?xf32> {
  %r = tsr.resize %a, %b {mode = "linear", antialias = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x1x2xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
