// Convolutions of images whose heights and widths are known at run time only.

func.func private @window(%a: tensor<1x5x?x?xf32> {test.dims = [1, 5, 11, 37]}, %b: tensor<14x5x3x3xf32>, %c: tensor<14xf32>) -> tensor<1x14x?x?xf32> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x5x?x?xf32>, tensor<14x5x3x3xf32>, tensor<14xf32>) -> tensor<1x14x?x?xf32>
  %1 = tsr.relu %0 : (tensor<1x14x?x?xf32>) -> tensor<1x14x?x?xf32>
  return %1 : tensor<1x14x?x?xf32>
}

func.func private @window_smaller_than_it(%a: tensor<2x3x?x?xf32> {test.dims = [2, 3, 1, 2]}, %b: tensor<4x3x5x5xf32>) -> tensor<2x4x?x?xf32> {
  %0 = tsr.conv %a, %b {pads = array<i64: 2, 2, 2, 2>} : (tensor<2x3x?x?xf32>, tensor<4x3x5x5xf32>) -> tensor<2x4x?x?xf32>
  return %0 : tensor<2x4x?x?xf32>
}

func.func private @steps_of_two(%a: tensor<?x6x?x?xf32> {test.dims = [2, 6, 13, 75]}, %b: tensor<7x6x3x3xf32>) -> tensor<?x7x?x?xf32> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 0, 1>, strides = array<i64: 2, 2>} : (tensor<?x6x?x?xf32>, tensor<7x6x3x3xf32>) -> tensor<?x7x?x?xf32>
  return %0 : tensor<?x7x?x?xf32>
}

func.func private @steps_of_three(%a: tensor<1x4x?x?xf32> {test.dims = [1, 4, 20, 41]}, %b: tensor<5x4x2x5xf32>) -> tensor<1x5x?x?xf32> {
  %0 = tsr.conv %a, %b {pads = array<i64: 0, 4, 0, 2>, strides = array<i64: 4, 3>} : (tensor<1x4x?x?xf32>, tensor<5x4x2x5xf32>) -> tensor<1x5x?x?xf32>
  return %0 : tensor<1x5x?x?xf32>
}

func.func private @dilated(%a: tensor<1x4x?x?xf32> {test.dims = [1, 4, 30, 33]}, %b: tensor<6x4x3x3xf32>) -> tensor<1x6x?x?xf32> {
  %0 = tsr.conv %a, %b {pads = array<i64: 12, 3, 12, 3>, dilations = array<i64: 12, 3>, strides = array<i64: 1, 2>} : (tensor<1x4x?x?xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x?x?xf32>
  return %0 : tensor<1x6x?x?xf32>
}

func.func private @padded_to_same(%a: tensor<1x4x?x?xf32> {test.dims = [1, 4, 10, 27]}, %b: tensor<6x4x3x4xf32>) -> tensor<1x6x?x?xf32> {
  %0 = tsr.conv %a, %b {auto_pad = "SAME_LOWER", strides = array<i64: 2, 2>} : (tensor<1x4x?x?xf32>, tensor<6x4x3x4xf32>) -> tensor<1x6x?x?xf32>
  return %0 : tensor<1x6x?x?xf32>
}

func.func private @positions(%a: tensor<1x40x?x?xf32> {test.dims = [1, 40, 9, 13]}, %b: tensor<26x40x1x1xf32>, %c: tensor<26xf32>) -> tensor<1x26x?x?xf32> {
  %0 = tsr.conv %a, %b, %c : (tensor<1x40x?x?xf32>, tensor<26x40x1x1xf32>, tensor<26xf32>) -> tensor<1x26x?x?xf32>
  %1 = tsr.hard_swish %0 : (tensor<1x26x?x?xf32>) -> tensor<1x26x?x?xf32>
  return %1 : tensor<1x26x?x?xf32>
}

func.func private @residual(%a: tensor<?x8x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>> {test.dims = [2, 8, 6, 21]}, %b: tensor<8x8x3x3xf32>) -> tensor<?x8x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x8x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>, tensor<8x8x3x3xf32>) -> tensor<?x8x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>
  %1 = tsr.add %0, %a : (tensor<?x8x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>, tensor<?x8x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>) -> tensor<?x8x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>
  return %1 : tensor<?x8x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>
}

func.func private @scaled_channels(%a: tensor<1x9x?x?xf32> {test.dims = [1, 9, 7, 20]}, %b: tensor<5x9x1x1xf32>, %c: tensor<1x5x1x1xf32>) -> tensor<1x5x?x?xf32> {
  %0 = tsr.conv %a, %b : (tensor<1x9x?x?xf32>, tensor<5x9x1x1xf32>) -> tensor<1x5x?x?xf32>
  %1 = tsr.mul %0, %c : (tensor<1x5x?x?xf32>, tensor<1x5x1x1xf32>) -> tensor<1x5x?x?xf32>
  return %1 : tensor<1x5x?x?xf32>
}

