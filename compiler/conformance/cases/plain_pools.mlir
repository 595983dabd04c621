// Pools on row-major planes whose rows fill vectors: at the edges, between them, of every step.

func.func private @plain_max_pool(%a: tensor<2x2x5x40xf32>) -> tensor<2x2x3x38xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<2x2x5x40xf32>) -> tensor<2x2x3x38xf32>
  return %r : tensor<2x2x3x38xf32>
}

func.func private @plain_max_pool_step_2(%a: tensor<2x3x9x150xf32>) -> tensor<2x3x5x75xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x3x9x150xf32>) -> tensor<2x3x5x75xf32>
  return %r : tensor<2x3x5x75xf32>
}

func.func private @plain_max_pool_step_2_ceil(%a: tensor<2x3x8x112xf32>) -> tensor<2x3x4x56xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, ceil_mode = 1 : i64} : (tensor<2x3x8x112xf32>) -> tensor<2x3x4x56xf32>
  return %r : tensor<2x3x4x56xf32>
}

func.func private @plain_max_pool_step_3(%a: tensor<2x1x9x200xf32>) -> tensor<2x1x3x67xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 2, 5>, strides = array<i64: 3, 3>, pads = array<i64: 0, 2, 0, 2>} : (tensor<2x1x9x200xf32>) -> tensor<2x1x3x67xf32>
  return %r : tensor<2x1x3x67xf32>
}

func.func private @plain_max_pool_step_4(%a: tensor<2x1x9x170xf32>) -> tensor<2x1x2x42xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 4, 3>, strides = array<i64: 4, 4>, pads = array<i64: 0, 0, 0, 0>} : (tensor<2x1x9x170xf32>) -> tensor<2x1x2x42xf32>
  return %r : tensor<2x1x2x42xf32>
}

func.func private @plain_max_pool_wide(%a: tensor<2x1x6x70xf32>) -> tensor<2x1x6x70xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 5, 21>, strides = array<i64: 1, 1>, pads = array<i64: 2, 10, 2, 10>} : (tensor<2x1x6x70xf32>) -> tensor<2x1x6x70xf32>
  return %r : tensor<2x1x6x70xf32>
}

func.func private @plain_average_pool(%a: tensor<2x2x6x300xf32>) -> tensor<2x2x6x300xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x2x6x300xf32>) -> tensor<2x2x6x300xf32>
  return %r : tensor<2x2x6x300xf32>
}

func.func private @plain_average_pool_padding_counts(%a: tensor<2x2x7x130xf32>) -> tensor<2x2x4x65xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, count_include_pad = 1 : i64} : (tensor<2x2x7x130xf32>) -> tensor<2x2x4x65xf32>
  return %r : tensor<2x2x4x65xf32>
}

func.func private @plain_average_pool_ceil(%a: tensor<2x2x7x36xf32>) -> tensor<2x2x4x18xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 1>, ceil_mode = 1 : i64} : (tensor<2x2x7x36xf32>) -> tensor<2x2x4x18xf32>
  return %r : tensor<2x2x4x18xf32>
}

func.func private @plain_max_pool_with_tail(%a: tensor<2x3x8x64xf32>, %b: tensor<3x1x1xf32>, %c: tensor<2x3x4x32xf32>) -> tensor<2x3x4x32xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<2x3x8x64xf32>) -> tensor<2x3x4x32xf32>
  %s = tsr.mul %r, %b : (tensor<2x3x4x32xf32>, tensor<3x1x1xf32>) -> tensor<2x3x4x32xf32>
  %t = tsr.add %s, %c : (tensor<2x3x4x32xf32>, tensor<2x3x4x32xf32>) -> tensor<2x3x4x32xf32>
  return %t : tensor<2x3x4x32xf32>
}

// Rows of the result in blocks, the first and last of which look past the input.

func.func private @plain_average_pool_blocks(%a: tensor<1x2x16x40xf32>) -> tensor<1x2x16x40xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x16x40xf32>) -> tensor<1x2x16x40xf32>
  return %r : tensor<1x2x16x40xf32>
}

