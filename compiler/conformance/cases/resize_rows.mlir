// Resize of planes whose rows are several vectors: these repeat, every one or every third, or do not.

func.func private @linear_doubled_rows(%a: tensor<2x3x5x96xf32>) -> tensor<2x3x10x192xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 192]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x96xf32>, tensor<4xi64>) -> tensor<2x3x10x192xf32>
  return %r : tensor<2x3x10x192xf32>
}

func.func private @linear_half_more_rows(%a: tensor<1x2x6x160xf32>) -> tensor<1x2x9x240xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 240]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x6x160xf32>, tensor<4xi64>) -> tensor<1x2x9x240xf32>
  return %r : tensor<1x2x9x240xf32>
}

func.func private @linear_odd_rows(%a: tensor<1x2x7x45xf32>) -> tensor<1x2x10x101xf32> {
  %k0 = tsr.constant dense<[1, 2, 10, 101]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "align_corners", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x7x45xf32>, tensor<4xi64>) -> tensor<1x2x10x101xf32>
  return %r : tensor<1x2x10x101xf32>
}

func.func private @linear_fewer_rows(%a: tensor<1x2x40x44xf32>) -> tensor<1x2x13x40xf32> {
  %k0 = tsr.constant dense<[1, 2, 13, 40]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x40x44xf32>, tensor<4xi64>) -> tensor<1x2x13x40xf32>
  return %r : tensor<1x2x13x40xf32>
}

func.func private @linear_rows_and_tail(%a: tensor<1x3x4x40xf32>) -> tensor<1x3x8x80xf32> {
  %k0 = tsr.constant dense<[1, 3, 8, 80]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x4x40xf32>, tensor<4xi64>) -> tensor<1x3x8x80xf32>
  %s = tsr.add %r, %r : (tensor<1x3x8x80xf32>, tensor<1x3x8x80xf32>) -> tensor<1x3x8x80xf32>
  %t = tsr.relu %s : (tensor<1x3x8x80xf32>) -> tensor<1x3x8x80xf32>
  return %t : tensor<1x3x8x80xf32>
}

func.func private @cubic_rows(%a: tensor<1x2x5x50xf32>) -> tensor<1x2x10x100xf32> {
  %k0 = tsr.constant dense<[1, 2, 10, 100]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x5x50xf32>, tensor<4xi64>) -> tensor<1x2x10x100xf32>
  return %r : tensor<1x2x10x100xf32>
}

func.func private @cubic_rows_inside(%a: tensor<1x2x5x50xf32>) -> tensor<1x2x10x100xf32> {
  %k0 = tsr.constant dense<[1, 2, 10, 100]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", exclude_outside = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x5x50xf32>, tensor<4xi64>) -> tensor<1x2x10x100xf32>
  return %r : tensor<1x2x10x100xf32>
}

func.func private @nearest_doubled_rows(%a: tensor<1x3x6x80xf32>) -> tensor<1x3x12x160xf32> {
  %k0 = tsr.constant dense<[1, 3, 12, 160]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x6x80xf32>, tensor<4xi64>) -> tensor<1x3x12x160xf32>
  return %r : tensor<1x3x12x160xf32>
}

func.func private @nearest_line(%a: tensor<2x3x70xf32>) -> tensor<2x3x210xf32> {
  %k0 = tsr.constant dense<[2, 3, 210]> : tensor<3xi64> -> tensor<3xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x70xf32>, tensor<3xi64>) -> tensor<2x3x210xf32>
  return %r : tensor<2x3x210xf32>
}

func.func private @linear_far_apart(%a: tensor<1x2x8x200xf32>) -> tensor<1x2x4x50xf32> {
  %k0 = tsr.constant dense<[1, 2, 4, 50]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x8x200xf32>, tensor<4xi64>) -> tensor<1x2x4x50xf32>
  return %r : tensor<1x2x4x50xf32>
}

func.func private @cubic_columns_doubled(%a: tensor<2x3x5x32xf32>) -> tensor<2x3x10x64xf32> {
  %k0 = tsr.constant dense<[2, 3, 10, 64]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x5x32xf32>, tensor<4xi64>) -> tensor<2x3x10x64xf32>
  return %r : tensor<2x3x10x64xf32>
}

func.func private @cubic_columns_doubled_of_a_vector(%a: tensor<2x3x16xf32>) -> tensor<2x3x32xf32> {
  %k0 = tsr.constant dense<[2, 3, 32]> : tensor<3xi64> -> tensor<3xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "asymmetric", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3x16xf32>, tensor<3xi64>) -> tensor<2x3x32xf32>
  return %r : tensor<2x3x32xf32>
}

func.func private @cubic_columns_doubled_inside(%a: tensor<1x2x4x32xf32>) -> tensor<1x2x6x64xf32> {
  %k0 = tsr.constant dense<[1, 2, 6, 64]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", exclude_outside = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x4x32xf32>, tensor<4xi64>) -> tensor<1x2x6x64xf32>
  return %r : tensor<1x2x6x64xf32>
}

func.func private @cubic_doubled_rows(%a: tensor<2x2x19x48xf32>) -> tensor<2x2x38x96xf32> {
  %k0 = tsr.constant dense<[2, 2, 38, 96]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x2x19x48xf32>, tensor<4xi64>) -> tensor<2x2x38x96xf32>
  return %r : tensor<2x2x38x96xf32>
}

func.func private @cubic_doubled_narrow_rows(%a: tensor<1x3x1x16xf32>) -> tensor<1x3x2x32xf32> {
  %k0 = tsr.constant dense<[1, 3, 2, 32]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x3x1x16xf32>, tensor<4xi64>) -> tensor<1x3x2x32xf32>
  return %r : tensor<1x3x2x32xf32>
}

func.func private @cubic_wider_rows(%a: tensor<1x2x9x32xf32>) -> tensor<1x2x9x64xf32> {
  %k0 = tsr.constant dense<[1, 2, 9, 64]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "cubic", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x9x32xf32>, tensor<4xi64>) -> tensor<1x2x9x64xf32>
  return %r : tensor<1x2x9x64xf32>
}

func.func private @linear_more_rows(%a: tensor<1x2x17x32xf32>) -> tensor<1x2x51x128xf32> {
  %k0 = tsr.constant dense<[1, 2, 51, 128]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "linear", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x17x32xf32>, tensor<4xi64>) -> tensor<1x2x51x128xf32>
  return %r : tensor<1x2x51x128xf32>
}

func.func private @nearest_more_rows(%a: tensor<1x2x9x16xf32>) -> tensor<1x2x36x48xf32> {
  %k0 = tsr.constant dense<[1, 2, 36, 48]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.resize %a, %k0 {mode = "nearest", coordinate_transformation_mode = "half_pixel", operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<1x2x9x16xf32>, tensor<4xi64>) -> tensor<1x2x36x48xf32>
  return %r : tensor<1x2x36x48xf32>
}