func.func private @depthwise(%a: tensor<1x10x?x?xf32> {test.dims = [1, 10, 40, 70]}, %b: tensor<10x1x5x5xf32>, %c: tensor<10xf32>) -> tensor<1x10x?x?xf32> {
  %0 = tsr.conv %a, %b, %c {group = 10 : i64, pads = array<i64: 2, 2, 2, 2>} : (tensor<1x10x?x?xf32>, tensor<10x1x5x5xf32>, tensor<10xf32>) -> tensor<1x10x?x?xf32>
  return %0 : tensor<1x10x?x?xf32>
}

func.func private @groups(%a: tensor<2x12x?x9xf32> {test.dims = [2, 12, 8, 9]}, %b: tensor<9x4x3x3xf32>) -> tensor<2x9x?x9xf32> {
  %0 = tsr.conv %a, %b {group = 3 : i64, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x12x?x9xf32>, tensor<9x4x3x3xf32>) -> tensor<2x9x?x9xf32>
  return %0 : tensor<2x9x?x9xf32>
}

func.func private @one_dimension(%a: tensor<1x3x?xf32> {test.dims = [1, 3, 100]}, %b: tensor<4x3x7xf32>) -> tensor<1x4x?xf32> {
  %0 = tsr.conv %a, %b {pads = array<i64: 3, 3>} : (tensor<1x3x?xf32>, tensor<4x3x7xf32>) -> tensor<1x4x?xf32>
  return %0 : tensor<1x4x?xf32>
}

func.func private @one_column(%a: tensor<2x3x?x1xf32> {test.dims = [2, 3, 50, 1]}, %b: tensor<7x3x5x1xf32>) -> tensor<2x7x?x1xf32> {
  %0 = tsr.conv %a, %b {pads = array<i64: 2, 0, 2, 0>} : (tensor<2x3x?x1xf32>, tensor<7x3x5x1xf32>) -> tensor<2x7x?x1xf32>
  return %0 : tensor<2x7x?x1xf32>
}

func.func private @wide_window(%a: tensor<1x6x?xf32> {test.dims = [1, 6, 70]}, %b: tensor<4x3x100xf32>) -> tensor<1x4x?xf32> {
  %0 = tsr.conv %a, %b {group = 2 : i64, pads = array<i64: 50, 49>} : (tensor<1x6x?xf32>, tensor<4x3x100xf32>) -> tensor<1x4x?xf32>
  return %0 : tensor<1x4x?xf32>
}

func.func private @three_dimensions(%a: tensor<1x3x?x?x?xf32> {test.dims = [1, 3, 4, 5, 19]}, %b: tensor<4x3x2x3x3xf32>) -> tensor<1x4x?x?x?xf32> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 0, 1, 1>, strides = array<i64: 1, 2, 1>} : (tensor<1x3x?x?x?xf32>, tensor<4x3x2x3x3xf32>) -> tensor<1x4x?x?x?xf32>
  return %0 : tensor<1x4x?x?x?xf32>
}

func.func private @transposed(%a: tensor<1x7x?x?xf32> {test.dims = [1, 7, 5, 18]}, %b: tensor<7x5x2x2xf32>, %c: tensor<5xf32>) -> tensor<1x5x?x?xf32> {
  %0 = tsr.conv_transpose %a, %b, %c {strides = array<i64: 2, 2>} : (tensor<1x7x?x?xf32>, tensor<7x5x2x2xf32>, tensor<5xf32>) -> tensor<1x5x?x?xf32>
  %1 = tsr.sigmoid %0 : (tensor<1x5x?x?xf32>) -> tensor<1x5x?x?xf32>
  return %1 : tensor<1x5x?x?xf32>
}

func.func private @transposed_cut(%a: tensor<2x4x?x?xf32> {test.dims = [2, 4, 4, 23]}, %b: tensor<4x3x4x5xf32>) -> tensor<2x3x?x?xf32> {
  %0 = tsr.conv_transpose %a, %b {pads = array<i64: 1, 2, 1, 1>, strides = array<i64: 2, 3>} : (tensor<2x4x?x?xf32>, tensor<4x3x4x5xf32>) -> tensor<2x3x?x?xf32>
  return %0 : tensor<2x3x?x?xf32>
}

func.func private @transposed_row(%a: tensor<1x4x?x?xf32> {test.dims = [1, 4, 3, 9]}, %b: tensor<4x3x2x2xf32>, %c: tensor<1x1x1x?xf32> {test.dims = [1, 1, 1, 18]}) -> tensor<1x3x?x?xf32> {
  %0 = tsr.conv_transpose %a, %b {strides = array<i64: 2, 2>} : (tensor<1x4x?x?xf32>, tensor<4x3x2x2xf32>) -> tensor<1x3x?x?xf32>
  %1 = tsr.add %0, %c : (tensor<1x3x?x?xf32>, tensor<1x1x1x?xf32>) -> tensor<1x3x?x?xf32>
  return %1 : tensor<1x3x?x?xf32>
}