func.func private @plain_average_pool_blocks_of_padding(%a: tensor<1x2x15x40xf32>) -> tensor<1x2x15x40xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, count_include_pad = 1 : i64} : (tensor<1x2x15x40xf32>) -> tensor<1x2x15x40xf32>
  return %r : tensor<1x2x15x40xf32>
}

func.func private @plain_average_pool_blocks_of_seven(%a: tensor<1x2x14x32xf32>) -> tensor<1x2x14x32xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 2, 1, 0, 1>} : (tensor<1x2x14x32xf32>) -> tensor<1x2x14x32xf32>
  return %r : tensor<1x2x14x32xf32>
}

func.func private @plain_average_pool_blocks_that_look_past_twice(%a: tensor<1x2x16x32xf32>) -> tensor<1x2x16x32xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, dilations = array<i64: 2, 1>, pads = array<i64: 2, 1, 2, 1>} : (tensor<1x2x16x32xf32>) -> tensor<1x2x16x32xf32>
  return %r : tensor<1x2x16x32xf32>
}

func.func private @plain_max_pool_blocks(%a: tensor<1x2x24x90xf32>) -> tensor<1x2x12x45xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x24x90xf32>) -> tensor<1x2x12x45xf32>
  return %r : tensor<1x2x12x45xf32>
}

func.func private @plain_max_pool_blocks_of_two(%a: tensor<1x2x24x90xf32>) -> tensor<1x2x12x45xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x24x90xf32>) -> tensor<1x2x12x45xf32>
  return %r : tensor<1x2x12x45xf32>
}

func.func private @plain_max_pool_dilated_blocks(%a: tensor<1x2x12x40xf32>) -> tensor<1x2x12x40xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 2, 1, 2, 1>, dilations = array<i64: 2, 1>} : (tensor<1x2x12x40xf32>) -> tensor<1x2x12x40xf32>
  return %r : tensor<1x2x12x40xf32>
}

// Volumes, whose planes are combined first: two depths of results at a time, or one; windows that
// look past the first and last plane and row; rows that are no whole vectors.

func.func private @plain_max_pool_volume(%a: tensor<1x2x4x8x16xf32>) -> tensor<1x2x4x8x16xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x2x4x8x16xf32>) -> tensor<1x2x4x8x16xf32>
  return %r : tensor<1x2x4x8x16xf32>
}

func.func private @plain_max_pool_volume_of_odd_depth(%a: tensor<2x2x5x7x21xf32>) -> tensor<2x2x5x7x21xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<2x2x5x7x21xf32>) -> tensor<2x2x5x7x21xf32>
  return %r : tensor<2x2x5x7x21xf32>
}

func.func private @plain_max_pool_volume_step_2(%a: tensor<1x3x6x8x32xf32>) -> tensor<1x3x3x4x16xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x3x6x8x32xf32>) -> tensor<1x3x3x4x16xf32>
  return %r : tensor<1x3x3x4x16xf32>
}

func.func private @plain_max_pool_volume_dilated(%a: tensor<1x2x7x9x20xf32>) -> tensor<1x2x5x5x20xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 3>, strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 0, 1, 1, 0, 1>, dilations = array<i64: 2, 2, 1>} : (tensor<1x2x7x9x20xf32>) -> tensor<1x2x5x5x20xf32>
  return %r : tensor<1x2x5x5x20xf32>
}

func.func private @plain_max_pool_volume_of_long_windows(%a: tensor<1x2x6x9x20xf32>) -> tensor<1x2x3x3x18xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 4, 5, 3>, strides = array<i64: 2, 2, 1>, pads = array<i64: 1, 0, 0, 1, 0, 0>} : (tensor<1x2x6x9x20xf32>) -> tensor<1x2x3x3x18xf32>
  return %r : tensor<1x2x3x3x18xf32>
}

func.func private @plain_max_pool_volume_without_window_in_depth(%a: tensor<1x2x5x8x24xf32>) -> tensor<1x2x3x4x12xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 1, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x5x8x24xf32>) -> tensor<1x2x3x4x12xf32>
  return %r : tensor<1x2x3x4x12xf32>
}

