// Pad in all its modes.

func.func private @pad(%a: tensor<4x5xf32>) -> tensor<7x7xf32> {
  %k0 = tsr.constant dense<[1, 0, 2, 2]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "constant", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<7x7xf32>
  return %r : tensor<7x7xf32>
}

func.func private @pad_value(%a: tensor<4x5xf32>) -> tensor<7x7xf32> {
  %k0 = tsr.constant dense<[1, 0, 2, 2]> : tensor<4xi64> -> tensor<4xi64>
  %k1 = tsr.constant dense<3.5> : tensor<f32> -> tensor<f32>
  %r = tsr.pad %a, %k0, %k1 {mode = "constant", operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4x5xf32>, tensor<4xi64>, tensor<f32>) -> tensor<7x7xf32>
  return %r : tensor<7x7xf32>
}

func.func private @pad_negative(%a: tensor<4x5xf32>) -> tensor<4x4xf32> {
  %k0 = tsr.constant dense<[-1, 1, 1, -2]> : tensor<4xi64> -> tensor<4xi64>
  %k1 = tsr.constant dense<3.5> : tensor<f32> -> tensor<f32>
  %r = tsr.pad %a, %k0, %k1 {mode = "constant", operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<4x5xf32>, tensor<4xi64>, tensor<f32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

func.func private @pad_axes(%a: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %k0 = tsr.constant dense<[1, 2]> : tensor<2xi64> -> tensor<2xi64>
  %k1 = tsr.constant dense<3.5> : tensor<f32> -> tensor<f32>
  %k2 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.pad %a, %k0, %k1, %k2 {mode = "constant", operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<4x5xf32>, tensor<2xi64>, tensor<f32>, tensor<1xi64>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

func.func private @pad_reflect(%a: tensor<4x5xf32>) -> tensor<7x9xf32> {
  %k0 = tsr.constant dense<[1, 3, 2, 1]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}

func.func private @pad_edge(%a: tensor<4x5xf32>) -> tensor<7x9xf32> {
  %k0 = tsr.constant dense<[1, 3, 2, 1]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "edge", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}

func.func private @pad_far_edge(%a: tensor<3xf32>) -> tensor<12xf32> {
  %k0 = tsr.constant dense<[5, 4]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.pad %a, %k0 {mode = "edge", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func private @pad_wrap(%a: tensor<4x5xf32>) -> tensor<7x9xf32> {
  %k0 = tsr.constant dense<[1, 3, 2, 1]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}

func.func private @pad_far_wrap(%a: tensor<3xf32>) -> tensor<12xf32> {
  %k0 = tsr.constant dense<[5, 4]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.pad %a, %k0 {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<12xf32>
  return %r : tensor<12xf32>
}

func.func private @pad_wrap_cut(%a: tensor<4x5xf32>) -> tensor<9x7xf32> {
  %k0 = tsr.constant dense<[6, -1, -1, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<9x7xf32>
  return %r : tensor<9x7xf32>
}

func.func private @pad_reflect_cut(%a: tensor<4x5xf32>) -> tensor<5x7xf32> {
  %k0 = tsr.constant dense<[2, -1, -1, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @pad_edge_cut(%a: tensor<4x5xf32>) -> tensor<5x7xf32> {
  %k0 = tsr.constant dense<[2, -1, -1, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "edge", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func private @pad_open(%a: tensor<?x5xf32> {test.dims = [3, 5]}) -> tensor<?x7xf32> {
  %k0 = tsr.constant dense<[1, 1, 1, 1]> : tensor<4xi64> -> tensor<4xi64>
  %k1 = tsr.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %r = tsr.pad %a, %k0, %k1 {mode = "constant", operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<?x5xf32>, tensor<4xi64>, tensor<f32>) -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

func.func private @pad_reflect_open(%a: tensor<?x5xf32> {test.dims = [3, 5]}) -> tensor<?x7xf32> {
  %k0 = tsr.constant dense<[1, 1, 1, 1]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x5xf32>, tensor<4xi64>) -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

func.func private @pad_by_value(%a: tensor<3x2xf32>, %b: tensor<4xi64> {test.values = [1, 0, 0, 2]}, %c: tensor<f32>) -> tensor<?x?xf32> {
  %r = tsr.pad %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<3x2xf32>, tensor<4xi64>, tensor<f32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @pad_constant_blocked(%a: tensor<2x12x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<[0, 0, 1, 2, 0, 0, 2, 2]> : tensor<8xi64> -> tensor<8xi64>
  %r = tsr.pad %a, %k0 {mode = "constant", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x12x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<8xi64>) -> tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @pad_edge_blocked(%a: tensor<2x12x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<[0, 0, 1, 2, 0, 0, 2, 2]> : tensor<8xi64> -> tensor<8xi64>
  %r = tsr.pad %a, %k0 {mode = "edge", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x12x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<8xi64>) -> tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @pad_reflect_blocked(%a: tensor<2x12x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<[0, 0, 1, 2, 0, 0, 2, 2]> : tensor<8xi64> -> tensor<8xi64>
  %r = tsr.pad %a, %k0 {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x12x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<8xi64>) -> tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @pad_wrap_blocked(%a: tensor<2x12x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<[0, 0, 1, 2, 0, 0, 2, 2]> : tensor<8xi64> -> tensor<8xi64>
  %r = tsr.pad %a, %k0 {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x12x4x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<8xi64>) -> tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x12x7x9xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @pad_reflect_rows_open(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 6, 21]}) -> tensor<?x3x?x?xf32> {
  %k0 = tsr.constant dense<[0, 0, 2, 1, 0, 0, 1, 3]> : tensor<8xi64> -> tensor<8xi64>
  %r = tsr.pad %a, %k0 {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x3x?x?xf32>, tensor<8xi64>) -> tensor<?x3x?x?xf32>
  return %r : tensor<?x3x?x?xf32>
}

func.func private @pad_reflect_open_cut(%a: tensor<2x?x?xf32> {test.dims = [2, 4, 3]}) -> tensor<2x?x?xf32> {
  %k0 = tsr.constant dense<[0, -1, 5, 0, 3, -1]> : tensor<6xi64> -> tensor<6xi64>
  %r = tsr.pad %a, %k0 {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x?x?xf32>, tensor<6xi64>) -> tensor<2x?x?xf32>
  return %r : tensor<2x?x?xf32>
}

func.func private @pad_edge_rows_open(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 6, 21]}) -> tensor<?x3x?x?xf32> {
  %k0 = tsr.constant dense<[0, 0, 2, 1, 0, 0, 1, 3]> : tensor<8xi64> -> tensor<8xi64>
  %r = tsr.pad %a, %k0 {mode = "edge", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x3x?x?xf32>, tensor<8xi64>) -> tensor<?x3x?x?xf32>
  return %r : tensor<?x3x?x?xf32>
}

func.func private @pad_edge_open_cut(%a: tensor<2x?x?xf32> {test.dims = [2, 4, 3]}) -> tensor<2x?x?xf32> {
  %k0 = tsr.constant dense<[0, -1, 5, 0, 3, -1]> : tensor<6xi64> -> tensor<6xi64>
  %r = tsr.pad %a, %k0 {mode = "edge", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x?x?xf32>, tensor<6xi64>) -> tensor<2x?x?xf32>
  return %r : tensor<2x?x?xf32>
}

func.func private @pad_wrap_rows_open(%a: tensor<?x3x?x?xf32> {test.dims = [2, 3, 6, 21]}) -> tensor<?x3x?x?xf32> {
  %k0 = tsr.constant dense<[0, 0, 2, 1, 0, 0, 1, 3]> : tensor<8xi64> -> tensor<8xi64>
  %r = tsr.pad %a, %k0 {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x3x?x?xf32>, tensor<8xi64>) -> tensor<?x3x?x?xf32>
  return %r : tensor<?x3x?x?xf32>
}

func.func private @pad_wrap_open_cut(%a: tensor<2x?x?xf32> {test.dims = [2, 4, 3]}) -> tensor<2x?x?xf32> {
  %k0 = tsr.constant dense<[0, -1, 5, 0, 3, -1]> : tensor<6xi64> -> tensor<6xi64>
  %r = tsr.pad %a, %k0 {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x?x?xf32>, tensor<6xi64>) -> tensor<2x?x?xf32>
  return %r : tensor<2x?x?xf32>
}

func.func private @pad_reflect_open_cut_and_pad(%a: tensor<?x?xf32> {test.dims = [4, 6]}) -> tensor<?x?xf32> {
  %k0 = tsr.constant dense<[-1, 5, 6, -2]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x?xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @pad_wrap_open_cut_and_pad(%a: tensor<?x?xf32> {test.dims = [4, 6]}) -> tensor<?x?xf32> {
  %k0 = tsr.constant dense<[-1, 5, 6, -2]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.pad %a, %k0 {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x?xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @pad_reflect_by_value_cut(%a: tensor<?x5xf32> {test.dims = [4, 5]}, %b: tensor<4xi64> {test.values = [-1, 3, 2, -2]}) -> tensor<?x?xf32> {
  %r = tsr.pad %a, %b {mode = "reflect", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x5xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @pad_edge_by_value_cut(%a: tensor<?x5xf32> {test.dims = [4, 5]}, %b: tensor<4xi64> {test.values = [-1, 3, 2, -2]}) -> tensor<?x?xf32> {
  %r = tsr.pad %a, %b {mode = "edge", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x5xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @pad_wrap_by_value_cut(%a: tensor<?x5xf32> {test.dims = [4, 5]}, %b: tensor<4xi64> {test.values = [-1, 3, 2, -2]}) -> tensor<?x?xf32> {
  %r = tsr.pad %a, %b {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x5xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Of an empty result no table of positions is made, however long it would be.
func.func private @pad_wrap_of_nothing(%a: tensor<?x?xf32> {test.dims = [0, 3]}, %b: tensor<4xi64> {test.values = [0, 1000000000000, 0, 0]}) -> tensor<?x?xf32> {
  %r = tsr.pad %a, %b {mode = "wrap", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x?xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
