// Products of matrices whose sizes are known at run time only.

func.func private @square(%a: tensor<?x?xf32> {test.dims = [40, 33]}, %b: tensor<?x?xf32> {test.dims = [33, 75]}) -> tensor<?x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func private @whole_tiles(%a: tensor<?x?xf32> {test.dims = [48, 16]}, %b: tensor<?x?xf32> {test.dims = [16, 96]}) -> tensor<?x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func private @one_row(%a: tensor<?x?xf32> {test.dims = [1, 300]}, %b: tensor<?x?xf32> {test.dims = [300, 101]}) -> tensor<?x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func private @one_column(%a: tensor<?x?xf32> {test.dims = [19, 70]}, %b: tensor<?x?xf32> {test.dims = [70, 1]}) -> tensor<?x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func private @empty_sums(%a: tensor<?x?xf32> {test.dims = [5, 0]}, %b: tensor<?x?xf32> {test.dims = [0, 30]}, %c: tensor<30xf32>) -> tensor<?x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tsr.add %0, %c : (tensor<?x?xf32>, tensor<30xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func private @no_columns(%a: tensor<?x?xf32> {test.dims = [5, 3]}, %b: tensor<?x?xf32> {test.dims = [3, 0]}) -> tensor<?x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func private @several_parts(%a: tensor<?x?xf32> {test.dims = [29, 700]}, %b: tensor<?x?xf32> {test.dims = [700, 50]}) -> tensor<?x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tsr.gelu %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func private @batch(%a: tensor<3x?x20xf32> {test.dims = [3, 11, 20]}, %b: tensor<3x20x?xf32> {test.dims = [3, 20, 31]}) -> tensor<3x?x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<3x?x20xf32>, tensor<3x20x?xf32>) -> tensor<3x?x?xf32>
  return %0 : tensor<3x?x?xf32>
}

func.func private @batch_of_one(%a: tensor<?x?x5x?xf32> {test.dims = [2, 1, 5, 9]}, %b: tensor<?x?x?xf32> {test.dims = [3, 9, 26]}) -> tensor<?x?x5x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x?x5x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x5x?xf32>
  return %0 : tensor<?x?x5x?xf32>
}

func.func private @open_batch(%a: tensor<?x8x8xf32> {test.dims = [1, 8, 8]}, %b: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  return %0 : tensor<2x8x8xf32>
}

func.func private @rows_of_a_batch(%a: tensor<?x3x7xf32> {test.dims = [5, 3, 7]}, %b: tensor<7x?xf32> {test.dims = [7, 12]}, %c: tensor<?x1x1xf32> {test.dims = [5, 1, 1]}) -> tensor<?x3x?xf32> {
  %0 = tsr.matmul %a, %b : (tensor<?x3x7xf32>, tensor<7x?xf32>) -> tensor<?x3x?xf32>
  %1 = tsr.mul %0, %c : (tensor<?x3x?xf32>, tensor<?x1x1xf32>) -> tensor<?x3x?xf32>
  return %1 : tensor<?x3x?xf32>
}

func.func private @gemm(%a: tensor<?x?xf32> {test.dims = [10, 21]}, %b: tensor<?x?xf32> {test.dims = [21, 30]}, %c: tensor<?xf32> {test.dims = [30]}) -> tensor<?x?xf32> {
  %0 = tsr.gemm %a, %b, %c {alpha = 0.5 : f32, beta = 2.0 : f32} : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %1 = tsr.relu %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func private @gemm_open_reduction(%a: tensor<9x?xf32> {test.dims = [9, 30]}, %b: tensor<?x17xf32> {test.dims = [30, 17]}, %c: tensor<17xf32>) -> tensor<9x17xf32> {
  %0 = tsr.gemm %a, %b, %c : (tensor<9x?xf32>, tensor<?x17xf32>, tensor<17xf32>) -> tensor<9x17xf32>
  return %0 : tensor<9x17xf32>
}

func.func private @gemm_transposed_first(%a: tensor<12x?xf32> {test.dims = [12, 35]}, %b: tensor<12x20xf32>, %c: tensor<20xf32>) -> tensor<?x20xf32> {
  %0 = tsr.gemm %a, %b, %c {transA = 1 : i64} : (tensor<12x?xf32>, tensor<12x20xf32>, tensor<20xf32>) -> tensor<?x20xf32>
  return %0 : tensor<?x20xf32>
}

func.func private @gemm_transposed_second(%a: tensor<?x?xf32> {test.dims = [13, 37]}, %b: tensor<?x?xf32> {test.dims = [59, 37]}) -> tensor<?x?xf32> {
  %0 = tsr.gemm %a, %b {transB = 1 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func private @gemm_transposed_both(%a: tensor<?x?xf32> {test.dims = [300, 18]}, %b: tensor<?x?xf32> {test.dims = [49, 300]}, %c: tensor<?x1xf32> {test.dims = [18, 1]}) -> tensor<?x?xf32> {
  %0 = tsr.gemm %a, %b, %c {transA = 1 : i64, transB = 1 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