func.func private @plain_average_pool_volume(%a: tensor<1x2x4x8x16xf32>) -> tensor<1x2x4x8x16xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x2x4x8x16xf32>) -> tensor<1x2x4x8x16xf32>
  return %r : tensor<1x2x4x8x16xf32>
}

func.func private @plain_average_pool_volume_padding_counts(%a: tensor<1x2x5x7x21xf32>) -> tensor<1x2x5x7x21xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>, count_include_pad = 1 : i64} : (tensor<1x2x5x7x21xf32>) -> tensor<1x2x5x7x21xf32>
  return %r : tensor<1x2x5x7x21xf32>
}

func.func private @plain_average_pool_volume_ceil(%a: tensor<1x2x6x8x19xf32>) -> tensor<1x2x3x4x9xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, strides = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, ceil_mode = 1 : i64} : (tensor<1x2x6x8x19xf32>) -> tensor<1x2x3x4x9xf32>
  return %r : tensor<1x2x3x4x9xf32>
}

func.func private @plain_average_pool_volume_ceil_padding_counts(%a: tensor<1x2x6x7x20xf32>) -> tensor<1x2x4x4x11xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 2, 3, 2>, strides = array<i64: 2, 2, 2>, pads = array<i64: 1, 1, 1, 1, 1, 1>, ceil_mode = 1 : i64, count_include_pad = 1 : i64} : (tensor<1x2x6x7x20xf32>) -> tensor<1x2x4x4x11xf32>
  return %r : tensor<1x2x4x4x11xf32>
}

func.func private @plain_average_pool_volume_of_long_windows(%a: tensor<1x2x6x9x20xf32>) -> tensor<1x2x6x9x20xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 5, 5, 5>, pads = array<i64: 2, 2, 2, 2, 2, 2>} : (tensor<1x2x6x9x20xf32>) -> tensor<1x2x6x9x20xf32>
  return %r : tensor<1x2x6x9x20xf32>
}

func.func private @plain_average_pool_volume_in_groups_of_rows(%a: tensor<1x1x2x60x40xf32>) -> tensor<1x1x2x61x40xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 2, 1, 1, 1, 1>} : (tensor<1x1x2x60x40xf32>) -> tensor<1x1x2x61x40xf32>
  return %r : tensor<1x1x2x61x40xf32>
}

func.func private @plain_max_pool_volume_in_groups_of_rows(%a: tensor<1x1x3x60x40xf32>) -> tensor<1x1x3x60x40xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 0, 2, 1, 2, 0>} : (tensor<1x1x3x60x40xf32>) -> tensor<1x1x3x60x40xf32>
  return %r : tensor<1x1x3x60x40xf32>
}

func.func private @plain_average_pool_volume_of_one_row(%a: tensor<1x2x4x1x16xf32>) -> tensor<1x2x4x1x16xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x2x4x1x16xf32>) -> tensor<1x2x4x1x16xf32>
  return %r : tensor<1x2x4x1x16xf32>
}

// With AVX-512 rows of up to four vectors stay in registers; wider ones do not, nor do windows that
// begin further in front than a vector.

func.func private @plain_average_pool_volume_of_four_vectors(%a: tensor<1x2x4x6x64xf32>) -> tensor<1x2x4x6x64xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x2x4x6x64xf32>) -> tensor<1x2x4x6x64xf32>
  return %r : tensor<1x2x4x6x64xf32>
}

func.func private @plain_max_pool_volume_of_wide_rows(%a: tensor<1x2x4x6x70xf32>) -> tensor<1x2x4x6x70xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<1x2x4x6x70xf32>) -> tensor<1x2x4x6x70xf32>
  return %r : tensor<1x2x4x6x70xf32>
}

func.func private @plain_average_pool_volume_of_wide_windows(%a: tensor<1x2x4x5x30xf32>) -> tensor<1x2x4x5x38xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 9>, pads = array<i64: 1, 1, 8, 1, 1, 8>} : (tensor<1x2x4x5x30xf32>) -> tensor<1x2x4x5x38xf32>
  return %r : tensor<1x2x4x5x38xf32>
}

