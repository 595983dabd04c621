// Pools of images whose heights and widths are known at run time only.

func.func private @largest_of_three(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 14, 45]}) -> tensor<?x3x?x?xf32> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %0 : tensor<?x3x?x?xf32>
}

func.func private @rows_shorter_than_a_vector(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 13, 5]}) -> tensor<?x3x?x?xf32> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %0 : tensor<?x3x?x?xf32>
}

func.func private @rows_of_one_vector(%a: tensor<?x3x?x?xf32> {test.dims = [1, 3, 9, 17]}) -> tensor<?x3x?x?xf32> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 1, 1>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %1 = tsr.relu %0 : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %1 : tensor<?x3x?x?xf32>
}

func.func private @largest_of_wide_windows(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 6, 70]}) -> tensor<?x2x?x?xf32> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 5, 21>, pads = array<i64: 2, 10, 2, 10>} : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  return %0 : tensor<?x2x?x?xf32>
}

func.func private @largest_of_dilated(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 20, 50]}) -> tensor<?x2x?x?xf32> {
  %0 = tsr.max_pool %a {dilations = array<i64: 2, 3>, kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2>} : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  return %0 : tensor<?x2x?x?xf32>
}

func.func private @largest_of_many_columns(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 3, 700]}) -> tensor<?x2x?x?xf32> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 2, 3>, pads = array<i64: 1, 1, 0, 1>} : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  return %0 : tensor<?x2x?x?xf32>
}

func.func private @windows_round_up(%a: tensor<?x3x?x?xf32> {test.dims = [1, 3, 12, 31]}) -> tensor<?x3x?x?xf32> {
  %0 = tsr.max_pool %a {ceil_mode = 1 : i64, kernel_shape = array<i64: 3, 3>, strides = array<i64: 2, 2>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %0 : tensor<?x3x?x?xf32>
}

func.func private @windows_smaller_than_padding(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 1, 1]}) -> tensor<?x2x?x?xf32> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 4, 4>, pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 3>} : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  return %0 : tensor<?x2x?x?xf32>
}

func.func private @means(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 14, 45]}) -> tensor<?x3x?x?xf32> {
  %0 = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %1 = tsr.relu %0 : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %1 : tensor<?x3x?x?xf32>
}

func.func private @means_of_short_rows(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 11, 6]}) -> tensor<?x3x?x?xf32> {
  %0 = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 3>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %0 : tensor<?x3x?x?xf32>
}

func.func private @means_with_padding(%a: tensor<?x3x?x?xf32> {test.dims = [1, 3, 10, 33]}) -> tensor<?x3x?x?xf32> {
  %0 = tsr.average_pool %a {ceil_mode = 1 : i64, count_include_pad = 1 : i64, kernel_shape = array<i64: 3, 4>, pads = array<i64: 1, 2, 0, 1>, strides = array<i64: 2, 3>} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %0 : tensor<?x3x?x?xf32>
}

func.func private @means_of_dilated(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 20, 50]}) -> tensor<?x2x?x?xf32> {
  %0 = tsr.average_pool %a {dilations = array<i64: 2, 3>, kernel_shape = array<i64: 3, 3>, pads = array<i64: 2, 3, 2, 1>, strides = array<i64: 2, 1>} : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  return %0 : tensor<?x2x?x?xf32>
}

func.func private @means_padded_to_same(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 9, 30]}) -> tensor<?x2x?x?xf32> {
  %0 = tsr.average_pool %a {auto_pad = "SAME_UPPER", kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>} : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  return %0 : tensor<?x2x?x?xf32>
}

func.func private @means_of_tall_windows(%a: tensor<?x2x?x?xf32> {test.dims = [1, 2, 30, 20]}) -> tensor<?x2x?x?xf32> {
  %0 = tsr.average_pool %a {kernel_shape = array<i64: 11, 2>, pads = array<i64: 5, 0, 5, 1>} : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  return %0 : tensor<?x2x?x?xf32>
}

func.func private @means_along_a_line(%a: tensor<?x3x?xf32> {test.dims = [2, 3, 5000]}) -> tensor<?x3x?xf32> {
  %0 = tsr.average_pool %a {kernel_shape = array<i64: 25>, pads = array<i64: 12, 12>} : (tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
  return %0 : tensor<?x3x?xf32>
}

func.func private @largest_along_a_line(%a: tensor<?x3x?xf32> {test.dims = [2, 3, 333]}) -> tensor<?x3x?xf32> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 3>, pads = array<i64: 1, 0>, strides = array<i64: 4>} : (tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
  return %0 : tensor<?x3x?xf32>
}

func.func private @volumes(%a: tensor<?x2x?x?x?xf32> {test.dims = [1, 2, 7, 9, 21]}) -> tensor<?x2x?x?x?xf32> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>} : (tensor<?x2x?x?x?xf32>) -> tensor<?x2x?x?x?xf32>
  return %0 : tensor<?x2x?x?x?xf32>
}

func.func private @means_of_volumes(%a: tensor<?x2x?x?x?xf32> {test.dims = [2, 2, 6, 9, 10]}) -> tensor<?x2x?x?x?xf32> {
  %0 = tsr.average_pool %a {kernel_shape = array<i64: 3, 2, 3>, pads = array<i64: 1, 0, 1, 1, 1, 1>, strides = array<i64: 2, 1, 2>} : (tensor<?x2x?x?x?xf32>) -> tensor<?x2x?x?x?xf32>
  return %0 : tensor<?x2x?x?x?xf32>
}

func.func private @open_channels(%a: tensor<?x?x?x?xf32, #tsr.layout<dims = ["n", "c", "h", "w"]>> {test.dims = [2, 3, 8, 19]}) -> tensor<?x?x?x?xf32, #tsr.layout<dims = ["n", "c", "p", "q"]>> {
  %0 = tsr.max_pool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x?x?x?xf32, #tsr.layout<dims = ["n", "c", "h", "w"]>>) -> tensor<?x?x?x?xf32, #tsr.layout<dims = ["n", "c", "p", "q"]>>
  return %0 : tensor<?x?x?x?xf32, #tsr.layout<dims = ["n", "c", "p", "q"]>>
}

func.func private @with_residual(%a: tensor<1x3x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>> {test.dims = [1, 3, 9, 21]}) -> tensor<1x3x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>> {
  %0 = tsr.average_pool %a {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>) -> tensor<1x3x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>
  %1 = tsr.sub %0, %a : (tensor<1x3x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>, tensor<1x3x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>) -> tensor<1x3x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>
  return %1 : tensor<1x3x?x?xf32, #tsr.layout<dims = ["", "", "h", "w"]>>
}

// As far as columns may be apart: a row of a block has one vector of results.
func.func private @far_columns(%a: tensor<2x3x?x?xf32> {test.dims = [2, 3, 5, 230]}) -> tensor<2x3x?x?xf32> {
  %0 = tsr.max_pool %a {dilations = array<i64: 1, 103>, kernel_shape = array<i64: 2, 3>, pads = array<i64: 0, 1, 0, 1>} : (tensor<2x3x?x?xf32>) -> tensor<2x3x?x?xf32>
  return %0 : tensor<2x3x?x?xf32>
}

func.func private @farther_columns(%a: tensor<1x2x?x?xf32> {test.dims = [1, 2, 3, 260]}) -> tensor<1x2x?x?xf32> {
  %0 = tsr.average_pool %a {dilations = array<i64: 1, 8>, kernel_shape = array<i64: 1, 32>, pads = array<i64: 0, 3, 0, 3>} : (tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  return %0 : tensor<1x2x?x?xf32>
}