func.func private @transposed_behind_padding(%a: tensor<1x4x?x?xf32> {test.dims = [1, 4, 5, 9]}, %b: tensor<4x3x1x1xf32>) -> tensor<1x3x?x?xf32> {
  %0 = tsr.conv_transpose %a, %b {output_padding = array<i64: 1, 1>} : (tensor<1x4x?x?xf32>, tensor<4x3x1x1xf32>) -> tensor<1x3x?x?xf32>
  return %0 : tensor<1x3x?x?xf32>
}

func.func private @transposed_in_three(%a: tensor<1x3x?x?x?xf32> {test.dims = [1, 3, 3, 4, 11]}, %b: tensor<3x4x3x2x4xf32>) -> tensor<1x4x?x?x?xf32> {
  %0 = tsr.conv_transpose %a, %b {pads = array<i64: 1, 0, 1, 0, 0, 1>, strides = array<i64: 2, 3, 2>} : (tensor<1x3x?x?x?xf32>, tensor<3x4x3x2x4xf32>) -> tensor<1x4x?x?x?xf32>
  return %0 : tensor<1x4x?x?x?xf32>
}

func.func private @far_taps(%a: tensor<1x3x?xf32> {test.dims = [1, 3, 700]}, %b: tensor<4x3x3xf32>) -> tensor<1x4x?xf32> {
  %0 = tsr.conv %a, %b {dilations = array<i64: 200>, pads = array<i64: 200, 100>} : (tensor<1x3x?xf32>, tensor<4x3x3xf32>) -> tensor<1x4x?xf32>
  return %0 : tensor<1x4x?xf32>
}

func.func private @far_taps_in_steps(%a: tensor<1x3x6x?xf32> {test.dims = [1, 3, 6, 700]}, %b: tensor<4x3x2x3xf32>) -> tensor<1x4x5x?xf32> {
  %0 = tsr.conv %a, %b {dilations = array<i64: 1, 301>, strides = array<i64: 1, 2>} : (tensor<1x3x6x?xf32>, tensor<4x3x2x3xf32>) -> tensor<1x4x5x?xf32>
  return %0 : tensor<1x4x5x?xf32>
}

// The ends of a few rows are a tile.
func.func private @narrow(%a: tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>> {test.dims = [2, 20, 7, 7]}, %b: tensor<20x20x3x3xf32>) -> tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>> {
  %0 = tsr.conv %a, %b {pads = array<i64: 1, 1, 1, 1>} : (tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>, tensor<20x20x3x3xf32>) -> tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>
  %1 = tsr.add %0, %a : (tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>, tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>) -> tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>
  %2 = tsr.gelu %1 : (tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>) -> tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>
  return %2 : tensor<?x20x?x?xf32, #tsr.layout<dims = ["n", "", "h", "w"]>>
}

func.func private @narrow_dilated(%a: tensor<1x6x?x?xf32> {test.dims = [1, 6, 9, 20]}, %b: tensor<14x6x3x3xf32>) -> tensor<1x14x?x?xf32> {
  %0 = tsr.conv %a, %b {dilations = array<i64: 4, 2>, pads = array<i64: 4, 2, 4, 2>, strides = array<i64: 2, 1>} : (tensor<1x6x?x?xf32>, tensor<14x6x3x3xf32>) -> tensor<1x14x?x?xf32>
  return %0 : tensor<1x14x?x?xf32>
}

func.func private @narrow_transposed(%a: tensor<1x4x?x?xf32> {test.dims = [1, 4, 5, 6]}, %b: tensor<4x3x3x3xf32>) -> tensor<1x3x?x?xf32> {
  %0 = tsr.conv_transpose %a, %b {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x4x?x?xf32>, tensor<4x3x3x3xf32>) -> tensor<1x3x?x?xf32>
  %1 = tsr.relu %0 : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  return %1 : tensor<1x3x?x?xf32>
}

// Channels are shared out, not positions.
func.func private @large_weights(%a: tensor<1x30x?x?xf32> {test.dims = [1, 30, 9, 14]}, %b: tensor<600x30x3x3xf32>, %c: tensor<600xf32>) -> tensor<1x600x?x?xf32> {
  %0 = tsr.conv %a, %b, %c {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x30x?x?xf32>, tensor<600x30x3x3xf32>, tensor<600xf32>) -> tensor<1x600x?x?xf32>
  return %0 : tensor<1x600x?x?xf32>
}

func.func private @large_weights_of_positions(%a: tensor<1x300x?x?xf32> {test.dims = [1, 300, 3, 11]}, %b: tensor<600x300x1x1xf32>) -> tensor<1x600x?x?xf32> {
  %0 = tsr.conv %a, %b : (tensor<1x300x?x?xf32>, tensor<600x300x1x1xf32>) -> tensor<1x600x?x?xf32>
  return %0 : tensor<1x600x?x?xf32>
}