func.func private @plain_max_pool_volume_of_windows_in_front(%a: tensor<1x2x3x5x20xf32>) -> tensor<1x2x3x5x22xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 20>, pads = array<i64: 1, 1, 18, 1, 1, 3>} : (tensor<1x2x3x5x20xf32>) -> tensor<1x2x3x5x22xf32>
  return %r : tensor<1x2x3x5x22xf32>
}

func.func private @plain_average_pool_volume_of_columns_by_two(%a: tensor<1x2x4x5x33xf32>) -> tensor<1x2x4x5x16xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, strides = array<i64: 1, 1, 2>, pads = array<i64: 1, 1, 1, 1, 1, 0>} : (tensor<1x2x4x5x33xf32>) -> tensor<1x2x4x5x16xf32>
  return %r : tensor<1x2x4x5x16xf32>
}

func.func private @plain_max_pool_volume_of_two_rows(%a: tensor<1x2x5x2x18xf32>) -> tensor<1x2x5x2x18xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 2, 3, 3>, pads = array<i64: 0, 2, 0, 1, 0, 2>} : (tensor<1x2x5x2x18xf32>) -> tensor<1x2x5x2x18xf32>
  return %r : tensor<1x2x5x2x18xf32>
}

func.func private @plain_average_pool_volume_past_the_last_row(%a: tensor<1x2x4x5x33xf32>) -> tensor<1x2x2x5x33xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 0, 0, 1, 0, 2, 1>} : (tensor<1x2x4x5x33xf32>) -> tensor<1x2x2x5x33xf32>
  return %r : tensor<1x2x2x5x33xf32>
}

// Volumes of which windows share no rows: planes are further rows of the windows.

func.func private @plain_average_pool_volume_side_by_side(%a: tensor<1x2x5x6x21xf32>) -> tensor<1x2x3x4x21xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 2, 2, 3>, strides = array<i64: 2, 2, 1>, pads = array<i64: 1, 1, 1, 0, 1, 1>} : (tensor<1x2x5x6x21xf32>) -> tensor<1x2x3x4x21xf32>
  return %r : tensor<1x2x3x4x21xf32>
}

func.func private @plain_average_pool_volume_of_lines(%a: tensor<1x2x5x6x16xf32>) -> tensor<1x2x5x6x16xf32> {
  %r = tsr.average_pool %a {kernel_shape = array<i64: 3, 1, 3>, pads = array<i64: 1, 0, 1, 1, 0, 1>} : (tensor<1x2x5x6x16xf32>) -> tensor<1x2x5x6x16xf32>
  return %r : tensor<1x2x5x6x16xf32>
}

func.func private @plain_max_pool_volume_dilated_in_depth(%a: tensor<1x2x6x9x20xf32>) -> tensor<1x2x4x3x10xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 2>, strides = array<i64: 1, 3, 2>, pads = array<i64: 1, 0, 0, 1, 0, 0>, dilations = array<i64: 2, 1, 1>} : (tensor<1x2x6x9x20xf32>) -> tensor<1x2x4x3x10xf32>
  return %r : tensor<1x2x4x3x10xf32>
}

func.func private @plain_max_pool_volume_with_tail(%a: tensor<2x3x4x8x32xf32>, %b: tensor<3x1x1x1xf32>, %c: tensor<2x3x2x4x16xf32>) -> tensor<2x3x2x4x16xf32> {
  %r = tsr.max_pool %a {kernel_shape = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<2x3x4x8x32xf32>) -> tensor<2x3x2x4x16xf32>
  %s = tsr.mul %r, %b : (tensor<2x3x2x4x16xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x2x4x16xf32>
  %t = tsr.add %s, %c : (tensor<2x3x2x4x16xf32>, tensor<2x3x2x4x16xf32>) -> tensor<2x3x2x4x16xf32>
  return %t : tensor<2x3x2x4x16xf32>
}
