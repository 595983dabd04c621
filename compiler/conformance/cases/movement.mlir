// Operators that move, select or make elements.

func.func private @transpose_bool(%a: tensor<3x4xi1>) -> tensor<4x3xi1> {
  %r = tsr.transpose %a : (tensor<3x4xi1>) -> tensor<4x3xi1>
  return %r : tensor<4x3xi1>
}

func.func private @reshape(%a: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %k0 = tsr.constant dense<[6, -1]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reshape %a, %k0 : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

func.func private @reshape_zero(%a: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %k0 = tsr.constant dense<[0, -1]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reshape %a, %k0 : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

func.func private @reshape_open(%a: tensor<?x3x4xf32> {test.dims = [2, 3, 4]}) -> tensor<?x6x2xf32> {
  %k0 = tsr.constant dense<[-1, 6, 2]> : tensor<3xi64> -> tensor<3xi64>
  %r = tsr.reshape %a, %k0 : (tensor<?x3x4xf32>, tensor<3xi64>) -> tensor<?x6x2xf32>
  return %r : tensor<?x6x2xf32>
}

func.func private @reshape_open_copy(%a: tensor<?x3x4xf32> {test.dims = [2, 3, 4]}) -> tensor<?x12xf32> {
  %k0 = tsr.constant dense<[0, -1]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.reshape %a, %k0 : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x12xf32>
  return %r : tensor<?x12xf32>
}

func.func private @reshape_by_value(%a: tensor<?x3x4xf32> {test.dims = [2, 3, 4]}, %b: tensor<2xi64> {test.values = [4, -1]}) -> tensor<?x?xf32> {
  %r = tsr.reshape %a, %b : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @reshape_scalar(%a: tensor<1x1xf32>) -> tensor<f32> {
  %k0 = tsr.constant dense<[]> : tensor<0xi64> -> tensor<0xi64>
  %r = tsr.reshape %a, %k0 : (tensor<1x1xf32>, tensor<0xi64>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func private @flatten(%a: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %r = tsr.flatten %a : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

func.func private @flatten_open(%a: tensor<?x?x4xf32> {test.dims = [2, 3, 4]}) -> tensor<?x4xf32> {
  %r = tsr.flatten %a {axis = 2 : i64} : (tensor<?x?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func private @flatten_0(%a: tensor<2x3x4xf32>) -> tensor<1x24xf32> {
  %r = tsr.flatten %a {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<1x24xf32>
  return %r : tensor<1x24xf32>
}

func.func private @squeeze(%a: tensor<1x3x1x4xf32>) -> tensor<3x4xf32> {
  %r = tsr.squeeze %a : (tensor<1x3x1x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func private @squeeze_axes(%a: tensor<1x?x1x4xf32> {test.dims = [1, 3, 1, 4]}) -> tensor<1x?x4xf32> {
  %k0 = tsr.constant dense<[-2]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.squeeze %a, %k0 : (tensor<1x?x1x4xf32>, tensor<1xi64>) -> tensor<1x?x4xf32>
  return %r : tensor<1x?x4xf32>
}

func.func private @unsqueeze(%a: tensor<3x?xf32> {test.dims = [3, 4]}) -> tensor<1x3x?x1xf32> {
  %k0 = tsr.constant dense<[0, -1]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.unsqueeze %a, %k0 : (tensor<3x?xf32>, tensor<2xi64>) -> tensor<1x3x?x1xf32>
  return %r : tensor<1x3x?x1xf32>
}

func.func private @shape(%a: tensor<?x3x?xf32> {test.dims = [2, 3, 5]}) -> tensor<3xi64> {
  %r = tsr.shape %a : (tensor<?x3x?xf32>) -> tensor<3xi64>
  return %r : tensor<3xi64>
}

func.func private @shape_part(%a: tensor<?x3x?xf32> {test.dims = [2, 3, 5]}) -> tensor<2xi64> {
  %r = tsr.shape %a {start = 1 : i64} : (tensor<?x3x?xf32>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}

func.func private @shape_end(%a: tensor<?x3x?xf32> {test.dims = [2, 3, 5]}) -> tensor<2xi64> {
  %r = tsr.shape %a {end = -1 : i64} : (tensor<?x3x?xf32>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}

func.func private @size(%a: tensor<?x3x?xf32> {test.dims = [2, 3, 5]}) -> tensor<i64> {
  %r = tsr.size %a : (tensor<?x3x?xf32>) -> tensor<i64>
  return %r : tensor<i64>
}

func.func private @concat_0(%a: tensor<3x4x5xf32>, %b: tensor<2x4x5xf32>) -> tensor<5x4x5xf32> {
  %r = tsr.concat %a, %b {axis = 0 : i64} : (tensor<3x4x5xf32>, tensor<2x4x5xf32>) -> tensor<5x4x5xf32>
  return %r : tensor<5x4x5xf32>
}

func.func private @concat_1(%a: tensor<3x4x5xf32>, %b: tensor<3x2x5xf32>) -> tensor<3x6x5xf32> {
  %r = tsr.concat %a, %b {axis = 1 : i64} : (tensor<3x4x5xf32>, tensor<3x2x5xf32>) -> tensor<3x6x5xf32>
  return %r : tensor<3x6x5xf32>
}

func.func private @concat_2(%a: tensor<3x4x5xf32>, %b: tensor<3x4x2xf32>) -> tensor<3x4x7xf32> {
  %r = tsr.concat %a, %b {axis = -1 : i64} : (tensor<3x4x5xf32>, tensor<3x4x2xf32>) -> tensor<3x4x7xf32>
  return %r : tensor<3x4x7xf32>
}

func.func private @concat_open(%a: tensor<?x3xi64> {test.dims = [2, 3]}, %b: tensor<?x3xi64> {test.dims = [4, 3]}, %c: tensor<1x3xi64>) -> tensor<?x3xi64> {
  %r = tsr.concat %a, %b, %c {axis = 0 : i64} : (tensor<?x3xi64>, tensor<?x3xi64>, tensor<1x3xi64>) -> tensor<?x3xi64>
  return %r : tensor<?x3xi64>
}

func.func private @concat_one(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = tsr.concat %a {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func private @concat_bool(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) -> tensor<2x6xi1> {
  %r = tsr.concat %a, %b {axis = 1 : i64} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x6xi1>
  return %r : tensor<2x6xi1>
}

func.func private @split_equal(%a: tensor<2x6xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %r:3 = tsr.split %a {axis = 1 : i64, num_outputs = 3 : i64} : (tensor<2x6xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

func.func private @split_uneven(%a: tensor<7x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>) {
  %r:3 = tsr.split %a {num_outputs = 3 : i64} : (tensor<7x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>)
  return %r#0, %r#1, %r#2 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>
}

func.func private @split_sizes(%a: tensor<2x6xf32>) -> (tensor<2x1xf32>, tensor<2x5xf32>) {
  %k0 = tsr.constant dense<[1, 5]> : tensor<2xi64> -> tensor<2xi64>
  %r:2 = tsr.split %a, %k0 {axis = -1 : i64} : (tensor<2x6xf32>, tensor<2xi64>) -> (tensor<2x1xf32>, tensor<2x5xf32>)
  return %r#0, %r#1 : tensor<2x1xf32>, tensor<2x5xf32>
}

func.func private @split_open(%a: tensor<?x4xf32> {test.dims = [6, 4]}) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %r:2 = tsr.split %a {num_outputs = 2 : i64} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

func.func private @slice(%a: tensor<5x8x6xf32>) -> tensor<2x4x6xf32> {
  %k0 = tsr.constant dense<[1, 2]> : tensor<2xi64> -> tensor<2xi64>
  %k1 = tsr.constant dense<[3, 6]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.slice %a, %k0, %k1 {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<5x8x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x4x6xf32>
  return %r : tensor<2x4x6xf32>
}

func.func private @slice_axes(%a: tensor<5x8x6xf32>) -> tensor<5x3x2xf32> {
  %k0 = tsr.constant dense<[-2, 1]> : tensor<2xi64> -> tensor<2xi64>
  %k1 = tsr.constant dense<[9223372036854775807, 4]> : tensor<2xi64> -> tensor<2xi64>
  %k2 = tsr.constant dense<[2, 1]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.slice %a, %k0, %k1, %k2 {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<5x8x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x3x2xf32>
  return %r : tensor<5x3x2xf32>
}

func.func private @slice_steps(%a: tensor<5x8x6xf32>) -> tensor<5x4x2xf32> {
  %k0 = tsr.constant dense<[1, 0]> : tensor<2xi64> -> tensor<2xi64>
  %k1 = tsr.constant dense<[8, 6]> : tensor<2xi64> -> tensor<2xi64>
  %k2 = tsr.constant dense<[1, 2]> : tensor<2xi64> -> tensor<2xi64>
  %k3 = tsr.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.slice %a, %k0, %k1, %k2, %k3 {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<5x8x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x4x2xf32>
  return %r : tensor<5x4x2xf32>
}

func.func private @slice_backwards(%a: tensor<5x8x6xf32>) -> tensor<5x8x6xf32> {
  %k0 = tsr.constant dense<[7]> : tensor<1xi64> -> tensor<1xi64>
  %k1 = tsr.constant dense<[-9]> : tensor<1xi64> -> tensor<1xi64>
  %k2 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %k3 = tsr.constant dense<[-1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.slice %a, %k0, %k1, %k2, %k3 {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<5x8x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5x8x6xf32>
  return %r : tensor<5x8x6xf32>
}

func.func private @slice_backwards_step(%a: tensor<5x8x6xf32>) -> tensor<5x3x3xf32> {
  %k0 = tsr.constant dense<[-1, -1]> : tensor<2xi64> -> tensor<2xi64>
  %k1 = tsr.constant dense<[0, -9223372036854775808]> : tensor<2xi64> -> tensor<2xi64>
  %k2 = tsr.constant dense<[1, 2]> : tensor<2xi64> -> tensor<2xi64>
  %k3 = tsr.constant dense<[-3, -2]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.slice %a, %k0, %k1, %k2, %k3 {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<5x8x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x3x3xf32>
  return %r : tensor<5x3x3xf32>
}

func.func private @slice_empty(%a: tensor<5x8x6xf32>) -> tensor<5x0x6xf32> {
  %k0 = tsr.constant dense<[5]> : tensor<1xi64> -> tensor<1xi64>
  %k1 = tsr.constant dense<[5]> : tensor<1xi64> -> tensor<1xi64>
  %k2 = tsr.constant dense<[1]> : tensor<1xi64> -> tensor<1xi64>
  %r = tsr.slice %a, %k0, %k1, %k2 {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<5x8x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5x0x6xf32>
  return %r : tensor<5x0x6xf32>
}

func.func private @slice_open(%a: tensor<?x?xf32> {test.dims = [5, 9]}) -> tensor<?x?xf32> {
  %k0 = tsr.constant dense<[1, -4]> : tensor<2xi64> -> tensor<2xi64>
  %k1 = tsr.constant dense<[100, -1]> : tensor<2xi64> -> tensor<2xi64>
  %k2 = tsr.constant dense<[0, 1]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.slice %a, %k0, %k1, %k2 {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<?x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @slice_by_value(%a: tensor<9x2xf32>, %b: tensor<1xi64> {test.values = [2]}, %c: tensor<1xi64> {test.values = [-1]}) -> tensor<?x2xf32> {
  %r = tsr.slice %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<9x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

func.func private @slice_i32(%a: tensor<9x2xi8>, %b: tensor<1xi32> {test.values = [2]}, %c: tensor<1xi32> {test.values = [5]}) -> tensor<?x2xi8> {
  %r = tsr.slice %a, %b, %c {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<9x2xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x2xi8>
  return %r : tensor<?x2xi8>
}

func.func private @gather_0_1(%a: tensor<2x3x4xf32>, %b: tensor<2xi64> {test.range = [-2, 1]}) -> tensor<2x3x4xf32> {
  %r = tsr.gather %a, %b {axis = 0 : i64} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func private @gather_1_2(%a: tensor<2x3x4xf32>, %b: tensor<2x2xi64> {test.range = [-2, 1]}) -> tensor<2x2x2x4xf32> {
  %r = tsr.gather %a, %b {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x2xi64>) -> tensor<2x2x2x4xf32>
  return %r : tensor<2x2x2x4xf32>
}

func.func private @gather_2_0(%a: tensor<2x3x4xf32>, %b: tensor<i64> {test.range = [-2, 1]}) -> tensor<2x3xf32> {
  %r = tsr.gather %a, %b {axis = 2 : i64} : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func private @gather_2_1(%a: tensor<2x3x4xf32>, %b: tensor<5xi64> {test.range = [-2, 1]}) -> tensor<2x3x5xf32> {
  %r = tsr.gather %a, %b {axis = -1 : i64} : (tensor<2x3x4xf32>, tensor<5xi64>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

func.func private @gather_i32(%a: tensor<10x6xf32>, %b: tensor<3x2xi32> {test.range = [0, 9]}) -> tensor<3x2x6xf32> {
  %r = tsr.gather %a, %b : (tensor<10x6xf32>, tensor<3x2xi32>) -> tensor<3x2x6xf32>
  return %r : tensor<3x2x6xf32>
}

func.func private @gather_open(%a: tensor<10x6xf32>, %b: tensor<?x?xi64> {test.dims = [2, 4], test.range = [-10, 9]}) -> tensor<?x?x6xf32> {
  %r = tsr.gather %a, %b : (tensor<10x6xf32>, tensor<?x?xi64>) -> tensor<?x?x6xf32>
  return %r : tensor<?x?x6xf32>
}

func.func private @gather_bool(%a: tensor<10xi1>, %b: tensor<4xi64> {test.range = [0, 9]}) -> tensor<4xi1> {
  %r = tsr.gather %a, %b : (tensor<10xi1>, tensor<4xi64>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

func.func private @gather_elements_0(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xi64> {test.range = [-2, 1]}) -> tensor<2x3x4xf32> {
  %r = tsr.gather_elements %a, %b {axis = 0 : i64} : (tensor<2x3x4xf32>, tensor<2x3x4xi64>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func private @gather_elements_1(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xi64> {test.range = [-2, 1]}) -> tensor<2x3x4xf32> {
  %r = tsr.gather_elements %a, %b {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x3x4xi64>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func private @gather_elements_2(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xi64> {test.range = [-2, 1]}) -> tensor<2x3x4xf32> {
  %r = tsr.gather_elements %a, %b {axis = -1 : i64} : (tensor<2x3x4xf32>, tensor<2x3x4xi64>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func private @gather_elements_short(%a: tensor<5x4xf32>, %b: tensor<2x4xi64> {test.range = [0, 4]}) -> tensor<2x4xf32> {
  %r = tsr.gather_elements %a, %b : (tensor<5x4xf32>, tensor<2x4xi64>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

func.func private @gather_nd(%a: tensor<4x5x6xf32>, %b: tensor<3x2xi64> {test.range = [-4, 3]}) -> tensor<3x6xf32> {
  %r = tsr.gather_nd %a, %b : (tensor<4x5x6xf32>, tensor<3x2xi64>) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}

func.func private @gather_nd_full(%a: tensor<4x5xf32>, %b: tensor<3x2x2xi64> {test.range = [0, 3]}) -> tensor<3x2xf32> {
  %r = tsr.gather_nd %a, %b : (tensor<4x5xf32>, tensor<3x2x2xi64>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func private @gather_nd_batch(%a: tensor<2x5x6xf32>, %b: tensor<2x3x1xi64> {test.range = [0, 4]}) -> tensor<2x3x6xf32> {
  %r = tsr.gather_nd %a, %b {batch_dims = 1 : i64} : (tensor<2x5x6xf32>, tensor<2x3x1xi64>) -> tensor<2x3x6xf32>
  return %r : tensor<2x3x6xf32>
}

func.func private @gather_nd_open(%a: tensor<?x5xf32> {test.dims = [4, 5]}, %b: tensor<?x1xi64> {test.dims = [3, 1], test.range = [0, 3]}) -> tensor<?x5xf32> {
  %r = tsr.gather_nd %a, %b : (tensor<?x5xf32>, tensor<?x1xi64>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

func.func private @scatter_elements_none(%a: tensor<5x2xf32>, %b: tensor<3x2xi64> {test.values = [0, 3, 1, 2, 4, 0]}, %c: tensor<3x2xf32>) -> tensor<5x2xf32> {
  %r = tsr.scatter_elements %a, %b, %c {reduction = "none"} : (tensor<5x2xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func private @scatter_nd_none(%a: tensor<6x4xf32>, %b: tensor<3x1xi64> {test.values = [5, 1, 3]}, %c: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "none"} : (tensor<6x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

func.func private @scatter_elements_add(%a: tensor<5x2xf32>, %b: tensor<3x2xi64> {test.range = [-5, 4]}, %c: tensor<3x2xf32>) -> tensor<5x2xf32> {
  %r = tsr.scatter_elements %a, %b, %c {reduction = "add"} : (tensor<5x2xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func private @scatter_nd_add(%a: tensor<6x4xf32>, %b: tensor<3x1xi64> {test.range = [0, 5]}, %c: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "add"} : (tensor<6x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

func.func private @scatter_elements_mul(%a: tensor<5x2xf32>, %b: tensor<3x2xi64> {test.range = [-5, 4]}, %c: tensor<3x2xf32>) -> tensor<5x2xf32> {
  %r = tsr.scatter_elements %a, %b, %c {reduction = "mul"} : (tensor<5x2xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func private @scatter_nd_mul(%a: tensor<6x4xf32>, %b: tensor<3x1xi64> {test.range = [0, 5]}, %c: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "mul"} : (tensor<6x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

func.func private @scatter_elements_max(%a: tensor<5x2xf32>, %b: tensor<3x2xi64> {test.range = [-5, 4]}, %c: tensor<3x2xf32>) -> tensor<5x2xf32> {
  %r = tsr.scatter_elements %a, %b, %c {reduction = "max"} : (tensor<5x2xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func private @scatter_nd_max(%a: tensor<6x4xf32>, %b: tensor<3x1xi64> {test.range = [0, 5]}, %c: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "max"} : (tensor<6x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

func.func private @scatter_elements_min(%a: tensor<5x2xf32>, %b: tensor<3x2xi64> {test.range = [-5, 4]}, %c: tensor<3x2xf32>) -> tensor<5x2xf32> {
  %r = tsr.scatter_elements %a, %b, %c {reduction = "min"} : (tensor<5x2xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

func.func private @scatter_nd_min(%a: tensor<6x4xf32>, %b: tensor<3x1xi64> {test.range = [0, 5]}, %c: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "min"} : (tensor<6x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

func.func private @scatter_elements_axis(%a: tensor<3x5xi64>, %b: tensor<3x2xi64> {test.values = [0, 3, 1, 2, 4, 0]}, %c: tensor<3x2xi64> {test.range = [10, 20]}) -> tensor<3x5xi64> {
  %r = tsr.scatter_elements %a, %b, %c {axis = -1 : i64} : (tensor<3x5xi64>, tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func private @scatter_nd_rows(%a: tensor<2x5x3x37xf32>, %b: tensor<2x3x2xi64> {test.values = [1, 4, 0, -1, 1, -5, 0, 2, -2, 3, 1, 0]}, %c: tensor<2x3x3x37xf32>) -> tensor<2x5x3x37xf32> {
  %r = tsr.scatter_nd %a, %b, %c : (tensor<2x5x3x37xf32>, tensor<2x3x2xi64>, tensor<2x3x3x37xf32>) -> tensor<2x5x3x37xf32>
  return %r : tensor<2x5x3x37xf32>
}

func.func private @scatter_nd_add_rows(%a: tensor<6x40xi64>, %b: tensor<2x4x1xi64> {test.range = [0, 5]}, %c: tensor<2x4x40xi64>) -> tensor<6x40xi64> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "add"} : (tensor<6x40xi64>, tensor<2x4x1xi64>, tensor<2x4x40xi64>) -> tensor<6x40xi64>
  return %r : tensor<6x40xi64>
}

func.func private @scatter_nd_max_bytes(%a: tensor<6x40xui8>, %b: tensor<8x1xi64> {test.range = [0, 5]}, %c: tensor<8x40xui8> {test.values = [0, 200, 127, 128, 255]}) -> tensor<6x40xui8> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "max"} : (tensor<6x40xui8>, tensor<8x1xi64>, tensor<8x40xui8>) -> tensor<6x40xui8>
  return %r : tensor<6x40xui8>
}

func.func private @scatter_nd_rows_open(%a: tensor<?x?xf32> {test.dims = [5, 18]}, %b: tensor<?x1xi64> {test.dims = [4, 1], test.values = [0, 4, 3, 0]}, %c: tensor<?x?xf32> {test.dims = [4, 18]}) -> tensor<?x?xf32> {
  %r = tsr.scatter_nd %a, %b, %c : (tensor<?x?xf32>, tensor<?x1xi64>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @scatter_nd_one(%a: tensor<6x40xf32>, %b: tensor<1xi64> {test.values = [-2]}, %c: tensor<40xf32>) -> tensor<6x40xf32> {
  %r = tsr.scatter_nd %a, %b, %c {reduction = "mul"} : (tensor<6x40xf32>, tensor<1xi64>, tensor<40xf32>) -> tensor<6x40xf32>
  return %r : tensor<6x40xf32>
}

func.func private @scatter_nd_open(%a: tensor<?x4xf32> {test.dims = [5, 4]}, %b: tensor<?x2xi64> {test.dims = [2, 2], test.values = [0, 1, 3, 3]}, %c: tensor<?xf32> {test.dims = [2]}) -> tensor<?x4xf32> {
  %r = tsr.scatter_nd %a, %b, %c : (tensor<?x4xf32>, tensor<?x2xi64>, tensor<?xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func private @expand(%a: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %k0 = tsr.constant dense<[2, 1, 4]> : tensor<3xi64> -> tensor<3xi64>
  %r = tsr.expand %a, %k0 : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func private @expand_open(%a: tensor<?x1xf32> {test.dims = [3, 1]}) -> tensor<2x?x4xf32> {
  %k0 = tsr.constant dense<[2, 1, 4]> : tensor<3xi64> -> tensor<3xi64>
  %r = tsr.expand %a, %k0 : (tensor<?x1xf32>, tensor<3xi64>) -> tensor<2x?x4xf32>
  return %r : tensor<2x?x4xf32>
}

func.func private @expand_by_value(%a: tensor<3x1xf32>, %b: tensor<2xi64> {test.values = [1, 5]}) -> tensor<3x?xf32> {
  %r = tsr.expand %a, %b : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}

func.func private @expand_bool(%a: tensor<3x1xi1>) -> tensor<3x4xi1> {
  %k0 = tsr.constant dense<[3, 4]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.expand %a, %k0 : (tensor<3x1xi1>, tensor<2xi64>) -> tensor<3x4xi1>
  return %r : tensor<3x4xi1>
}

func.func private @tile(%a: tensor<2x3xf32>) -> tensor<4x9xf32> {
  %k0 = tsr.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.tile %a, %k0 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

func.func private @tile_parts(%a: tensor<3x1x2x20xf32>) -> tensor<6x4x2x60xf32> {
  %k0 = tsr.constant dense<[2, 4, 1, 3]> : tensor<4xi64> -> tensor<4xi64>
  %r = tsr.tile %a, %k0 : (tensor<3x1x2x20xf32>, tensor<4xi64>) -> tensor<6x4x2x60xf32>
  return %r : tensor<6x4x2x60xf32>
}

func.func private @tile_open(%a: tensor<?x3xf32> {test.dims = [2, 3]}) -> tensor<?x3xf32> {
  %k0 = tsr.constant dense<[3, 1]> : tensor<2xi64> -> tensor<2xi64>
  %r = tsr.tile %a, %k0 : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

func.func private @tile_by_value(%a: tensor<2x3xi64>, %b: tensor<2xi64> {test.values = [1, 2]}) -> tensor<?x?xi64> {
  %r = tsr.tile %a, %b : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<?x?xi64>
  return %r : tensor<?x?xi64>
}

func.func private @depth_to_space_dcr(%a: tensor<2x8x3x2xf32>) -> tensor<2x2x6x4xf32> {
  %r = tsr.depth_to_space %a {blocksize = 2 : i64, mode = "DCR"} : (tensor<2x8x3x2xf32>) -> tensor<2x2x6x4xf32>
  return %r : tensor<2x2x6x4xf32>
}

func.func private @depth_to_space_crd(%a: tensor<2x8x3x2xf32>) -> tensor<2x2x6x4xf32> {
  %r = tsr.depth_to_space %a {blocksize = 2 : i64, mode = "CRD"} : (tensor<2x8x3x2xf32>) -> tensor<2x2x6x4xf32>
  return %r : tensor<2x2x6x4xf32>
}

func.func private @space_to_depth(%a: tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32> {
  %r = tsr.space_to_depth %a {blocksize = 2 : i64} : (tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32>
  return %r : tensor<2x12x2x3xf32>
}

func.func private @depth_to_space_open(%a: tensor<?x8x?x2xf32> {test.dims = [1, 8, 3, 2]}) -> tensor<?x2x?x4xf32> {
  %r = tsr.depth_to_space %a {blocksize = 2 : i64} : (tensor<?x8x?x2xf32>) -> tensor<?x2x?x4xf32>
  return %r : tensor<?x2x?x4xf32>
}

func.func private @constant_of_shape(%a: tensor<2xi64> {test.values = [2, 3]}) -> tensor<?x?xf32> {
  %r = tsr.constant_of_shape %a : (tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @constant_of_shape_value(%a: tensor<2xi64> {test.values = [2, 3]}) -> tensor<?x?xi64> {
  %r = tsr.constant_of_shape %a {value = dense<-7> : tensor<1xi64>} : (tensor<2xi64>) -> tensor<?x?xi64>
  return %r : tensor<?x?xi64>
}

func.func private @constant_of_shape_float(%a: tensor<1xi64> {test.values = [4]}) -> tensor<?xf32> {
  %r = tsr.constant_of_shape %a {value = dense<2.5> : tensor<1xf32>} : (tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @constant_of_shape_bool(%a: tensor<1xi64> {test.values = [4]}) -> tensor<?xi1> {
  %r = tsr.constant_of_shape %a {value = dense<true> : tensor<1xi1>} : (tensor<1xi64>) -> tensor<?xi1>
  return %r : tensor<?xi1>
}

func.func private @range_i64(%a: tensor<i64> {test.values = [2]}, %b: tensor<i64> {test.values = [15]}, %c: tensor<i64> {test.values = [4]}) -> tensor<?xi64> {
  %r = tsr.range %a, %b, %c : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func private @range_i32_down(%a: tensor<i32> {test.values = [10]}, %b: tensor<i32> {test.values = [-3]}, %c: tensor<i32> {test.values = [-4]}) -> tensor<?xi32> {
  %r = tsr.range %a, %b, %c : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}

func.func private @range_f32(%a: tensor<f32> {test.values = [0.5]}, %b: tensor<f32> {test.values = [3.0]}, %c: tensor<f32> {test.values = [0.25]}) -> tensor<?xf32> {
  %r = tsr.range %a, %b, %c : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func private @range_none(%a: tensor<i64> {test.values = [5]}, %b: tensor<i64> {test.values = [2]}, %c: tensor<i64> {test.values = [1]}) -> tensor<?xi64> {
  %r = tsr.range %a, %b, %c : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func private @one_hot_2(%a: tensor<2x3xi64> {test.range = [-7, 7]}, %b: tensor<2xf32> {test.values = [-1.0, 2.0]}) -> tensor<2x3x5xf32> {
  %k0 = tsr.constant dense<5> : tensor<i64> -> tensor<i64>
  %r = tsr.one_hot %a, %k0, %b {axis = -1 : i64} : (tensor<2x3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

func.func private @one_hot_0(%a: tensor<2x3xi64> {test.range = [-7, 7]}, %b: tensor<2xf32> {test.values = [-1.0, 2.0]}) -> tensor<5x2x3xf32> {
  %k0 = tsr.constant dense<5> : tensor<i64> -> tensor<i64>
  %r = tsr.one_hot %a, %k0, %b {axis = 0 : i64} : (tensor<2x3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<5x2x3xf32>
  return %r : tensor<5x2x3xf32>
}

func.func private @one_hot_1(%a: tensor<2x3xi64> {test.range = [-7, 7]}, %b: tensor<2xf32> {test.values = [-1.0, 2.0]}) -> tensor<2x5x3xf32> {
  %k0 = tsr.constant dense<5> : tensor<i64> -> tensor<i64>
  %r = tsr.one_hot %a, %k0, %b {axis = 1 : i64} : (tensor<2x3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

func.func private @one_hot_float(%a: tensor<4xf32> {test.range = [0.0, 4.0]}, %b: tensor<1xf32> {test.values = [5.0]}, %c: tensor<2xi64> {test.values = [0, 1]}) -> tensor<4x?xi64> {
  %r = tsr.one_hot %a, %b, %c : (tensor<4xf32>, tensor<1xf32>, tensor<2xi64>) -> tensor<4x?xi64>
  return %r : tensor<4x?xi64>
}

func.func private @eye_like_0(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = tsr.eye_like %a {k = 0 : i64} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func private @eye_like_1(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = tsr.eye_like %a {k = 1 : i64} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func private @eye_like_m2(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = tsr.eye_like %a {k = -2 : i64} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func private @eye_like_i64(%a: tensor<?x5xf32> {test.dims = [3, 5]}) -> tensor<?x5xi64> {
  %r = tsr.eye_like %a {dtype = 7 : i64} : (tensor<?x5xf32>) -> tensor<?x5xi64>
  return %r : tensor<?x5xi64>
}

func.func private @trilu_0_0(%a: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
  %k0 = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %r = tsr.trilu %a, %k0 {upper = 0 : i64} : (tensor<2x4x5xf32>, tensor<i64>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

func.func private @trilu_0_2(%a: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
  %k0 = tsr.constant dense<2> : tensor<i64> -> tensor<i64>
  %r = tsr.trilu %a, %k0 {upper = 0 : i64} : (tensor<2x4x5xf32>, tensor<i64>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

func.func private @trilu_0_m1(%a: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
  %k0 = tsr.constant dense<-1> : tensor<i64> -> tensor<i64>
  %r = tsr.trilu %a, %k0 {upper = 0 : i64} : (tensor<2x4x5xf32>, tensor<i64>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

func.func private @trilu_1_0(%a: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
  %k0 = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %r = tsr.trilu %a, %k0 {upper = 1 : i64} : (tensor<2x4x5xf32>, tensor<i64>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

func.func private @trilu_1_2(%a: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
  %k0 = tsr.constant dense<2> : tensor<i64> -> tensor<i64>
  %r = tsr.trilu %a, %k0 {upper = 1 : i64} : (tensor<2x4x5xf32>, tensor<i64>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

func.func private @trilu_1_m1(%a: tensor<2x4x5xf32>) -> tensor<2x4x5xf32> {
  %k0 = tsr.constant dense<-1> : tensor<i64> -> tensor<i64>
  %r = tsr.trilu %a, %k0 {upper = 1 : i64} : (tensor<2x4x5xf32>, tensor<i64>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

func.func private @trilu_by_value(%a: tensor<4x5xi64> {test.range = [1, 9]}, %b: tensor<i64> {test.values = [1]}) -> tensor<4x5xi64> {
  %r = tsr.trilu %a, %b : (tensor<4x5xi64>, tensor<i64>) -> tensor<4x5xi64>
  return %r : tensor<4x5xi64>
}

func.func private @trilu_bool(%a: tensor<?x?xi1> {test.dims = [3, 3]}) -> tensor<?x?xi1> {
  %r = tsr.trilu %a : (tensor<?x?xi1>) -> tensor<?x?xi1>
  return %r : tensor<?x?xi1>
}

func.func private @cumsum_0(%a: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %k0 = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<3x4x5xf32>, tensor<i64>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}

func.func private @cumsum_1(%a: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<3x4x5xf32>, tensor<i64>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}

func.func private @cumsum_2(%a: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %k0 = tsr.constant dense<-1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<3x4x5xf32>, tensor<i64>) -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}

func.func private @cumsum_short(%a: tensor<5xf64>) -> tensor<5xf64> {
  %k0 = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<5xf64>, tensor<i64>) -> tensor<5xf64>
  return %r : tensor<5xf64>
}

func.func private @cumsum_00(%a: tensor<3x4xi64>) -> tensor<3x4xi64> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 {exclusive = 0 : i64, reverse = 0 : i64} : (tensor<3x4xi64>, tensor<i64>) -> tensor<3x4xi64>
  return %r : tensor<3x4xi64>
}

func.func private @cumsum_01(%a: tensor<3x4xi64>) -> tensor<3x4xi64> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 {exclusive = 0 : i64, reverse = 1 : i64} : (tensor<3x4xi64>, tensor<i64>) -> tensor<3x4xi64>
  return %r : tensor<3x4xi64>
}

func.func private @cumsum_10(%a: tensor<3x4xi64>) -> tensor<3x4xi64> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 {exclusive = 1 : i64, reverse = 0 : i64} : (tensor<3x4xi64>, tensor<i64>) -> tensor<3x4xi64>
  return %r : tensor<3x4xi64>
}

func.func private @cumsum_11(%a: tensor<3x4xi64>) -> tensor<3x4xi64> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 {exclusive = 1 : i64, reverse = 1 : i64} : (tensor<3x4xi64>, tensor<i64>) -> tensor<3x4xi64>
  return %r : tensor<3x4xi64>
}

func.func private @cumsum_pieces(%a: tensor<2x4x1100xf32>) -> tensor<2x4x1100xf32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<2x4x1100xf32>, tensor<i64>) -> tensor<2x4x1100xf32>
  return %r : tensor<2x4x1100xf32>
}

func.func private @cumsum_exclusive_pieces(%a: tensor<1x3x768xf32>) -> tensor<1x3x768xf32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 {exclusive = 1 : i64, reverse = 1 : i64} : (tensor<1x3x768xf32>, tensor<i64>) -> tensor<1x3x768xf32>
  return %r : tensor<1x3x768xf32>
}

func.func private @cumsum_open(%a: tensor<?x4xf64> {test.dims = [3, 4]}) -> tensor<?x4xf64> {
  %k0 = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<?x4xf64>, tensor<i64>) -> tensor<?x4xf64>
  return %r : tensor<?x4xf64>
}

func.func private @cumsum_none(%a: tensor<2x3x0xf32>) -> tensor<2x3x0xf32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<2x3x0xf32>, tensor<i64>) -> tensor<2x3x0xf32>
  return %r : tensor<2x3x0xf32>
}

func.func private @cumsum_whole_parts(%a: tensor<3x5x128xf32>) -> tensor<3x5x128xf32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<3x5x128xf32>, tensor<i64>) -> tensor<3x5x128xf32>
  return %r : tensor<3x5x128xf32>
}

func.func private @cumsum_rows(%a: tensor<2x40x300xi32> {test.range = [-9, 9]}) -> tensor<2x40x300xi32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 {exclusive = 1 : i64, reverse = 1 : i64} : (tensor<2x40x300xi32>, tensor<i64>) -> tensor<2x40x300xi32>
  return %r : tensor<2x40x300xi32>
}

func.func private @cumsum_lines(%a: tensor<41x500xi32> {test.range = [-9, 9]}) -> tensor<41x500xi32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 {exclusive = 1 : i64, reverse = 1 : i64} : (tensor<41x500xi32>, tensor<i64>) -> tensor<41x500xi32>
  return %r : tensor<41x500xi32>
}

func.func private @cumsum_even_lines(%a: tensor<40x500xi32> {test.range = [-9, 9]}) -> tensor<40x500xi32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<40x500xi32>, tensor<i64>) -> tensor<40x500xi32>
  return %r : tensor<40x500xi32>
}

func.func private @cumsum_open_lines(%a: tensor<?x?xi32> {test.range = [-9, 9], test.dims = [19, 70]}) -> tensor<?x?xi32> {
  %k0 = tsr.constant dense<1> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<?x?xi32>, tensor<i64>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func private @cumsum_open_rows(%a: tensor<?x?xi32> {test.range = [-9, 9], test.dims = [19, 170]}) -> tensor<?x?xi32> {
  %k0 = tsr.constant dense<0> : tensor<i64> -> tensor<i64>
  %r = tsr.cumsum %a, %k0 : (tensor<?x?xi32>, tensor<i64>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func private @reverse_sequence(%a: tensor<4x3x2xf32>, %b: tensor<3xi64> {test.values = [4, 1, 3]}) -> tensor<4x3x2xf32> {
  %r = tsr.reverse_sequence %a, %b : (tensor<4x3x2xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
  return %r : tensor<4x3x2xf32>
}

func.func private @reverse_sequence_batch_first(%a: tensor<3x4xf32>, %b: tensor<3xi64> {test.values = [4, 1, 3]}) -> tensor<3x4xf32> {
  %r = tsr.reverse_sequence %a, %b {batch_axis = 0 : i64, time_axis = 1 : i64} : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func private @relayout_to(%a: tensor<2x16x3x5xf32>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.relayout %a : (tensor<2x16x3x5xf32>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @relayout_from(%a: tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x3x5xf32> {
  %r = tsr.relayout %a : (tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x3x5xf32>
  return %r : tensor<2x16x3x5xf32>
}

func.func private @relayout_to_padded(%a: tensor<2x11x3x5xf32>) -> tensor<2x11x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.relayout %a : (tensor<2x11x3x5xf32>) -> tensor<2x11x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x11x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @relayout_from_padded(%a: tensor<2x11x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x11x3x5xf32> {
  %r = tsr.relayout %a : (tensor<2x11x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x11x3x5xf32>
  return %r : tensor<2x11x3x5xf32>
}

// Planes of 4 KB.
func.func private @relayout_from_pages(%a: tensor<1x32x32x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x32x32x32xf32> {
  %r = tsr.relayout %a : (tensor<1x32x32x32xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>) -> tensor<1x32x32x32xf32>
  return %r : tensor<1x32x32x32xf32>
}

func.func private @relayout_blocks(%a: tensor<2x20x3xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x20x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>> {
  %r = tsr.relayout %a : (tensor<2x20x3xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x20x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
  return %r : tensor<2x20x3xf32, #tsr.layout<blockDims = [1], blockSizes = [16]>>
}

func.func private @relayout_weights(%a: tensor<16x12x3x3xf32>) -> tensor<16x12x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [4, 8]>> {
  %r = tsr.relayout %a : (tensor<16x12x3x3xf32>) -> tensor<16x12x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [4, 8]>>
  return %r : tensor<16x12x3x3xf32, #tsr.layout<blockDims = [1, 0], blockSizes = [4, 8]>>
}

func.func private @relayout_order(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32, #tsr.layout<order = [2, 0, 1]>> {
  %r = tsr.relayout %a : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32, #tsr.layout<order = [2, 0, 1]>>
  return %r : tensor<2x3x4xf32, #tsr.layout<order = [2, 0, 1]>>
}

func.func private @add_blocked(%a: tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, %b: tensor<1x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.add %a, %b : (tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<1x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @mul_blocked_gate(%a: tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, %b: tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.mul %a, %b : (tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<2x16x1x1xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @mul_blocked_image(%a: tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, %b: tensor<2x1x3x5xf32>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.mul %a, %b : (tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<2x1x3x5xf32>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @mul_blocked_scalar(%a: tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %k0 = tsr.constant dense<2.5> : tensor<f32> -> tensor<f32>
  %r = tsr.mul %a, %k0 : (tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<f32>) -> tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @batch_norm_blocked(%a: tensor<2x11x3x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, %b: tensor<11xf32>, %c: tensor<11xf32>, %d: tensor<11xf32>, %e: tensor<11xf32> {test.range = [0.1, 2.0]}) -> tensor<2x11x3x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.batch_norm %a, %b, %c, %d, %e : (tensor<2x11x3x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<11xf32>, tensor<11xf32>, tensor<11xf32>, tensor<11xf32>) -> tensor<2x11x3x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<2x11x3x4xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}

func.func private @concat_blocked(%a: tensor<1x8x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, %b: tensor<1x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x24x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>> {
  %r = tsr.concat %a, %b {axis = 1 : i64} : (tensor<1x8x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>, tensor<1x16x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>) -> tensor<1x24x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
  return %r : tensor<1x24x3x5xf32, #tsr.layout<blockDims = [1], blockSizes = [8]>>
}
